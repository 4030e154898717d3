import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import type { OutboxRecipient } from '../../../engine/storage/types/outbox.ts';
import type { StorageEngine } from '../engine.ts';

export const bouncePromises = (engine: StorageEngine): void => {
  const NOON = Date.parse('2026-11-21T12:00:00Z');
  const MIA = 'mia@member.example';
  const ZOE = 'zoe@member.example';
  const ID = '<n1@out.example>';

  let store: Store;
  beforeEach(async () => {
    store = await engine.openStore();
    await store.queueNotice('job', {
      row: {
        id: 'n1',
        run_id: '',
        purpose: 'final',
        ordinal: 0,
        message_id: ID,
        kind: 'reply',
        envelope_from: 'ada@agents.localhost',
        raw: Buffer.from('bytes'),
        state: 'queued',
        next_attempt_at: NOON,
        created_at: NOON,
        updated_at: NOON,
      },
      recipients: [MIA, ZOE],
    });
  });
  afterEach(() => store.close());

  type State = OutboxRecipient['state'];
  const settle = (state: 'queued' | 'sent' | 'unknown', mia: State, zoe: State) =>
    store.settleOutbox('n1', {
      state,
      attempts: 1,
      nextAttemptAt: NOON + 60_000,
      unknownSince: null,
      lastError: null,
      now: NOON,
      recipients: [
        { address: MIA, state: mia, smtp: null },
        { address: ZOE, state: zoe, smtp: null },
      ],
    });
  const bounce = (...failed: string[]) =>
    store.recordBounce({
      messageId: ID,
      failed: failed.map((address) => ({ address, smtp: 'bounced 5.1.1' })),
      now: NOON,
      kept: { raw_sha256: 'a'.repeat(64), code: 'bounce', message_id: '<b@x.example>', bytes: 1, at: NOON },
      notices: (id) => [{ id: `n:${id}`, kind: 'notice', due_at: NOON, payload: '{}' }],
    });
  const stateNow = async () => {
    const recipients = await store.outboxRecipients(['n1']);
    return [(await store.getOutbox('n1'))?.state, ...recipients.map(({ state }) => state)];
  };
  const claim = () => store.claimOutbox({ instance: 'me', now: NOON + 60_000, leaseMs: 1000, limit: 8 });

  it('is known to be ours by each id that it was given, and by nothing that stands in other mail', async () => {
    const theirs = '<0102019a-4e1f-6b3c-8d2e-000000@relay.example>';
    const are = (...ids: string[]) => store.areSentByUs(ids, [ID]);
    expect(await are(ID)).toBe(true);
    expect(await are(theirs)).toBe(false);
    await store.settleOutbox('n1', {
      state: 'sent',
      attempts: 1,
      nextAttemptAt: NOON,
      unknownSince: null,
      lastError: null,
      now: NOON,
      recipients: [
        { address: MIA, state: 'sent', smtp: '250 Ok 0102019a-4e1f-6b3c-8d2e-000000' },
        { address: ZOE, state: 'sent', smtp: '250 2.0.0 Ok: queued as 983E525A6B3' },
      ],
    });
    expect([await are(theirs), await are(ID, theirs), await are(ID, '<a@evil.example>')]).toEqual([true, true, false]);
    expect(await store.areSentByUs([theirs], ['<another@out.example>'])).toBe(false);
    // A queue id stands in the header of the mail that it belongs to.
    expect(await are('<983E525A6B3@evil.example>')).toBe(false);
    await store.learnMessageId(ID, '<copy@server.example>');
    expect(await are('<copy@server.example>')).toBe(true);
  });

  describe('L1: a bounce about one recipient', () => {
    it('ends nothing for another who is still to get the mail', async () => {
      await settle('queued', 'sent', 'queued');
      await bounce(MIA);
      expect(await stateNow()).toEqual(['queued', 'failed', 'queued']);
      expect(await claim()).toMatchObject([{ id: 'n1', recipients: [{ state: 'failed' }, { state: 'queued' }] }]);
    });

    it('ends nothing for one whom our server has not taken it for yet, whoever claims it', async () => {
      await settle('queued', 'queued', 'queued');
      await bounce(MIA, ZOE);
      expect(await stateNow()).toEqual(['queued', 'queued', 'queued']);
      expect(await store.dueJobs(NOON, 9)).toEqual([]);
    });

    it('leaves a mail in doubt alone while it is in doubt about somebody else', async () => {
      await settle('unknown', 'unknown', 'unknown');
      await bounce(MIA);
      expect(await stateNow()).toEqual(['unknown', 'failed', 'unknown']);
      await bounce(ZOE);
      expect(await stateNow()).toEqual(['failed', 'failed', 'failed']);
    });

    it('makes a mail failed when nobody is left to try, and says so once', async () => {
      await settle('sent', 'sent', 'sent');
      await bounce(MIA);
      expect(await stateNow()).toEqual(['failed', 'failed', 'sent']);
      expect((await store.dueJobs(NOON, 9)).map(({ id }) => id)).toEqual(['n:n1']);
      await store.endJob('n:n1');
      await bounce(MIA);
      expect(await store.dueJobs(NOON, 9)).toEqual([]);
    });

    it('stays known when an attempt for the others ends that began before it came', async () => {
      await settle('queued', 'sent', 'queued');
      await claim();
      await bounce(MIA);
      await settle('sent', 'sent', 'sent');
      expect(await stateNow()).toEqual(['failed', 'failed', 'sent']);
    });

    it('says nothing of a mail that is not ours, or of somebody to whom it did not go', async () => {
      await settle('sent', 'sent', 'sent');
      const failed = [{ address: MIA, smtp: '' }];
      expect(await store.isNewBounce({ messageId: ID, failed })).toBe(true);
      expect(await store.isNewBounce({ messageId: '<other@out.example>', failed })).toBe(false);
      expect(await store.isNewBounce({ messageId: ID, failed: [{ address: 'eve@evil.example', smtp: '' }] })).toBe(
        false,
      );
    });
  });
};
