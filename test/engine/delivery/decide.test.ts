import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DeliveryTimes,
  decideUnknown,
  RESEND_AFTER_MS,
  RESENT,
  settle,
  withoutMailbox,
} from '../../../engine/delivery/decide.ts';
import type { MailOutcome } from '../../../engine/delivery/smtp-transport.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const TIMES: DeliveryTimes = { firstRetryMs: 30_000, maxRetryMs: 3_600_000, giveUpMs: 48 * 3_600_000 };
type State = MailOutcome['recipients'][number]['state'];

const queued = (...addresses: string[]) =>
  addresses.map((address) => ({ address, state: 'queued' as const, smtp: null }));
const outcome = (states: Record<string, State>, kind: MailOutcome['kind'] = 'delivered'): MailOutcome => ({
  kind,
  smtp: 'the server said so',
  serverMessageId: null,
  recipients: Object.entries(states).map(([address, state]) => ({ address, state, smtp: `${state} it is` })),
});
const mail = (change: object = {}) => ({ attempts: 0, tryingSince: NOON, recipients: queued('a@x', 'b@x'), ...change });

describe('an attempt to deliver', () => {
  it('that every recipient got is over', () => {
    expect(settle(mail(), outcome({ 'a@x': 'sent', 'b@x': 'sent' }), TIMES, NOON, 0)).toMatchObject({
      state: 'sent',
      attempts: 1,
      lastError: null,
    });
  });

  it('that one recipient may get later is tried again for that one alone', () => {
    const first = settle(mail(), outcome({ 'a@x': 'sent', 'b@x': 'retry' }), TIMES, NOON, 0.5);
    expect(first).toMatchObject({ state: 'queued', nextAttemptAt: NOON + 22_500, lastError: 'the server said so' });
    const second = settle(mail(first), outcome({ 'b@x': 'sent' }), TIMES, NOON, 0);
    expect(second.recipients.map(({ state }) => state)).toEqual(['sent', 'sent']);
    expect(second.state).toBe('sent');
  });

  it('that one recipient will never get has failed, and the others have it', () => {
    const settled = settle(mail(), outcome({ 'a@x': 'sent', 'b@x': 'failed' }), TIMES, NOON, 0);
    expect(settled.state).toBe('failed');
    expect(settled.recipients.map(({ state }) => state)).toEqual(['sent', 'failed']);
  });

  it('of which nobody knows whether it arrived is looked for before it is sent again', () => {
    const settled = settle(mail(), outcome({ 'a@x': 'unknown', 'b@x': 'retry' }), TIMES, NOON, 0);
    expect(settled).toMatchObject({ state: 'unknown', unknownSince: NOON, nextAttemptAt: NOON + 60_000 });
  });

  it('is given up after give_up_hours', () => {
    const late = NOON + TIMES.giveUpMs;
    expect(settle(mail(), outcome({ 'a@x': 'retry', 'b@x': 'retry' }), TIMES, late - 1, 0).state).toBe('queued');
    expect(settle(mail(), outcome({ 'a@x': 'retry', 'b@x': 'retry' }), TIMES, late, 0).state).toBe('failed');
  });

  it('that our password failed is not tried again at once: servers lock accounts', () => {
    const settled = settle(mail(), outcome({ 'a@x': 'retry', 'b@x': 'retry' }, 'auth'), TIMES, NOON, 0);
    expect(settled.nextAttemptAt).toBe(NOON + 300_000);
  });

  it('never takes back what a recipient already has, and never forgets one', () => {
    const before = fc.constantFrom('queued' as const, 'sent' as const, 'failed' as const);
    const after = fc.constantFrom<State>('sent', 'retry', 'failed', 'unknown');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(before, after), { minLength: 1, maxLength: 6 }),
        fc.nat({ max: 99 }),
        (pairs, attempts) => {
          const recipients = pairs.map(([state], n) => ({ address: `${n}@x`, state, smtp: null }));
          // Only those that are still open are tried.
          const tried = pairs.flatMap(([state, next], n) => (state === 'queued' ? [[`${n}@x`, next] as const] : []));
          const settled = settle(
            { attempts, tryingSince: NOON, recipients },
            outcome(Object.fromEntries(tried)),
            TIMES,
            NOON,
            0.3,
          );
          for (const [n, [state, next]] of pairs.entries()) {
            const now = settled.recipients[n]?.state;
            expect(now).toBe(state !== 'queued' ? state : next === 'retry' ? 'queued' : next);
          }
          const open = settled.recipients.some(({ state }) => state === 'queued' || state === 'unknown');
          expect(settled.state === 'queued' || settled.state === 'unknown').toBe(open);
          expect(settled.nextAttemptAt - NOON).toBeLessThanOrEqual(TIMES.maxRetryMs);
        },
      ),
    );
  });
});

describe('a mail that may or may not have left', () => {
  const unknown = {
    found: false,
    purpose: 'final',
    unknownSince: NOON,
    resentBefore: false,
    now: NOON,
  } as const;

  it.each([
    ['is settled by its trace', { found: true, now: NOON + RESEND_AFTER_MS }, 'found'],
    ['also after it was sent again', { found: true, resentBefore: true }, 'found'],
    ['is looked for again within ten minutes', { now: NOON + RESEND_AFTER_MS - 1 }, 'look_again'],
    ['is sent once more after ten minutes when it is an answer', { now: NOON + RESEND_AFTER_MS }, 'resend'],
    ['or a notice', { purpose: 'x', now: NOON + RESEND_AFTER_MS }, 'resend'],
    ['or a question to the owner', { purpose: 'approval:x', now: NOON + RESEND_AFTER_MS }, 'resend'],
    ['is never sent again when a tool sent it', { purpose: 'tool:x', now: NOON + RESEND_AFTER_MS }, 'give_up'],
    ['is sent again only once', { resentBefore: true, now: NOON + 2 * RESEND_AFTER_MS }, 'give_up'],
  ] as const)('%s', (_what, change, step) => {
    expect(decideUnknown({ ...unknown, ...change }).step).toBe(step);
  });

  it('is looked for at least once a minute and exactly at the end of the wait', () => {
    expect(decideUnknown(unknown)).toEqual({ step: 'look_again', at: NOON + 60_000 });
    const late = { ...unknown, now: NOON + RESEND_AFTER_MS - 10_000 };
    expect(decideUnknown(late)).toEqual({ step: 'look_again', at: NOON + RESEND_AFTER_MS });
  });
});

describe('a mail whose mailbox is configured no more', () => {
  const one = (state: 'queued' | 'sent' | 'unknown') => ({ outbox_id: 'm', address: `${state}@x`, state, smtp: null });
  const waiting = {
    state: 'queued' as const,
    crashed: false,
    attempts: 3,
    trying_since: NOON,
    created_at: NOON - 9,
    unknown_since: null,
    last_error: null,
    recipients: [one('queued'), one('sent')],
  };
  const left = (change: object, now = NOON + 1) => withoutMailbox({ ...waiting, ...change }, 'support', TIMES, now);
  const states = ({ recipients }: ReturnType<typeof left>) => recipients.map(({ state }) => state);

  it('waits for it, says so, and is given up when others are', () => {
    const settled = left({});
    expect(settled).toMatchObject({ state: 'queued', attempts: 4, nextAttemptAt: NOON + 30_001, unknownSince: null });
    expect(settled.lastError).toContain('"support"');
    expect(states(settled)).toEqual(['queued', 'sent']);
    expect(left({}, NOON + TIMES.giveUpMs - 1).state).toBe('queued');
    const over = left({}, NOON + TIMES.giveUpMs);
    expect([over.state, ...states(over)]).toEqual(['failed', 'failed', 'sent']);
  });

  it('stays in doubt where it was, and is never taken for one that has not left', () => {
    expect(left({ crashed: true })).toMatchObject({ state: 'unknown', unknownSince: NOON + 1 });
    expect(states(left({ crashed: true }))).toEqual(['unknown', 'sent']);
    const doubtful = { state: 'unknown', unknown_since: 7, recipients: [one('unknown')], last_error: RESENT };
    expect(left(doubtful)).toMatchObject({ state: 'unknown', unknownSince: 7, lastError: RESENT });
    const over = left(doubtful, NOON + TIMES.giveUpMs);
    expect([over.state, ...states(over)]).toEqual(['failed', 'unknown']);
  });
});
