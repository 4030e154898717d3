import { describe, expect, it } from 'vitest';
import { FencedError } from '../../../engine/storage/ports/runs.ts';
import { DRAFT_WATCH } from '../../../engine/storage/types/drafts.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, attempted, eachWithAStore, finish, leased, MIA, message, NOON, outgoing, ZOE } from '../world.ts';

export const outboxPromises = (engine: StorageEngine): void => {
  describe('the outbox', () => {
    const store = eachWithAStore(engine);
    const notice = (id: string, purpose: string) =>
      store().queueNotice('job', outgoing(id, { run_id: '', purpose, kind: 'notice' }));
    const claimFor = (instance: string, now = NOON, limit = 8) =>
      store().claimOutbox({ instance, deadHolders: 'all others', now, leaseMs: 1000, limit });

    it('holds one mail per run, purpose and ordinal, whoever tries again', async () => {
      await Promise.all(['n1', 'n2'].map((id) => notice(id, 'notice:budget:2026-11-21')));
      await notice('n3', 'notice:budget:2026-11-22');
      expect((await store().listOutbox({ limit: 10 })).map(({ id }) => id)).toEqual(['n3', 'n1']);
      expect((await store().outboxRecipients(['n1', 'n2'])).map(({ outbox_id }) => outbox_id)).toEqual(['n1', 'n1']);
    });

    it('gives the beginnings of mails, and what has not left by its mailbox', async () => {
      await store().queueNotice('job', outgoing('n1', { run_id: '', purpose: 'one', mailbox: 'support' }));
      await notice('n2', 'two');
      const heads = await store().outboxHeads(['n1', 'none'], 4);
      const source = await store().outboxRaw('n1');
      expect(heads.map(({ id, head }) => [id, Buffer.from(head)])).toEqual([
        ['n1', Buffer.from(source?.raw ?? []).subarray(0, 4)],
      ]);
      expect(await store().outboxHeads([], 4)).toEqual([]);
      expect((await store().unsentOutbox()).map(({ id, mailbox }) => [id, mailbox])).toEqual([
        ['n1', 'support'],
        ['n2', null],
      ]);
      await claimFor('one');
      await store().settleOutbox('n1', attempted('sent'));
      expect((await store().unsentOutbox()).map(({ id, state }) => [id, state])).toEqual([['n2', 'sending']]);
    });

    it('gives each mail to one worker, and says of a dead worker’s that nobody knows', async () => {
      await notice('n1', 'one');
      const first = await Promise.all([claimFor('one'), claimFor('one')]);
      expect(first.flat()).toMatchObject([
        { id: 'n1', crashed: false, recipients: [{ state: 'queued' }, { state: 'queued' }] },
      ]);
      expect(await claimFor('two')).toMatchObject([{ crashed: true }]);
      await store().settleOutbox('n1', attempted('sent'));
      expect(await claimFor('two', NOON + 1e9)).toEqual([]);
    });

    it('gives the longest due first, when they are due, and no more than was asked for', async () => {
      const due = (id: string, at: number) =>
        store().queueNotice('job', outgoing(id, { run_id: '', purpose: id, next_attempt_at: at }));
      await due('late', NOON + 3);
      await due('first', NOON + 1);
      await due('second', NOON + 2);
      expect((await claimFor('one', NOON + 2, 1)).map(({ id }) => id)).toEqual(['first']);
      expect((await claimFor('one', NOON + 2)).map(({ id }) => id)).toEqual(['second']);
    });

    it('lets only notices out where only those are asked for', async () => {
      await store().queueNotice('job', outgoing('reply'));
      await notice('n1', 'one');
      const claimed = await store().claimOutbox({ instance: 'a', now: NOON, leaseMs: 1, limit: 9, onlyNotices: true });
      expect(claimed.map(({ id }) => id)).toEqual(['n1']);
    });

    it('keeps a mail in doubt in doubt while it is looked after', async () => {
      await notice('n1', 'one');
      await claimFor('one');
      await store().settleOutbox('n1', attempted('unknown', { unknownSince: NOON }));
      expect(await claimFor('one', NOON + 1)).toMatchObject([{ state: 'unknown', crashed: false }]);
    });

    it('is changed by hand only where there is something to change', async () => {
      await notice('n1', 'one');
      const change = (to: 'retry' | 'drop') => store().changeOutbox({ id: 'n1', change: to, now: NOON });
      expect(await change('drop')).toBe('changed');
      expect(await claimFor('one', NOON + 1e9)).toEqual([]);
      expect(await change('drop')).toBe('wrong_state');
      expect(await change('retry')).toBe('changed');
      expect(await claimFor('one')).toMatchObject([{ id: 'n1', attempts: 0 }]);
      expect(await change('retry')).toBe('wrong_state');
      await store().settleOutbox('n1', attempted('sent'));
      expect(await change('drop')).toBe('wrong_state');
      expect(await change('retry')).toBe('wrong_state');
    });

    it('tries at once what waits for another try, as often as it was tried, one or all of it', async () => {
      const later = async (id: string) => {
        await notice(id, id);
        const [mail] = await claimFor('one');
        const lease = mail?.leased_by ?? null;
        await store().settleOutbox(id, attempted('queued', { attempts: 7, nextAttemptAt: NOON + 3_600_000, lease }));
      };
      for (const id of ['n1', 'n2', 'n3']) await later(id);
      expect(await claimFor('one')).toEqual([]);
      expect(await store().changeOutbox({ id: 'n2', change: 'retry', now: NOON })).toBe('changed');
      expect(await claimFor('one')).toMatchObject([{ id: 'n2', attempts: 7 }]);
      // One that is under way is left alone.
      expect(await store().hurryOutbox(NOON)).toBe(2);
      expect((await claimFor('one')).map(({ id }) => id)).toEqual(['n1', 'n3']);
    });

    const drafted = async (lookAt: number) => {
      await accept(store(), 'a');
      await finish(store(), await leased(store()), outgoing('d1', { mode: 'draft', thread_id: 't-a' }));
      const [mail] = await claimFor('one');
      const watch = { id: DRAFT_WATCH, kind: DRAFT_WATCH, due_at: lookAt, payload: '{}' };
      const draft = { patch: { folder: 'Drafts', uidvalidity: '7', uid: 1, appended_at: NOON, look_at: lookAt } };
      await store().settleOutbox('d1', attempted('draft', { lease: mail?.leased_by ?? null, draft }), [watch]);
    };
    const watchDue = async () =>
      (await store().dueJobs(NOON + 1e12, 9)).find(({ kind }) => kind === DRAFT_WATCH)?.due_at ?? null;

    it('keeps what lies in Drafts out of its thread until it was sent, and then says what was', async () => {
      await drafted(NOON + 60_000);
      expect(await store().threadMessages('t-a', 9)).toHaveLength(1);
      expect(await store().draftsOfThread('t-a')).toEqual([{ sender: MIA, tier: 'member' }]);
      const counted = { sent: 0, edited: 0, deleted: 0, open: 0 };
      expect((await store().trust()).drafts).toEqual({ ...counted, open: 1 });
      expect(await store().getDraft('d1')).toMatchObject({ uid: 1, edited: false, message: { id: 'd1' } });
      const sent = message('d1', 't-a', { direction: 'out', duplicate_key: null, message_id: '<other@x>', to: [ZOE] });
      const draft = {
        patch: { look_at: null, sent_message_id: '<other@x>', edited: true },
        sent: { message: { ...sent, text: 'as it was sent' }, viewers: [ZOE] },
      };
      await store().settleOutbox('d1', attempted('sent', { draft }));
      await expect(store().settleOutbox('d1', attempted('sent', { draft }))).rejects.toThrow(FencedError);
      const messages = await store().threadMessages('t-a', 9);
      expect(messages.map(({ text }) => text)).toEqual(['as it was sent', 'the text of a']);
      expect(await store().draftsOfThread('t-a')).toEqual([]);
      expect(await store().outboxByMessageId('<other@x>')).toMatchObject({ id: 'd1', state: 'sent' });
      expect((await store().trust()).drafts).toEqual({ ...counted, edited: 1 });
    });

    it('looks for drafts when the next of them is due, as long as there is one', async () => {
      await drafted(NOON + 60_000);
      expect(await store().dueDrafts(NOON + 59_999, 9)).toEqual([]);
      expect(await store().dueDrafts(NOON + 60_000, 9)).toMatchObject([{ outbox_id: 'd1', state: 'draft', uid: 1 }]);
      await store().noteDraft('d1', { look_at: NOON + 300_000 });
      await store().planDraftLooks();
      expect(await watchDue()).toBe(NOON + 300_000);
      const soon = { patch: { look_at: NOON + 90_000 } };
      await store().settleOutbox('d1', attempted('deleted', { draft: soon }));
      expect((await store().trust()).drafts).toMatchObject({ deleted: 1, open: 0 });
      expect(await watchDue()).toBe(NOON + 90_000);
      await store().noteDraft('d1', { look_at: null });
      await store().planDraftLooks();
      expect(await watchDue()).toBeNull();
    });

    it('puts a deleted draft back when an owner asks for it, and never drops one that lies there', async () => {
      await drafted(NOON + 60_000);
      const change = (kind: 'retry' | 'drop') => store().changeOutbox({ id: 'd1', change: kind, now: NOON });
      expect([await change('drop'), await change('retry')]).toEqual(['wrong_state', 'wrong_state']);
      await store().settleOutbox('d1', attempted('deleted', { draft: { patch: { look_at: NOON } } }));
      expect(await change('retry')).toBe('changed');
      expect(await store().dueDrafts(NOON + 1e9, 9)).toEqual([]);
      expect(await claimFor('one')).toMatchObject([{ id: 'd1', mode: 'draft' }]);
    });

    it('has what follows an answer wait for that answer, and gives it as soon as that has left', async () => {
      const about = { in_reply_to: '<asked@member.example>' };
      for (const purpose of ['final', 'follow_up'])
        await store().queueNotice('job', outgoing(purpose, { purpose, ...about }));
      const ids = async (now: number) => (await claimFor('one', now)).map(({ id }) => id);
      expect(await ids(NOON)).toEqual(['final']);
      await store().settleOutbox('final', attempted('queued', { nextAttemptAt: NOON + 3_600_000 }));
      expect(await ids(NOON + 1000)).toEqual([]);
      expect(await ids(NOON + 3_600_000)).toEqual(['final']);
      await store().settleOutbox('final', attempted('sent'));
      expect(await ids(NOON)).toEqual(['follow_up']);
    });

    it('doubts what had not left, in a copy that may be old', async () => {
      for (const id of ['n1', 'n2', 'n3']) await notice(id, id);
      const claimed = await claimFor('one', NOON, 2);
      await store().settleOutbox(String(claimed[0]?.id), attempted('sent'));
      expect(await store().doubtUnsent(NOON)).toBe(2);
      const states = (await store().listOutbox({ limit: 9 })).map(({ state }) => state).sort();
      expect(states).toEqual(['sent', 'unknown', 'unknown']);
      expect(await store().doubtUnsent(NOON)).toBe(0);
    });

    it('names what left because of a mail', async () => {
      await accept(store(), 'a');
      await store().queueNotice('job', outgoing('o1'));
      await store().queueNotice('job', outgoing('o2', { run_id: '', in_reply_to: '<a@x.example>' }));
      await store().queueNotice('job', outgoing('o3', { run_id: '', purpose: 'other' }));
      expect((await store().outboxOfMail('<a@x.example>')).map(({ id }) => id)).toEqual(['o1', 'o2']);
    });
  });
};
