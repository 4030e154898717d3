import { describe, expect, it } from 'vitest';
import type { InvitationAnswer, StoredInvitation } from '../../../engine/storage/ports/invitations.ts';
import type { StorageEngine } from '../engine.ts';
import { arrival, arrive, eachWithAStore, MIA, message, NOON, plan, ZOE } from '../world.ts';

const invitation = (id: string, change: Partial<StoredInvitation> = {}): StoredInvitation => ({
  id,
  uid: 'u1',
  recurrence_id: '',
  thread_id: 't-m1',
  message: 'm1',
  attachment: 'att_1',
  organizer: MIA,
  sequence: 0,
  stamped_at: NOON,
  facts_json: '{}',
  ...change,
});
const answer = (change: Partial<InvitationAnswer> = {}): InvitationAnswer => ({
  uid: 'u1',
  recurrence_id: '',
  attendee: ZOE,
  partstat: 'accepted',
  sequence: 0,
  answered_at: NOON,
  comment: '',
  ...change,
});

export const invitationPromises = (engine: StorageEngine): void => {
  const store = eachWithAStore(engine);

  describe('invitations', () => {
    it('are kept once, the newest state first, and shown to whoever may see their mail', async () => {
      await arrive(store(), arrival('m1'), { ...plan('m1'), viewers: [MIA] });
      await store().keepInvitations([]);
      await store().keepInvitations([invitation('a'), invitation('b', { sequence: 1 })]);
      await store().keepInvitations([invitation('a', { facts_json: '{"other":1}' }), invitation('c', { uid: 'u2' })]);
      const ids = (found: readonly StoredInvitation[]) => found.map(({ id }) => id);
      expect(ids(await store().statesOfInvitation(invitation('a'), null))).toEqual(['b', 'a']);
      expect((await store().findInvitation('a', null))?.facts_json).toBe('{}');
      expect(ids(await store().invitationsOfThread('t-m1', { address: MIA, threadId: null }, 10))).toHaveLength(3);
      expect(await store().invitationsOfThread('t-m1', { address: ZOE, threadId: null }, 10)).toEqual([]);
      expect(await store().findInvitation('a', { address: ZOE, threadId: null })).toBeUndefined();
      expect((await store().newestInvitation('u1', ''))?.id).toBe('b');
      expect(await store().newestInvitation('u1', '2026-11-21')).toBeUndefined();
    });

    it('are changed by nobody but their organiser, an owner and whoever sent them', async () => {
      const from = async (id: string, from_address: string, tier: 'member' | 'owner' = 'member') => {
        const mail = { ...plan(id), message: message(id, `t-${id}`, { run_id: `r-${id}`, from_address, tier }) };
        await arrive(store(), arrival(id), mail);
        return { message: id, thread_id: `t-${id}` };
      };
      const first = invitation('first', { ...(await from('m1', 'service@calendars.example')), organizer: ZOE });
      const guest = invitation('guest', { ...(await from('m2', MIA)), organizer: ZOE, sequence: 9 });
      const again = { ...(await from('m3', 'service@calendars.example')), organizer: ZOE, sequence: 1 };
      const organiser = { ...(await from('m4', ZOE)), organizer: ZOE, sequence: 2 };
      const owner = { ...(await from('m5', 'olga@owner.example', 'owner')), organizer: ZOE, sequence: 3 };
      await store().keepInvitations([
        ...[first, guest, invitation('again', again), invitation('organiser', organiser), invitation('owner', owner)],
      ]);
      const states = await store().statesOfInvitation(first, null);
      expect(states.map(({ id }) => id)).toEqual(['owner', 'organiser', 'again', 'first']);
      expect((await store().newestInvitation('u1', ''))?.id).toBe('organiser');
    });

    it('have the last answer of each attendee, in whatever order they come', async () => {
      await store().keepInvitationAnswer(answer());
      await store().keepInvitationAnswer(answer({ attendee: MIA, partstat: 'tentative' }));
      await store().keepInvitationAnswer(answer({ partstat: 'declined', answered_at: NOON + 1 }));
      await store().keepInvitationAnswer(answer({ partstat: 'tentative', answered_at: NOON - 1 }));
      const answers = await store().answersToInvitation('u1', '');
      expect(answers.map(({ attendee, partstat }) => [attendee, partstat])).toEqual([
        [MIA, 'tentative'],
        [ZOE, 'declined'],
      ]);
    });
  });
};
