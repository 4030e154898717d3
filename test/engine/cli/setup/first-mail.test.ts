import { describe, expect, it } from 'vitest';
import { type Became, furthest, mailCode, tellingsOf } from '../../../../engine/cli/commands/setup/first-mail.ts';
import type { ReceivedShape } from '../../../../engine/queries/mail/received.ts';

const WATCHED = { owner: 'You@Example.com', code: 'K7PX' };

const received = (more: Partial<ReceivedShape>): ReceivedShape => ({
  id: '1',
  message_id: '<a@x>',
  persona: 'ada',
  recipient: 'ada@x',
  from: 'you@example.com',
  subject: 'Hello',
  decision: 'accepted',
  code: null,
  tier: 'owner',
  detail: null,
  received_at: '',
  mailbox: 'main',
  thread_id: null,
  run_id: null,
  cure: null,
  ...more,
});

type Sent = Parameters<typeof tellingsOf>[1][number];
const reply = (more: Partial<Sent>): Sent => ({
  id: 'o',
  persona: 'ada',
  run_id: 'r',
  message_id: '<b@x>',
  in_reply_to: '<a@x>',
  kind: 'reply',
  attempts: 1,
  state: 'sent',
  next_attempt_at: null,
  last_error: null,
  subject: 'Hello',
  created_at: '',
  from: null,
  to: [{ address: 'you@example.com', state: 'sent', smtp: '250 ok' }],
  ...more,
});

const lines = (mails: readonly ReceivedShape[], outbox: readonly Sent[] = []) =>
  tellingsOf(mails, outbox, WATCHED).map(({ became, line }) => [became, line]);

describe('what the wizard shows of the first mail', () => {
  it('is that it came, and that it was answered', () => {
    expect(lines([received({})])).toEqual([
      ['arrived', 'The mail "Hello" of you@example.com has come and is being answered.'],
    ]);
    expect(lines([received({})], [reply({})]).at(-1)).toEqual(['answered', 'It was answered.']);
    expect(lines([received({})], [reply({ state: 'queued' })])).toHaveLength(1);
    expect(lines([received({})], [reply({ in_reply_to: '<other@x>' })])).toHaveLength(1);
  });

  const refused = { decision: 'refused', code: 'auth_failed', detail: 'no verdict', cure: 'name the border' };

  it('is why it was refused, with what cures that', () => {
    const notLetIn = { ...refused, code: 'sender_not_allowed', detail: 'not allowed', cure: 'let them in' };
    expect(lines([received({ ...notLetIn, subject: 'Hello K7PX' })])).toEqual([
      ['refused', 'The mail "Hello K7PX" of you@example.com came and was not taken: not allowed.\nLet them in.'],
    ]);
  });

  it('leaves the cure of an unproven one to the question that may follow', () => {
    expect(lines([received({ ...refused, subject: 'Hello K7PX' })])).toEqual([
      ['refused', 'The mail "Hello K7PX" of you@example.com came and was not taken: no verdict.'],
    ]);
  });

  it('is no cure for a mail without the code: anybody may write your address into it', () => {
    expect(lines([received(refused)])).toEqual([
      [
        'refused',
        'A mail "Hello" that says it is from you@example.com came and was not taken: it has no K7PX in its subject.',
      ],
    ]);
  });

  it('ends with the answer, also where mail of others was refused after it', () => {
    const all = lines([received({}), received({ ...refused, id: '2', message_id: '<forged@x>' })], [reply({})]);
    expect(all.map(([became]) => became)).toEqual(['arrived', 'answered', 'refused']);
    expect(all.map(([became]) => became as Became).reduce(furthest, 'none')).toBe('answered');
  });

  it('is nothing of what lay in the mailbox before', () => {
    expect(lines([received({ ...refused, code: 'before_first_connect' })])).toEqual([]);
  });

  it('is a refusal of a mail with the code from an address that setup was not told', () => {
    const from = { from: 'me@private.example', subject: 'Re: k7px hello', decision: 'refused', detail: 'not allowed' };
    expect(lines([received(from)])[0]?.[0]).toBe('refused');
  });

  it('is nothing of the mail of others', () => {
    expect(lines([received({ from: 'mallory@example.net', subject: 'K7P X' })])).toEqual([]);
  });

  it('is an answer that no server took', () => {
    const failed = reply({
      state: 'failed',
      to: [{ address: 'you@example.com', state: 'failed', smtp: '550 no such user' }],
    });
    expect(lines([received({})], [failed]).at(-1)).toEqual([
      'unsent',
      'Its answer could not be sent: 550 no such user. `epistle doctor` says what is wrong.',
    ]);
  });
});

describe('the code', () => {
  it('is made of letters that nobody takes for others', () => {
    for (let n = 0; n < 100; n += 1) expect(mailCode()).toMatch(/^[A-HJKMNP-Z2-9]{4}$/);
  });
});
