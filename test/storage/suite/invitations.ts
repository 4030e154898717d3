import { describe, expect, it } from 'vitest';
import type { InvitationAnswer, StoredInvitation } from '../../../engine/storage/ports/invitations.ts';
import type { StorageEngine } from '../engine.ts';
import { arrival, arrive, eachWithAStore, MIA, NOON, plan, ZOE } from '../world.ts';

const invitation = (id: string, change: Partial<StoredInvitation> = {}): StoredInvitation => ({
  ...{ id, uid: 'u1', recurrence_id: '', thread_id: 't-m1', message: 'm1', attachment: 'att_1' },
  ...{ organizer: MIA, sequence: 0, stamped_at: NOON, facts_json: '{}', ...change },
});
const answer = (change: Partial<InvitationAnswer> = {}): InvitationAnswer => ({
  ...{ uid: 'u1', recurrence_id: '', attendee: ZOE, partstat: 'accepted', sequence: 0 },
  ...{ answered_at: NOON, comment: '', ...change },
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
