import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { templateFiles } from '../../engine/cli/commands/set-up/templates.ts';
import { type HeardRequest, type Turn, writtenIn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { launchOffice, MEMBER, OWNER } from './governance-rig.ts';
import { onceRecorded } from './record.ts';
import { tokensIn } from './tokens.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

/** USD for a million tokens, as of a model of the middle class; what is cached costs a tenth. */
const PRICE = { input: 2.5, cache_read: 0.25, output: 10 };
/** What vendors cache begins at so many tokens, and grows by so many. */
const LEAST_CACHED = 1024;
const CACHED_BY = 128;

/** Counts the tokens of each request as a vendor does: what begins as an earlier request began is cached. */
function createCounter() {
  const earlier: string[] = [];
  return (body: unknown): { input: number; cached: number } => {
    const { tools = [], messages = [] } = body as { tools?: unknown; messages?: unknown };
    const text = `${JSON.stringify(tools)}${JSON.stringify(messages)}`;
    const shared = Math.max(0, ...earlier.map((one) => commonLength(one, text)));
    earlier.push(text);
    const begun = tokensIn(text.slice(0, shared));
    return {
      input: tokensIn(text),
      cached: begun < LEAST_CACHED ? 0 : Math.floor(begun / CACHED_BY) * CACHED_BY,
    };
  };
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

const ANSWER =
  'Thank you for your mail, which I have read to its end. I have looked at what you sent and at what we agreed before. The order is on its way, the price stays as it was, and the workshop confirms the date. If anything is missing, write to me and I will see to it today. The carpenter has your address and the number of the house, and he rings before he comes, at the latest on the evening before. What you say about the site I have passed on to him word for word, so that nobody has to ask you twice. The invoice follows when all is done and you have looked at it.';

/** A model that does what the six mails ask, keeps what it is told where it can, and reads a file for every third mail. */
function script(count: (body: unknown) => { input: number; cached: number }) {
  return (request: HeardRequest): Turn => {
    const { view } = request;
    const priced = (turn: Turn): Turn => ({
      ...turn,
      usage: { ...count(request.body), output: tokensIn(turn.text ?? JSON.stringify(turn.calls)) },
    });
    if (view.results.length > 0) return priced({ text: ANSWER });
    // What is recalled or remembered is nothing that is asked now.
    const mail = writtenIn(view.lastUser);
    const wanted = CALLS.find(({ when }) => mail.includes(when));
    if (wanted && view.tools.includes(wanted.name))
      return priced({ calls: [{ name: wanted.name, arguments: wanted.arguments }] });
    const isLooked = /number \d*[036] of the list/.test(mail) && view.tools.includes('list_files');
    return priced(isLooked ? { calls: [{ name: 'list_files', arguments: {} }] } : { text: ANSWER });
  };
}

const CALLS = [
  { when: 'save our opening hours', name: 'write_file', arguments: { path: 'hours.md', content: 'Nine to five.\n' } },
  {
    when: 'change the opening hours',
    name: 'edit_file',
    arguments: { path: 'hours.md', old_text: 'five', new_text: 'six' },
  },
  { when: 'find the mail about the staircase', name: 'search_mail', arguments: { query: 'staircase' } },
  { when: 'look at the page of the harbour', name: 'web_fetch', arguments: { url: 'https://harbour.invalid/' } },
  {
    when: 'tell carl@elsewhere.example',
    name: 'send_email',
    arguments: { to: ['carl@elsewhere.example'], subject: 'Thursday', body: 'Dear Carl, we come on Thursday.' },
  },
  { when: 'which files do we have', name: 'list_files', arguments: {} },
  {
    when: 'Remember that the side door',
    name: 'remember',
    arguments: { text: 'The side door is open until six', quote: 'Remember that the side door is open until six' },
  },
] as const;

const SIX = [
  'Please save our opening hours, nine to five, in hours.md.',
  'Please change the opening hours in hours.md to six.',
  'Please find the mail about the staircase.',
  'Please look at the page of the harbour, https://harbour.invalid/, and say what is new.',
  'Please tell carl@elsewhere.example that we come on Thursday.',
  'Please say which files do we have.',
];

const THINGS = ['oak staircase', 'kitchen table', 'garden bench', 'book shelf', 'window frame'];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

/** What people write besides. */
const BESIDES = [
  'The key for the site lies with the neighbour at number twelve, who is at home until noon on most days; ring twice, since the bell is quiet, and please bring it back in the evening so that the electrician finds it there as well.',
  'The wall behind it is not quite straight, which the last firm noticed too late, so somebody ought to measure again before anything is cut; the drawing shows the height at the left side alone, and at the right it is almost two centimetres more.',
  'My sister has seen the one in your show room and likes the darker oil better than the one that we chose at first, so I would be glad about a small sample of both, in daylight, before you order the whole quantity.',
  'Parking is difficult in our street before nine, as you know from last time; the van may stand in the yard if it is not higher than two metres forty, and I shall move our own car to the other side of the road.',
  'The bank wants to see one more offer before it pays the second part, which is a formality, they say; if you could send me the one from spring again, with the date on it, that would save me an afternoon of looking for it.',
  'We are away in the second half of the month, and my father waters the plants and could let you in; his number is on the sheet at the fridge, and he hears better when you speak slowly and a little louder than usual.',
  'The old screws have to stay, since they are older than the house itself and the office for monuments has asked about them twice; whoever takes them out should count them, put them in a bag and write the room on it.',
  'It rained into the hall again on Sunday, so the boards near the door are damp, and I do not dare to put anything on them; perhaps your man could look at the gutter while he is up there, and tell us what he thinks.',
];

/** The nth of a workshop's mails: threads of four, about things that come again in others, of an owner and two members. */
function letter(n: number) {
  const thread = Math.floor(n / 4);
  const thing = THINGS[thread % THINGS.length] ?? '';
  const day = DAYS[(thread + n) % DAYS.length] ?? '';
  const from = [OWNER, MEMBER, 'bob@member.example'][thread % 3] ?? MEMBER;
  const texts = [
    `Hello Ada,\n\nwe talked about the ${thing} for house ${thread + 1}. Could you tell me what it costs in oak, and whether ${day} is still the day on which the carpenter comes? It is number ${n} of the list.\n\nBest wishes`,
    `Thank you. Then let us keep ${day}. The ${thing} has to be ready before the painters begin, and somebody should be at home for the delivery. It is number ${n} of the list.`,
    `One more question about the ${thing}: does the price hold if we take two of them, and can the old one be taken away on ${day}? It is number ${n} of the list.`,
    n % 28 === 27
      ? 'Remember that the side door is open until six, please.'
      : `Good. Please note that the invoice for the ${thing} goes to the office and not to the house. It is number ${n} of the list.`,
  ];
  return {
    from,
    subject: `${n % 4 === 0 ? '' : 'Re: '}${thing} for house ${thread + 1}`,
    text: `${texts[n % 4]}\n\n${BESIDES[(n * 5 + thread) % BESIDES.length]}`,
    messageId: `<n${n}@office.example>`,
    ...(n % 4 === 0 ? {} : { inReplyTo: `<n${n - 1}@office.example>`, references: [`<n${n - 1}@office.example>`] }),
  };
}

const fileOf = (path: string): string => templateFiles().find(({ file }) => file === path)?.text ?? '';
const shipped = (name: string): object => {
  const { $schema: _, ...settings } = JSON.parse(fileOf(`configs/${name}.json`));
  return settings;
};

interface Settings {
  readonly system?: object;
  readonly inference?: object;
  readonly persona?: object;
}

async function openShop({ system = {}, inference = {}, persona = {} }: Settings, isPriced = true) {
  const model = await startFakeModel('openai', script(createCounter()));
  open.closing.push(() => model.stop());
  const office = await launchOffice({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0, own_words: 'count' },
      loop_guard: { fast_reply_s: 0, max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0 },
    },
    'configs/system.json': { ...system, log: { level: 'warn', format: 'json' } },
    'configs/inference.json': {
      ...inference,
      provider: 'steady',
      model: 'm',
      ...(isPriced ? { prices: { 'steady/m': PRICE } } : {}),
    },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
      ...persona,
    },
    'configs/prompts/system.md': fileOf('configs/prompts/system.md'),
    'personas/ada/PERSONA.md': fileOf('personas/ada/PERSONA.md'),
    ...STEADY,
  });
  open.closing.push(() => office.close());
  const ended = (count: number) =>
    onceRecorded(office.root, () => {
      const database = new SQLite(join(office.root, 'data/personas/ada/persona.db'), { readonly: true });
      try {
        const [runs, due] = [
          "select count(*) from runs where status in ('done', 'failed', 'waiting_approval')",
          `select count(*) from jobs where attempts = 0 and due_at <= ${Date.now()}`,
        ].map((sql) => Number(database.prepare<[], number>(sql).pluck().get()));
        expect(runs).toBe(count);
        expect(due).toBe(0);
      } finally {
        database.close();
      }
    });
  const sent = { count: 0 };
  return {
    office,
    async send(mail: ReturnType<typeof letter>) {
      await office.post(mail);
      sent.count += 1;
      await ended(sent.count);
    },
    cpuMs: () => cpuMsOf(office.ready().pid),
    async usage() {
      return (await office.cli('usage')).json;
    },
  };
}

/** CPU time of all threads that are alive. */
const cpuMsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    0,
  );

const MAILS = Number(process.env.EPISTLE_MEASURED_MAILS ?? 40);
/**
 * Of 100 mails 1.08 of the money and 1.35 of the CPU were measured. What is recalled is read anew each time, 300 tokens of it;
 * the tools of facts are read from the cache. Of few mails, beside other tests, CPU says less.
 */
const HELD = { money: 1.25, cpu: MAILS < 100 ? 1.9 : 1.5 };
/** What a process does the first time is not what mails cost. */
const WARM = 8;

describe('everything that a new workspace has on, against none of it', () => {
  it('costs no more than is known, in money and in CPU, over mails that both get in turn', async () => {
    const [on, off] = await Promise.all([
      openShop({ system: shipped('system'), inference: shipped('inference') }),
      openShop({}),
    ]);
    const begun = { on: 0, off: 0 };
    for (let n = 0; n < MAILS + WARM; n += 1) {
      if (n === WARM) Object.assign(begun, { on: on.cpuMs(), off: off.cpuMs() });
      for (const shop of n % 2 === 0 ? [on, off] : [off, on]) await shop.send(letter(n));
    }
    const cpu = { on: on.cpuMs() - begun.on, off: off.cpuMs() - begun.off };
    const [usageOn, usageOff] = [await on.usage(), await off.usage()];
    const money = usageOn.total.cost_usd / usageOff.total.cost_usd;
    const figures = {
      mails: MAILS,
      usd: { on: usageOn.total.cost_usd, off: usageOff.total.cost_usd, ratio: money },
      cpu_ms_a_mail: { on: cpu.on / MAILS, off: cpu.off / MAILS, ratio: cpu.on / cpu.off },
      tokens: { on: usageOn.total.tokens, off: usageOff.total.tokens },
      calls: { on: usageOn.total.model_calls, off: usageOff.total.model_calls },
    };
    process.stderr.write(`${JSON.stringify(figures)}\n`);
    expect(usageOff.total.cost_usd).toBeGreaterThan(0);
    expect(money).toBeLessThanOrEqual(HELD.money);
    expect(cpu.on / cpu.off).toBeLessThanOrEqual(HELD.cpu);
  }, 600_000);

  it('asks owners no more about six everyday mails', async () => {
    const shops = await Promise.all([
      openShop({ system: shipped('system'), inference: shipped('inference') }),
      openShop({}),
    ]);
    const asked: string[][] = [];
    for (const shop of shops) {
      // Earlier mail that has to do with them.
      for (const n of [0, 1, 4, 5, 8, 9]) await shop.send(letter(n));
      for (const [index, text] of SIX.entries())
        for (const from of [OWNER, MEMBER])
          await shop.send({ from, subject: `Everyday ${index}`, text, messageId: `<six${index}-${from}>` });
      const { approvals } = (await shop.office.cli('approvals', 'list', '--limit', '100')).json;
      asked.push(approvals.map(({ tool }: { tool: string }) => tool).toSorted());
    }
    process.stderr.write(`${JSON.stringify({ asked_on: asked[0], asked_off: asked[1] })}\n`);
    expect(asked[0]).toEqual(asked[1]);
    expect(asked[1]).not.toEqual([]);
  }, 600_000);

  it('is stopped by no budget where the model is a local one', async () => {
    const shop = await openShop(
      {
        system: shipped('system'),
        inference: { stages: { summarise: {}, remember: {} } },
        persona: { budget: { usd_per_day: 0.0001, usd_per_run: 0.0001 } },
      },
      false,
    );
    for (let n = 0; n < 8; n += 1) await shop.send(letter(n));
    const { runs } = (await shop.office.cli('runs', 'list', '--limit', '50')).json;
    expect(runs.map(({ outcome, code }: { outcome: string; code: string | null }) => [outcome, code])).toEqual(
      Array.from({ length: 8 }, () => ['final', null]),
    );
    const looked = await onceRecorded(shop.office.root, async () => {
      const codes: (string | null)[] = [];
      for (const { id } of runs) {
        const { events } = (await shop.office.cli('runs', 'show', id)).json.run;
        for (const { type, data } of events) if (type === 'memory_written') codes.push(data.code);
      }
      expect(codes.length).toBeGreaterThan(0);
      return codes;
    });
    expect(looked).not.toContain('budget');
    expect((await shop.usage()).total.cost_usd).toBe(0);
  }, 600_000);
});
