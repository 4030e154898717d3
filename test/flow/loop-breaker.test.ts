import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Carried,
  headerOf,
  type Mailbox,
  type PostOffice,
  startPostOffice,
  withoutMarks,
} from '../../scripts/lib/soak/loops/post-office.ts';
import { type Letter, plainMail } from '../../scripts/lib/soak/loops/robots.ts';
import { look } from '../../scripts/lib/soak/rows.ts';
import { submit } from '../../scripts/lib/soak/submit.ts';
import { eventually } from './eventually.ts';
import { launchGateway, type Program } from './gateway.ts';
import { openPersonaDb, type PersonaDb } from './persona-db.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const HOME = 'agents.localhost';
const OWNER = 'owner@owners.example';
const PERSONAS = ['ada', 'ben', 'cem', 'dora', 'eli', 'fay', 'gus'] as const;

let post: PostOffice;
let workspace: TestWorkspace;
let gateway: Program;

/** A sender hears of it once an hour; at five past, the test stays in one. */
const HOUR = new Date().toISOString().slice(0, 13);
const start = (minute: number) =>
  launchGateway(workspace.root, {
    NODE_ENV: 'test',
    EPISTLE_TEST_NOW: `${HOUR}:${String(minute).padStart(2, '0')}:00Z`,
  }).ready;

beforeAll(async () => {
  post = await startPostOffice();
  const smtp = { host: '127.0.0.1', port: post.port, tls: 'none', user: 'out', auth: 'none', secret_env: 'UNUSED' };
  workspace = makeWorkspace({
    'configs/gateway.json': { domain: HOME, smtp_listener: { port: 0 }, mailboxes: [{ id: 'out', smtp }] },
    'configs/security.json': { owners: [OWNER], loop_guard: { max_fast_replies: 3, fast_reply_s: 600 } },
    ...Object.fromEntries(
      PERSONAS.map((name) => [
        `personas/${name}/persona.json`,
        { name, address: `${name}@${HOME}`, owners: [OWNER], access: { allow: ['*@*.example'] } },
      ]),
    ),
  });
  gateway = await start(5);
  const secret = readFileSync(join(workspace.root, 'data/submission.secret'), 'utf8').trim();
  // What comes in over this has lost all that says a program wrote it.
  post.serve(HOME, async (mail) => {
    const raw = Buffer.from(withoutMarks(mail.raw), 'latin1');
    const taken = await submit({ port: gateway.ready.smtp.port, secret }, { from: mail.from, to: [mail.to], raw });
    if (taken.kind !== 'acknowledged') throw new Error(`the gateway said: ${JSON.stringify(taken)}`);
  });
}, 60_000);
afterAll(async () => {
  await gateway?.kill();
  await post?.stop();
  workspace?.remove();
});

const sentBy = (persona: string, kind: string): readonly Carried[] =>
  post.taken.filter(({ from, raw }) => from === `${persona}@${HOME}` && headerOf(raw, 'X-Epistle-Kind') === kind);
const seen = (persona: string) =>
  look(join(workspace.root, 'data/gateway.db'), (database) =>
    database
      .prepare<[string], { message_id: string; decision: string; code: string | null }>(
        "select message_id, decision, code from seen where persona_id = ? and direction = 'in' order by id",
      )
      .all(persona),
  );

/** Answers whatever comes to `domain` at once, as `answer` writes it; what it has posted. */
function robot(persona: string, domain: string, answer: (mail: Carried, count: number) => Partial<Letter>) {
  const posted: string[] = [];
  const write = (letter: Partial<Letter>) => {
    const messageId = `<${posted.length}-${persona}@${domain}>`;
    posted.push(messageId);
    post.post(
      plainMail({
        from: `robot@${domain}`,
        to: `${persona}@${HOME}`,
        subject: 'A question',
        messageId,
        text: 'What do you say?',
        ...letter,
      }),
    );
  };
  const mailbox: Mailbox = (mail) => write(answer(mail, posted.length));
  post.serve(domain, mailbox);
  return { posted, begin: () => write({}) };
}

const isBusy = (db: PersonaDb): boolean =>
  db.outbox().some(({ state }) => state !== 'sent') ||
  db.runs().some(({ ended_at }) => ended_at === null) ||
  [...db.jobs('slowed_down'), ...db.jobs('notice')].length > 0;

/** When the gateway has taken in all that the robot has posted, and nothing more is to leave, which it would answer. */
const settled = (persona: string, posted: readonly string[]) =>
  eventually(
    () => {
      const rows = seen(persona);
      const isAllIn = posted.length > 4 && rows.length === posted.length;
      if (!isAllIn || sentBy(persona, 'notice').length === 0) return null;
      const db = openPersonaDb(workspace.root, persona);
      try {
        return isBusy(db) ? null : rows;
      } finally {
        db.close();
      }
    },
    (rows) => rows !== null,
    120_000,
  );

/** No two are alike. */
const WORDS = [
  'Monday suits me',
  'then rather nothing',
  'ask Jana about paint',
  'see below',
  'blue it is',
  'why though',
];

describe('a program that answers each answer at once is stopped after four', () => {
  const away = (count: number) => `Thank you for your mail. I am away and read it later. (${count})`;

  it('where it names no mail', async () => {
    const { posted, begin } = robot('ada', 'forgetful.example', (_, count) => ({ text: away(count) }));
    begin();
    const rows = await settled('ada', posted);
    expect(sentBy('ada', 'reply')).toHaveLength(4);
    // The fifth, and what it has answered to the one note that told of that.
    expect(rows?.slice(-2)).toMatchObject(Array(2).fill({ decision: 'recorded', code: 'loop_limit' }));
    const [note, ...more] = sentBy('ada', 'wait');
    expect([headerOf(note?.raw ?? '', 'To'), more]).toEqual(['robot@forgetful.example', []]);
    expect(sentBy('ada', 'notice').map(({ to }) => to)).toEqual([OWNER]);
  });

  it('where a relay has given our mails other ids', async () => {
    const { posted, begin } = robot('ben', 'ses.example', (_, count) => ({
      subject: 'Re: A question',
      text: away(count),
      inReplyTo: `<relay-${count}@ses.example>`,
      references: `<relay-${count}@ses.example>`,
    }));
    begin();
    await settled('ben', posted);
    expect(sentBy('ben', 'reply')).toHaveLength(4);
    expect(sentBy('ben', 'notice')).toHaveLength(1);
  });

  it('where it takes a new address for each mail, and as many are told as a crowd would be', async () => {
    const { posted, begin } = robot('cem', 'tickets.example', (_, count) => ({
      from: `case-${count}@h${count}.tickets.example`,
      subject: `[Case #${count}] A question`,
      text: `Your case ${count} was opened and will be looked at.`,
    }));
    for (let host = 1; host < 80; host += 1) {
      post.serve(`h${host}.tickets.example`, (mail) => post.post({ ...mail, to: 'robot@tickets.example' }));
    }
    begin();
    await settled('cem', posted);
    expect(sentBy('cem', 'reply')).toHaveLength(4);
    expect(sentBy('cem', 'wait').length).toBeLessThanOrEqual(60);
    expect(sentBy('cem', 'notice')).toHaveLength(1);
  }, 120_000);

  it('where only its words tell, with a counter and a date among them', async () => {
    const names = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((one) => [...'abcd'].map((two) => `${one}${two}`));
    const { posted, begin } = robot('dora', 'crm.example', (_, count) => ({
      from: `${names[count]}@${names[count]}-crm.example`,
      text: `We have received your message number ${count} on ${new Date().toUTCString()} and will get back to you.`,
    }));
    for (const name of names) {
      post.serve(`${name}-crm.example`, (mail) => post.post({ ...mail, to: 'robot@crm.example' }));
    }
    begin();
    await settled('dora', posted);
    expect(sentBy('dora', 'reply')).toHaveLength(4);
    expect(sentBy('dora', 'notice')).toHaveLength(1);
  }, 120_000);
});

describe('fifty people who answer one subject within seconds', () => {
  const crowd = (persona: string, textOf: (at: number) => string) =>
    Array.from({ length: 50 }, (_, at) =>
      plainMail({
        from: `guest${at}@member${at % 7}.example`,
        to: `${persona}@${HOME}`,
        subject: 'Re: Summer party',
        text: textOf(at),
        messageId: `<guest-${at}-${persona}@member.example>`,
      }),
    );
  const heard = (persona: string) =>
    new Set([...sentBy(persona, 'reply'), ...sentBy(persona, 'wait')].map(({ to }) => to)).size;

  it('are all answered where each has words of their own', async () => {
    const things = ['cake', 'salad', 'chairs', 'music', 'nothing', 'friends', 'bread'];
    for (const mail of crowd(
      'fay',
      (at) => `I bring ${things[at % 7]} and ${things[(at * 3 + 1) % 5]}, ${'x'.repeat(at + 1)}.`,
    ))
      post.post(mail);
    await eventually(
      () => sentBy('fay', 'reply').length,
      (count) => count === 50,
    );
    expect(sentBy('fay', 'wait')).toEqual([]);
  }, 120_000);

  it('are all answered or told where they say the same', async () => {
    for (const mail of crowd('gus', (at) => `Yes, you can count on me, I am number ${at}.`)) post.post(mail);
    await eventually(
      () => heard('gus'),
      (count) => count === 50,
    );
    expect(sentBy('gus', 'notice').length).toBeLessThanOrEqual(1);
  }, 120_000);
});

describe('a proven sender who answers each answer at once, in other words each time', () => {
  it('waits, and is told so once', async () => {
    const { posted, begin } = robot('eli', 'person.example', (mail, count) => ({
      subject: headerOf(mail.raw, 'Subject') ?? '',
      text: WORDS[count] ?? 'no more',
      inReplyTo: headerOf(mail.raw, 'Message-ID'),
      references: headerOf(mail.raw, 'References') ?? '',
    }));
    begin();
    const rows = await eventually(
      () => seen('eli'),
      (found) => found.length === 6,
    );
    expect(posted).toHaveLength(6);
    expect(rows.map(({ code }) => code)).toEqual([null, null, null, null, 'slowed_down', 'slowed_down']);
    expect(sentBy('eli', 'reply')).toHaveLength(4);
    expect(sentBy('eli', 'notice')).toEqual([]);
    const [note, ...more] = sentBy('eli', 'wait');
    expect(more).toEqual([]);
    const text = (note?.raw ?? '').replaceAll('=\r\n', '').split('\r\n\r\n')[2];
    expect(text).toMatch(/I will answer this one in about a quarter of an hour\.$/);
  });

  it('is answered after that, also where the gateway was killed meanwhile', async () => {
    await gateway.kill();
    gateway = await start(25);
    await eventually(
      () => sentBy('eli', 'reply').length,
      (count) => count >= 6,
    );
    expect(sentBy('eli', 'reply').map(({ raw }) => headerOf(raw, 'In-Reply-To'))).toContain('<4-eli@person.example>');
  });
});
