import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import { decide, decideByAddressee, decideBySender, type MailDecision, TABLE } from '../../../engine/intake/decide.ts';
import type { Facts, NoticeFacts } from '../../../engine/intake/facts.ts';
import type { ParsedMail } from '../../../engine/mail/mime/types.ts';
import type { ArrivalRows, FoundThread } from '../../../engine/storage/ports/mail.ts';
import type { Tier } from '../../../engine/storage/types/mail.ts';
import { readPage, tableUnder } from '../../docs/markdown.ts';
import { parsedFrom } from '../mail/fixtures.ts';
import { asTier, letter, mailFacts, NO_ROWS, NOON, rowFacts, thread } from './facts.ts';

const persona = { ...personaSchema.parse({ name: 'Ada', address: 'ada@agents.localhost' }), id: 'ada', owners: [] };
const plain = await parsedFrom({ headers: [['From', 'mia@member.example']] });
const answering: ParsedMail = { ...plain, inReplyTo: ['<ours@agents.localhost>'] };
const limited = { ...persona, budget: { ...persona.budget, runs_per_sender_per_hour: 5 } };

const facts = (change: Partial<Facts> = {}): Facts => ({
  ...mailFacts({ persona, mail: plain }),
  ...rowFacts(),
  ...change,
});
const arrival = (change: Partial<ArrivalRows>) => ({ arrival: { ...NO_ROWS, ...change } });
const UNLISTED = { verdict: 'unlisted', byDefault: 'deny' } as const;
const TOO_DEEP = { ok: false, code: 'mime_limit', message: 'too deep' } as const;
const TOKEN = { token: 'ab'.repeat(16), carrier: 'subject' } as const;

type Approval = NoticeFacts['items'][number];
const held = (change: Partial<Approval> = {}): Approval => ({
  id: 'a1',
  run_id: 'r1',
  thread_id: 't1',
  call_id: 'c1',
  kind: 'call',
  tool: 'send_email',
  arguments_json: '{}',
  arguments_hash: '',
  fingerprint: '',
  basis: null,
  attached: [],
  origins: [],
  likeness: null,
  teaches: null,
  offered_at: null,
  risk: 'create',
  preview: null,
  state: 'pending',
  number: 1,
  notice_id: 'n1',
  expires_at: NOON + 1,
  decided_by: null,
  decided_at: null,
  reason: null,
  created_at: 0,
  updated_at: 0,
  ...change,
});
const done = {
  id: 'u1',
  run_id: 'r1',
  call_id: 'c1',
  tool: 'delete_file',
  state: 'open',
  number: 1,
  notice_id: 'n1',
  until: NOON + 1,
  created_at: 0,
  updated_at: 0,
} as unknown as NoticeFacts['undo'][number];
const stranger: NoticeFacts['senders'][number] = {
  notice_id: 'n1',
  number: 1,
  persona_id: 'ada',
  sender: 'bob@out.test',
  code: 'sender_not_allowed',
  mails: 1,
  subject: 'Offer',
  asked_at: 0,
  until: NOON + 1,
  verdict: null,
  decided_by: null,
  decided_at: null,
  answer_id: null,
};
const asked: NonNullable<NoticeFacts['tools']> = {
  notice_id: 'n1',
  persona_id: 'ada',
  server: 'wiki',
  offer: '[]',
  offer_sha256: '',
  asked_at: 0,
  until: NOON + 1,
  verdict: null,
  decided_by: null,
  decided_at: null,
  answer_id: null,
};
const notice = (change: Partial<NoticeFacts> = {}, typed = ''): { notice: NoticeFacts; mayAnswer: boolean } => ({
  mayAnswer: true,
  notice: {
    notice: {
      id: 'n1',
      token_sha256: '',
      message_id: '<n@agents.localhost>',
      created_at: 0,
      reminded_at: null,
      again_json: null,
    },
    items: [held()],
    undo: [],
    again: null,
    senders: [],
    tools: null,
    isAnswered: false,
    said: { typed, language: null, doubt: null },
    ...change,
  },
});

/** One case for each row of the table, in its order. Each later one would match no earlier row. */
const CASES: readonly (readonly [string, Partial<Facts>])[] = [
  ['mail of this kind is never answered', { silence: 'bulk' }],
  [
    'only proof is missing, and DNS may still bring it',
    { admission: { verdict: 'refuse', code: 'auth_failed' }, proof: { mayCome: true, since: null } },
  ],
  [
    'a proven owner says STOP or RESUME, with a signature that was used before',
    { command: 'stop', isCommandUsed: true },
  ],
  ['a proven owner says STOP or RESUME', { command: 'stop' }],
  [
    'it has the subject of an automatic answer, and answers ours within minutes',
    { automatic: { namesOurs: true }, mail: { ...plain, subject: 'Automatic reply: Plan' } },
  ],
  ['its address or its subject names a notice to owners that there is not', { token: TOKEN, notice: null }],
  ['it answers a notice, and its sender is no proven owner', { ...notice(), mayAnswer: false }],
  ['this very mail answered the notice before', notice({ isAnswered: true })],
  [
    'it answers a notice, and nothing proves it but a signature that was used before and made no message',
    { ...notice({}, 'approve'), ...arrival({ isSpent: true }) },
  ],
  ['it takes back what a notice says was done', notice({ items: [], undo: [done] }, 'undo')],
  [
    'it asks to do once more what a notice says was not done',
    notice({ items: [], again: { items: [{ run: 'r1' }], until: NOON + 1 } }, 'again'),
  ],
  [
    'it answers a mail about senders who were refused, or is to be asked back about it',
    notice({ items: [], senders: [stranger] }, 'block'),
  ],
  [
    'it answers a mail about tools of a server that have changed, or is to be asked back about it',
    notice({ items: [], tools: asked }, 'yes'),
  ],
  ['it answers what owners were asked, or is to be asked back about it', notice({}, 'approve')],
  ['it is a sign under a mail, as programs send it, and no letter', { mail: { ...plain, reaction: true } }],
  [
    'it lies in a mailbox, and has more attachments than are read',
    { unreadable: { ok: false, code: 'too_many_attachments', message: 'too many' } },
  ],
  ['it cannot be read, and nobody let its sender in by name', { unreadable: TOO_DEEP, admission: UNLISTED }],
  ['it cannot be read', { unreadable: TOO_DEEP }],
  [
    'a rule denies its sender, nothing proves them, or no rule names them and it answers no mail',
    { admission: UNLISTED },
  ],
  [
    'it was taken in before: the same Message-ID, sender and Date, or the same signature',
    arrival({ duplicate: { id: 'm1', thread_id: 't1', run_id: 'r1' } }),
  ],
  ['it has the Message-ID of a mail that the persona has sent', arrival({ sameId: { id: 'm1', isOurs: true } })],
  ['no rule names its sender, and no owner put them on the thread', { admission: UNLISTED, mail: answering }],
  [
    'a person answers in its thread, or an owner says with its first line that they do from now on',
    arrival({ threads: [thread({ taken_by: 'olga@example.com', taken_at: NOON })] }),
  ],
  ['a persona of this gateway wrote it, and it has gone between them as often as it may', { recursion: -1 }],
  [
    'its sender has had the runs of an hour, and is not proven or would wait for days',
    { ...arrival({ slotAt: NOON + 49 * 3_600_000 }), persona: limited },
  ],
  [
    'its sender, its thread or this gateway has had the answers of an hour, or the same comes back too fast',
    arrival({ senderRuns: 120 }),
  ],
  ['its sender is proven and has had the runs of an hour', { ...arrival({ slotAt: NOON + 1000 }), persona: limited }],
  [
    'its sender is proven, and answers of theirs, in other words each, come back too fast',
    arrival({ alike: [letter({ in_row: 3 })] }),
  ],
  ['anything else', {}],
];

const decided = (given: Facts): MailDecision => decideBySender(given) ?? decide(given);
const rowOf = (when: string) => TABLE.find((row) => row.when === when);

describe('the table of what becomes of a mail', () => {
  it('is the one of docs/decisions.md: the same rows with the same codes, in the same order', () => {
    const page = tableUnder(readPage('docs/decisions.md'), 'What becomes of a mail').map(
      ([when = '', , codes = '']) => ({
        when,
        codes: codes === 'none' ? [null] : [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => code),
      }),
    );
    expect(page).toEqual(TABLE.map(({ when, codes }) => ({ when, codes: [...codes] })));
  });

  it('is reached in each of its rows', () => {
    const rows = TABLE.map(({ when }) => when);
    expect(rows.slice(-CASES.length)).toEqual(CASES.map(([when]) => when));
    for (const [when, given] of CASES)
      expect([when, rowOf(when)?.codes]).toEqual([when, expect.arrayContaining([decided(facts(given)).code])]);
  });

  it('asks first what does not depend on who wrote the mail', () => {
    const error = { unreadable: null, entry: { state: 'error' }, isHandedIn: true } as const;
    const tooMany = { ok: false, code: 'too_many_attachments', message: 'too many' } as const;
    expect(decideByAddressee({ ...error, unreadable: tooMany })).toMatchObject({ do: 'refuse', code: tooMany.code });
    expect(
      decideByAddressee({ ...error, entry: { state: 'ready' }, unreadable: tooMany, isHandedIn: false }),
    ).toBeNull();
    expect(decideByAddressee(error)).toMatchObject({ do: 'defer', code: 'persona_error' });
    expect(decideByAddressee({ unreadable: TOO_DEEP, entry: { state: 'ready' }, isHandedIn: true })).toBeNull();
  });

  it('lets an earlier row win over every later one that is true as well', () => {
    for (const [index, [when, earlier]] of CASES.entries()) {
      for (const [, later] of CASES.slice(index + 1)) {
        const { mail, arrival: rows, admission, persona: who, ...rest } = { ...later };
        const both = facts({ ...rest, ...earlier });
        expect([when, rowOf(when)?.codes]).toEqual([when, expect.arrayContaining([decided(both).code])]);
      }
    }
  });

  it('joins no thread, whoever writes, that is found only by what both name and has nothing to do with the sender', () => {
    const joined = (change: Partial<FoundThread>, tier: Tier) => {
      const decision = decided(facts({ ...arrival({ threads: [thread(change)] }), admission: asTier(tier) }));
      return decision.do === 'run' && decision.thread !== null;
    };
    for (const tier of ['owner', 'member', 'known', 'stranger', 'unauthenticated'] as const)
      expect([tier, joined({ by: 'ancestor', role: null }, tier)]).toEqual([tier, false]);
    for (const tier of ['owner', 'member'] as const)
      expect([tier, joined({ by: 'ancestor', role: null, named: true }, tier)]).toEqual([tier, true]);
    expect(joined({ by: 'ancestor', role: 'sender' }, 'stranger')).toBe(true);
    expect(joined({ by: 'ancestor', role: 'sender' }, 'unauthenticated')).toBe(false);
  });

  it('has exactly one answer for any facts, and gives the same one again', () => {
    const optional = <T>(value: T) => fc.constantFrom(null, value);
    const tiers: readonly Tier[] = ['owner', 'member', 'known', 'stranger', 'unauthenticated'];
    const any = fc.record({
      mail: fc.constantFrom(plain, answering, { ...plain, reaction: true }),
      besideCommand: optional('and more'),
      silence: optional('bulk' as const),
      automatic: optional({ namesOurs: true }),
      command: optional('resume' as const),
      token: optional(TOKEN),
      unreadable: optional(TOO_DEEP),
      mayAnswer: fc.boolean(),
      isCommandUsed: fc.boolean(),
      proof: fc.record({ mayCome: fc.boolean(), since: fc.constant(null) }),
      admission: fc.constantFrom(
        ...tiers.map(asTier),
        UNLISTED,
        { verdict: 'unlisted', byDefault: 'allow' } as const,
        { verdict: 'refuse', code: 'auth_failed' } as const,
        { verdict: 'refuse', code: 'sender_denied' } as const,
      ),
      notice: fc.constantFrom(
        null,
        notice().notice,
        notice({}, 'approve').notice,
        notice({ said: { typed: 'approve', language: null, doubt: { why: 'beside', detail: 'not yet' } } }).notice,
        notice({ items: [], undo: [done] }, 'undo').notice,
        notice({ items: [held({ kind: 'answer' })] }).notice,
        notice({ items: [held({ state: 'approved' })] }).notice,
        notice({ isAnswered: true }).notice,
      ),
      arrival: fc.record({
        duplicate: fc.constantFrom(undefined, { id: 'm1', thread_id: 't1', run_id: null }),
        isSpent: fc.boolean(),
        sameId: fc.constantFrom(undefined, { id: 'm1', isOurs: false }),
        threads: fc.constantFrom(
          [],
          [thread()],
          [thread({ role: 'known' })],
          [thread({ role: null })],
          [thread({ role: null, named: true })],
        ),
        senderRuns: fc.nat({ max: 200 }),
        slotAt: fc.constantFrom(null, 1, Number.MAX_SAFE_INTEGER),
        threadRuns: fc.nat({ max: 60 }),
        alike: fc.array(
          fc.record({
            seq: fc.nat(),
            run_id: fc.constant(null),
            thread_id: fc.constantFrom(null, 't1'),
            state: fc.constantFrom('answered', 'later', 'stopped'),
            for_words: fc.constantFrom(0, 1),
            in_row: fc.nat({ max: 20 }),
            pace: fc.nat({ max: 20 }),
            told: fc.nat({ max: 70 }),
            until: fc.constantFrom(null, NOON - 1, NOON + 1),
            at: fc.constantFrom(NOON, NOON - 3_600_000),
            replied_at: fc.constantFrom(null, NOON),
            own: fc.boolean(),
            near: fc.boolean(),
            sameSubject: fc.boolean(),
            fresh: fc.boolean(),
          }),
          { maxLength: 4 },
        ),
      }),
      answersOfAll: fc.constantFrom(0, 1_000_000),
    });
    fc.assert(
      fc.property(any, (given) => {
        const known = facts(given);
        const first = decided(known);
        expect(decided(known)).toEqual(first);
        expect(TABLE.some(({ codes }) => codes.includes(first.code))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('an admitted mail', () => {
  it.each<[string, Tier, Partial<FoundThread>, boolean]>([
    ['its own thread', 'member', {}, true],
    ['a thread that an owner put it on', 'known', { role: 'known' }, true],
    ['another’s thread', 'member', { role: null }, false],
    ['a mail of another’s thread that named it', 'member', { role: null, named: true }, true],
    ['a mail that named it', 'stranger', { role: null, named: true }, false],
    ['a mail that named it on a thread where it is not known', 'known', { role: 'sender', named: true }, false],
    ['a mail that named it without proof of who it is', 'unauthenticated', { role: null, named: true }, false],
    ['another’s thread as an owner', 'owner', { role: null }, true],
    ['its own thread without proof of who it is', 'unauthenticated', {}, false],
  ])('that answers %s (%s) joins it or begins its own', (_what, tier, change, joins) => {
    const given = { admission: asTier(tier), ...arrival({ threads: [thread(change)] }) };
    expect(decide(facts(given))).toMatchObject({ do: 'run', tier, thread: joins ? { id: 't1' } : null });
  });

  it('joins the thread of the mail that named it, not a nearer one that did not', () => {
    const threads = [thread({ role: null }), thread({ id: 't2', role: null, named: true })];
    expect(decide(facts(arrival({ threads })))).toMatchObject({ thread: { id: 't2' } });
  });

  it('joins the nearest thread in which its sender takes part', () => {
    const threads = [thread({ role: null }), thread({ id: 't2' }), thread({ id: 't3' })];
    expect(decide(facts(arrival({ threads })))).toMatchObject({ thread: { id: 't2' } });
  });
});

describe('a mail with the subject of an automatic answer', () => {
  const decided = (subject: string, change: Partial<Facts> = {}) => {
    const { do: done, code } = decide(
      facts({ mail: { ...answering, subject }, automatic: { namesOurs: true }, ...change }),
    );
    return [done, code];
  };
  const repliedAt = (ago: number | null, subject = 'Plan') =>
    arrival({ threads: [thread({ subject, last_reply_at: ago === null ? null : NOON - ago })] });
  const SILENT = ['stay_silent', 'auto_submitted'];
  const MINUTE_MS = 60_000;

  it('is a program’s within minutes of our answer, or where our answer is on no record', () => {
    expect(decided('Automatic reply: Plan', repliedAt(MINUTE_MS))).toEqual(SILENT);
    expect(decided('Out of office', repliedAt(14 * MINUTE_MS))).toEqual(SILENT);
    expect(decided('Automatic reply: Plan')).toEqual(SILENT);
    expect(decided('Automatic reply: Plan', { admission: asTier('owner') })).toEqual(SILENT);
    expect(decided('Automatic reply: Plan', notice({}, 'approve'))).toEqual(SILENT);
  });

  it('is a person’s later, about something else, where we never answered, or in a mail that answers none of ours', () => {
    expect(decided('Automatic reply: Plan', repliedAt(16 * MINUTE_MS))).toEqual(['run', null]);
    expect(decided('Automatic reply: write one', repliedAt(MINUTE_MS))).toEqual(['run', null]);
    expect(decided('Automatic reply: Plan', repliedAt(null))).toEqual(['run', null]);
    expect(decided('Automatic reply: Plan', { automatic: { namesOurs: false } })).toEqual(['run', null]);
  });

  it('of somebody who may not write here is refused', () => {
    expect(decided('Automatic reply: Plan', { admission: UNLISTED })).toEqual(['refuse', 'sender_not_allowed']);
  });
});

describe('a reaction', () => {
  const reaction = { mail: { ...plain, reaction: true } };

  it('starts no run, whoever it is from', () => {
    expect(decide(facts(reaction))).toEqual({ do: 'stay_silent', code: 'reaction' });
    expect(decide(facts({ ...reaction, admission: asTier('owner') }))).toEqual({ do: 'stay_silent', code: 'reaction' });
    expect(decide(facts({ ...reaction, admission: UNLISTED })).do).toBe('refuse');
  });

  it('to a question is asked back about, and no answer', () => {
    expect(decide(facts({ ...reaction, ...notice({}, '👍') })).do).toBe('act_on_answer');
  });
});

describe('a mail whose sender no rule names', () => {
  const unlisted = (threads: ArrivalRows['threads'], byDefault: 'allow' | 'deny' = 'deny') =>
    decide(facts({ admission: { verdict: 'unlisted', byDefault }, mail: answering, ...arrival({ threads }) }));

  it('is admitted as known where an owner put it on the thread', () => {
    expect(unlisted([thread({ role: 'known' })])).toMatchObject({ do: 'run', tier: 'known' });
  });

  it('joins the thread on which it is known, not a nearer one that it only wrote into once', () => {
    const threads = [thread({ role: 'sender' }), thread({ id: 't2', role: 'known' })];
    expect(unlisted(threads)).toMatchObject({ tier: 'known', thread: { id: 't2' } });
  });

  it.each([
    ['no thread', []],
    ['a thread of others', [thread({ role: null })]],
    ['a thread that it only wrote into', [thread({ role: 'sender' })]],
  ])('is refused with %s, or let in as a stranger where the default says so', (_what, threads) => {
    expect(unlisted(threads)).toEqual({ do: 'refuse', code: 'sender_not_allowed' });
    expect(unlisted(threads, 'allow')).toMatchObject({ do: 'run', tier: 'stranger' });
  });
});

describe('a sender with a limit of runs', () => {
  const limit = (most: number, slotAt: number | null, more: Partial<Facts> = {}) =>
    decide(
      facts({
        persona: { ...persona, budget: { ...persona.budget, runs_per_sender_per_hour: most } },
        ...arrival({ slotAt }),
        ...more,
      }),
    );

  it('waits for its turn beyond it, and hears of it', () => {
    expect(limit(5, NOON + 60_000)).toMatchObject({
      do: 'run',
      code: 'sender_rate_limited',
      count: { later: { until: NOON + 60_000, said: 'in_turn' } },
    });
    expect(limit(5, null)).toMatchObject({ do: 'run', code: null });
  });

  it('is not answered where it would wait for days, or where nothing is to be answered', () => {
    expect(limit(5, NOON + 49 * 3_600_000)).toMatchObject({ do: 'stop_loop', code: 'sender_rate_limited' });
    expect(limit(0, null)).toMatchObject({ do: 'stop_loop', code: 'sender_rate_limited' });
  });
});
