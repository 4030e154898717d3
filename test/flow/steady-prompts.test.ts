import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { templateFiles } from '../../engine/cli/commands/set-up/templates.ts';
import { type Random, seededRandom } from '../../scripts/lib/soak/random.ts';
import type { HeardRequest } from '../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { SIZE } from '../size.ts';
import { type Office, OWNER, openOffice } from './governance-rig.ts';
import { onceRecorded } from './record.ts';
import { taskFile } from './task-rig.ts';
import { tokensIn } from './tokens.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

const SEED = Number(process.env.EPISTLE_TEST_SEED ?? 20261130);
/** 500 mails to ten personas at full size. */
const MAILS = 25 * SIZE;
const PERSONAS = Array.from({ length: Math.max(2, Math.floor(SIZE / 2)) }, (_, n) => `p${n}`);
const DAYS = SIZE < 20 ? 2 : 8;
const FIRST_DAY = Date.parse('2026-11-30T09:30:00Z');
const DAY_MS = 86_400_000;
const MEMBERS = ['mia@member.example', 'bob@member.example'];
const CARL = 'carl@outside.example';
/** As a vendor counts them: what is cached grows by so many tokens. */
const CACHED_BY = 128;

const fileOf = (path: string): string => templateFiles().find(({ file }) => file === path)?.text ?? '';
const shipped = (name: string): object => {
  const { $schema: _, ...settings } = JSON.parse(fileOf(`configs/${name}.json`));
  return settings;
};

interface Asked {
  readonly tools: unknown;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}
const bodyOf = ({ body }: HeardRequest): Asked => body as Asked;
const systemOf = ({ messages }: Asked): string => JSON.stringify(messages.filter(({ role }) => role === 'system'));
const prefixOf = (asked: Asked): string => `${JSON.stringify(asked.tools ?? [])}${systemOf(asked)}`;
const wordsOf = ({ messages }: Asked): string => JSON.stringify(messages.filter(({ role }) => role !== 'system'));

async function openShops() {
  const model = await startFakeModel('openai', ({ view }) => ({
    text: view.turn === 0 ? 'Thank you, that is noted, and the workshop has it.' : 'It is as you say, and it stays so.',
  }));
  open.closing.push(() => model.stop());
  const personas = PERSONAS.map((id) => [
    [
      `personas/${id}/persona.json`,
      { name: `Ada ${id}`, address: `${id}@agents.localhost`, access: { allow: ['*@member.example'] } },
    ],
    [`personas/${id}/PERSONA.md`, `You are Ada of shop ${id}.\n${fileOf('personas/ada/PERSONA.md')}`],
    [`personas/${id}/tasks/daily.md`, taskFile('0 9 * * *', 'Say what is open.')],
  ]);
  const office = await openOffice(
    {
      'configs/security.json': {
        owners: [OWNER],
        loop_guard: { fast_reply_s: 0, max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0 },
      },
      'configs/system.json': { ...shipped('system'), log: { level: 'warn', format: 'json' } },
      'configs/inference.json': { ...shipped('inference'), provider: 'steady', model: 'm' },
      'configs/prompts/system.md': fileOf('configs/prompts/system.md'),
      'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
      ...STEADY,
      ...Object.fromEntries(personas.flat()),
    },
    clockOn(0),
  );
  open.closing.push(() => office.close());
  return { office, model };
}

const clockOn = (day: number) => ({
  NODE_ENV: 'test',
  EPISTLE_TEST_NOW: new Date(FIRST_DAY + day * DAY_MS).toISOString(),
});

/** Waits until whatever was begun has ended or waits for somebody. */
const ended = (office: Office) =>
  onceRecorded(office.root, () => {
    const folder = join(office.root, 'data/personas');
    for (const id of readdirSync(folder)) {
      const database = new SQLite(join(folder, id, 'persona.db'), { readonly: true });
      try {
        const sql = "select count(*) from runs where status in ('queued', 'running')";
        expect(Number(database.prepare<[], number>(sql).pluck().get())).toBe(0);
      } finally {
        database.close();
      }
    }
  });

/** What people write, each with words for which some tool is there. */
const KINDS: readonly ((n: number) => { text: string; attachments?: { filename: string; content: string }[] })[] = [
  (n) => ({ text: `Could you tell me whether the oak for house ${n} has come?` }),
  () => ({ text: 'Thank you, that helps. See you there.' }),
  (n) => ({ text: `12 boards at 4,50 and ${n} at 7: what is that together?` }),
  () => ({ text: 'Our prices:\n\n| Wood | EUR |\n| --- | --- |\n| Oak | 40 |\n| Ash | 31 |\n\nWhich is dearest?' }),
  () => ({ text: 'Please invite Bob to a meeting on Thursday at ten.' }),
  () => ({ text: '请帮我约好星期四的会议。' }),
  () => ({
    text: 'Here are the hours.',
    attachments: [{ filename: 'hours.csv', content: 'day,hours\nMon,7\nTue,8\n' }],
  }),
  () => ({
    text: 'As attached.',
    attachments: [{ filename: 'note.txt', content: 'The key lies with the neighbour.\n' }],
  }),
  () => ({
    text: 'Can you come?',
    attachments: [
      {
        filename: 'invite.ics',
        content:
          'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:u1\r\nDTSTAMP:20261130T080000Z\r\nDTSTART:20261203T100000Z\r\nDTEND:20261203T110000Z\r\nORGANIZER:mailto:mia@member.example\r\nSUMMARY:Site\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
      },
    ],
  }),
  () => ({ text: 'Please write down that the yard is closed on Friday, and remind me on Thursday.' }),
];

interface Thread {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly ids: string[];
}

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random.next() * items.length)] as Item;

/** The nth mail: of somebody to some persona, in a thread of theirs or a new one, at times of somebody outside whom an owner has put on it. */
function mailOf(n: number, random: Random, threads: Thread[]) {
  const to = pick(random, PERSONAS);
  const from = pick(random, [OWNER, OWNER, ...MEMBERS]);
  const own = threads.filter((one) => one.to === to && one.from === from);
  const isNew = own.length === 0 || random.chance(0.4);
  const thread: Thread = isNew ? { to, from, subject: `Matter ${n}`, ids: [] } : pick(random, own);
  if (isNew) threads.push(thread);
  const withCarl = from === OWNER && random.chance(0.25);
  const before = thread.ids.at(-1);
  const id = `<m${n}@office.example>`;
  thread.ids.push(id);
  const { text, attachments } = pick(random, KINDS)(n);
  return {
    thread,
    mail: {
      from,
      to: `${to}@agents.localhost`,
      subject: `${isNew ? '' : 'Re: '}${thread.subject}`,
      text: `${text} #${n}#`,
      messageId: id,
      ...(withCarl ? { cc: [CARL] } : {}),
      ...(attachments ? { attachments } : {}),
      ...(before === undefined ? {} : { inReplyTo: before, references: [...thread.ids.slice(0, -1)] }),
    },
    answeredBy: withCarl ? CARL : null,
  };
}

/** What was asked for one mail: who wrote it, and the first request of its run. */
interface Seen {
  readonly key: string;
  readonly thread: string | null;
  readonly isPlain: boolean;
  readonly asked: Asked;
  readonly mark: string | null;
}

/** Until the end of the words of its mail: what a next mail of the thread is to begin with. */
function untilItsMail({ asked, mark }: Seen): string {
  const words = wordsOf(asked);
  return mark === null ? '' : words.slice(0, words.lastIndexOf(mark) + mark.length);
}

type About = Omit<Seen, 'asked'>;
const OF_A_TASK = { thread: null, mark: null, isPlain: false } as const;

/** Keeps of each run what it was asked first, under whoever it was for. */
function collector(model: FakeModel) {
  const seen: Seen[] = [];
  const heard = { count: 0 };
  const take = (of: About) => {
    const fresh = model.requests.slice(heard.count);
    heard.count = model.requests.length;
    for (const request of fresh) {
      const shop = /You are Ada of shop (p\d+)/.exec(request.view.system)?.[1];
      if (request.view.results.length > 0 || shop === undefined) continue;
      const isOf = of.mark !== null && request.view.lastUser.includes(of.mark);
      const about: About = isOf ? of : { ...OF_A_TASK, key: `${shop} task` };
      seen.push({ ...about, asked: bodyOf(request) });
    }
  };
  return { seen, take };
}

/** How many have the prefix of the one before of their persona and tier, and begin as the one before of their thread did. */
function comparedIn(seen: readonly Seen[]) {
  const counted = { all: 0, same: 0, differing: [] as string[] };
  const before = new Map<string, Seen>();
  const inThread = new Map<string, Seen>();
  for (const one of seen) {
    const [last, above] = [before.get(one.key), inThread.get(one.thread ?? '')];
    before.set(one.key, one);
    if (one.thread !== null) inThread.set(one.thread, one);
    if (last === undefined) continue;
    counted.all += 1;
    const differs = [
      ...(prefixOf(last.asked) === prefixOf(one.asked) ? [] : ['prefix']),
      ...(above === undefined || wordsOf(one.asked).startsWith(untilItsMail(above)) ? [] : ['thread']),
    ];
    if (differs.length === 0) counted.same += 1;
    else counted.differing.push([one.key, one.mark ?? '', ...differs].join(' '));
  }
  return counted;
}

const dayOfMail = (n: number): number => Math.floor((n * DAYS) / MAILS);

async function writeMails(office: Office, { take }: Pick<ReturnType<typeof collector>, 'take'>): Promise<void> {
  const random = seededRandom(SEED);
  const threads: Thread[] = [];
  for (let n = 0; n < MAILS; n += 1) {
    if (n > 0 && dayOfMail(n) !== dayOfMail(n - 1)) {
      await office.restart(clockOn(dayOfMail(n)));
      await ended(office);
      take({ ...OF_A_TASK, key: '' });
    }
    const { mail, thread, answeredBy } = mailOf(n, random, threads);
    await office.post(mail);
    await ended(office);
    const tier = mail.from === OWNER ? 'owner' : 'member';
    const about = { key: `${thread.to} ${tier}`, thread: thread.ids[0] ?? '', isPlain: !('attachments' in mail) };
    take({ ...about, mark: `#${n}#` });
    if (answeredBy === null) continue;
    const mark = `#${n}by#`;
    const { messageId: before } = mail;
    const their = { from: answeredBy, cc: [OWNER], messageId: `<by${n}@outside.example>`, text: `I agree. ${mark}` };
    await office.post({ ...mail, ...their, inReplyTo: before, references: [before] });
    await ended(office);
    take({ key: `${thread.to} known`, thread: null, isPlain: false, mark });
  }
}

/** What a vendor is sent before all messages, and that o200k takes so many of these bytes for one token. */
const BYTES_PER_TOKEN = 4.18;
const prefixTokens = ({ asked }: Seen): number => Math.round(Buffer.byteLength(prefixOf(asked)) / BYTES_PER_TOKEN);
const lastBlock = ({ asked }: Seen): number => tokensIn(String(asked.messages.at(-1)?.content ?? ''));

it('tools, system and earlier blocks are the same bytes from mail to mail, and small', async () => {
  const { office, model } = await openShops();
  const { seen, take } = collector(model);
  await writeMails(office, { take });
  const { all, same, differing } = comparedIn(seen);
  const plain = seen.filter(({ isPlain, asked }) => isPlain && asked.messages.length === 2).map(lastBlock);
  const prefixes = seen.map(prefixTokens);
  const thread = await threadOfThirty(office, model);
  const figures = {
    seed: SEED,
    mails: seen.length,
    same: same / all,
    differing: differing.slice(0, 12),
    tools_and_system: { least: Math.min(...prefixes), most: Math.max(...prefixes) },
    plain_mail: { median: medianOf(plain), most: Math.max(...plain) },
    thread,
  };
  process.stderr.write(`${JSON.stringify(figures)}\n`);
  expect(all).toBeGreaterThan(MAILS / 2);
  expect(figures.same).toBeGreaterThanOrEqual(0.99);
  expect(figures.tools_and_system.most).toBeLessThanOrEqual(HELD.prefix);
  expect(figures.plain_mail.median).toBeLessThanOrEqual(700);
  expect(thread.uncached).toBeLessThanOrEqual(800);
  expect(thread.tokens).toBeLessThanOrEqual(HELD.thread);
}, 3_600_000);

/** Tools and system of an owner's mail with all that a new workspace has on, and all that the last request says of thirty mails. */
const HELD = { prefix: 3_000, thread: 2_500 };

const medianOf = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

const TWENTY = 'Thank you for that; please keep the bench as it was drawn and tell the painter to wait until Monday';

/** 30 mails of twenty words in one thread: what is new to a vendor in the median, and all that the last request says of them. */
async function threadOfThirty(office: Office, model: FakeModel): Promise<{ uncached: number; tokens: number }> {
  const ids: string[] = [];
  const uncached: number[] = [];
  const earlier: string[] = [];
  const last = { tokens: 0 };
  for (let n = 0; n < 30; n += 1) {
    const id = `<t${n}@member.example>`;
    await office.post({
      from: 'mia@member.example',
      to: 'p0@agents.localhost',
      subject: `${n === 0 ? '' : 'Re: '}Bench`,
      text: `${TWENTY} (${n}).`,
      messageId: id,
      ...(n === 0 ? {} : { inReplyTo: ids.at(-1) ?? '', references: [...ids] }),
    });
    ids.push(id);
    await ended(office);
    const asked = model.requests.findLast(({ view }) => view.lastUser.includes(`(${n}).`));
    if (asked === undefined) throw new Error(`mail ${n} was not asked about`);
    const body = bodyOf(asked);
    const text = `${prefixOf(body)}${wordsOf(body)}`;
    const shared = Math.max(0, ...earlier.map((one) => commonLength(one, text)));
    earlier.push(text);
    uncached.push(tokensIn(text) - Math.floor(tokensIn(text.slice(0, shared)) / CACHED_BY) * CACHED_BY);
    last.tokens = body.messages.slice(1).reduce((sum, { content }) => sum + tokensIn(String(content ?? '')), 0);
  }
  return { uncached: medianOf(uncached), tokens: last.tokens };
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}
