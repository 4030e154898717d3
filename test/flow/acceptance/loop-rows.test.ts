import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestView, Script, ScriptedCall, Turn } from '../../fakes/model-script.ts';
import { MEMBER, type Office, OWNER, openOffice, persona, provider } from './loop-office.ts';

const withKey = ([path, manifest]: [string, object]): [string, object] => [
  path,
  { ...manifest, secrets: { api_key: 'LOCKED_API_KEY' } },
];
const tool = (name: string, risk: string, scope: string, body: string): [string, object | string][] => [
  [`extensions/tools/${name}/manifest.json`, { name, kind: 'tool', api: 1, summary: name, entry: 'index.js' }],
  [
    `extensions/tools/${name}/index.js`,
    `import { appendFileSync } from 'node:fs';
import { EngineError } from 'epistle/contract';
export default { description: 'Does ${name}', risk: '${risk}', scope: '${scope}', input: { type: 'object' },
  run(args) { ${body} } };
`,
  ],
];
const TOOLS = Object.fromEntries([
  ...tool(
    'look',
    'read',
    'files:read',
    "appendFileSync(new URL('../../../notes.txt', import.meta.url), 'look ' + JSON.stringify(args) + '\\n'); return { path: args.of, text: 'seen for ' + args.of };",
  ),
  ...tool('press', 'create', 'files:create', "throw new Error('the press is stuck');"),
  ...tool('post_it', 'create', 'web:create', "throw new EngineError('outbound_transport_not_configured', 'no smtp');"),
]);

const look = (args: object): ScriptedCall => ({ name: 'look', arguments: { ...args } });
/** Arguments as text: their keys keep this order, and they need be no JSON. */
const lookRaw = (rawArguments: string): ScriptedCall => ({ name: 'look', rawArguments });
const ended =
  (...before: Turn[]) =>
  (asked: number, view: RequestView): Turn =>
    view.tools.length === 0 ? { text: 'As far as I got.' } : (before[asked] ?? { text: 'All done as asked.' });

/** By the subject of the mail: what the model does, given how often it was asked. */
const PLANS: Readonly<Record<string, (asked: number, view: RequestView) => Turn>> = {
  fails: ended({ calls: [{ name: 'press' }] }),
  'never tries': ended(),
  twice: ended({ calls: [lookRaw('{"of":"twice","n":1}'), lookRaw('{"n":1,"of":"twice"}')] }),
  again: (_asked, view) =>
    view.tools.length === 0 ? { text: 'As far as I got.' } : { calls: [look({ of: 'again', n: 1 })] },
  many: ended({ calls: [1, 2, 3, 4, 5, 6].map((n) => look({ of: 'many', n })) }),
  'mends it': ended(
    { calls: [lookRaw('{"of": "mends it"')] },
    { calls: [lookRaw('of = mends it')] },
    { calls: [look({ of: 'mends it' })] },
  ),
  'never mends it': (asked) => ({ calls: [lookRaw(`{"of": "never mends it", "n": ${asked}`)] }),
  'runs out': () => ({ text: 'Half a sen', length: true }),
  'breaks down': (asked) => (asked === 0 ? { calls: [look({ of: 'breaks down' })] } : { status: 400 }),
  'cannot go on': ended({ calls: [{ name: 'post_it' }] }),
  'says nothing': (asked) => (asked === 0 ? { calls: [look({ of: 'the harbour' })] } : { text: ' \n' }),
  counts: ended({ calls: [look({ of: 'one' }), look({ of: 'two' }), lookRaw('{"of": "three"')] }),
};

/** After a note of the gateway the last user message is the note; mails of this file come one after the other. */
const current: { subject: string } = { subject: '' };
const planned: Script = ({ view }) => {
  current.subject = /Subject: "([^"]*)"/.exec(view.lastUser)?.[1] ?? current.subject;
  return PLANS[current.subject]?.(view.turn, view) ?? { text: 'Well.' };
};

let office: Office;
beforeAll(async () => {
  office = await openOffice(
    {
      planned,
      busy: [{ status: 429 }, { status: 429 }, { text: 'After two refusals.' }],
      locked: () => ({ status: 401 }),
    },
    (baseUrls) => ({
      '.env': 'TAVILY_API_KEY=tavily-key-of-the-test\nLOCKED_API_KEY=locked-key-of-the-test\n',
      'configs/inference.json': { provider: 'planned', model: 'm', max_calls_per_turn: 4 },
      'extensions/extensions.json': {
        providers: Object.entries(baseUrls).map(([name, base_url]) => ({ name, config: { base_url } })),
        tools: ['look', 'press', 'post_it', { name: 'web_search', config: { vendor: 'brave' } }],
      },
      ...TOOLS,
      ...Object.fromEntries([
        ...['planned', 'busy'].map((name) => provider(name)),
        withKey(provider('locked')),
        persona('cora'),
        persona('maker', { answer: { effects: ['files:create'] } }),
        persona('patient', { inference: { provider: 'busy', model: 'm' } }),
        persona('barred', { inference: { provider: 'locked', model: 'm' } }),
      ]),
    }),
  );
});
afterAll(() => office?.close());

type Run = Awaited<ReturnType<Office['ask']>>;
const decisionsOf = ({ events }: Run): readonly string[] =>
  events.flatMap(({ type, data }) => (type === 'decision' ? [`${data.decision} ${data.reason}`] : []));
const looksAt = (of: string): number => office.noted().split(`"of":"${of}"`).length - 1;
const noticesTo = async (name: string, count: number) => (await office.mailTo(name, OWNER, count)).join('\n');

describe('B-4: an answer to a mail whose work is not done', () => {
  it('says so, once the model has seen that it failed, whatever its words claim', async () => {
    const before = office.requestsOf('planned').length;
    const run = await office.ask('maker', 'fails');
    expect(run).toMatchObject({ outcome: 'partial', code: 'contract' });
    expect(decisionsOf(run).at(-1)).toBe('FINAL_PARTIAL contract');
    const [, told] = office.requestsOf('planned').slice(before);
    expect(told?.view.results).toMatchObject([
      { isError: true, content: expect.stringContaining('the press is stuck') },
    ]);
    expect(run.text).toMatch(/^This answer is not complete/);
    expect(run.text).toContain('a file written');
    expect(run.text).toContain('Not done: press');
  });

  it('names to the model, once, what it has not even tried', async () => {
    const before = office.requestsOf('planned').length;
    const run = await office.ask('maker', 'never tries');
    expect(decisionsOf(run).slice(-2)).toEqual(['CONTINUE_MODEL_LOOP gap', 'FINAL_PARTIAL contract']);
    const asked = office.requestsOf('planned').slice(before);
    expect(asked.map(({ view }) => view.lastUser.includes('files:create is expected here'))).toEqual([false, true]);
    expect(run.text).toMatch(/^This answer is not complete/);
  });
});

it('B-5: a call that is made twice in a turn, with its keys in another order, is executed once', async () => {
  const run = await office.ask('cora', 'twice');
  expect(run).toMatchObject({ outcome: 'final' });
  expect(looksAt('twice')).toBe(1);
  const seen = run.events.filter(({ type }) => type === 'observation').map(({ data }) => data);
  expect(seen).toHaveLength(2);
  expect(seen.map(({ same_as: same }) => same ?? null)).toEqual([null, seen[0]?.call_id]);
});

it('B-6: a call that is made three times over turns ends the loop, and a reply is sent', async () => {
  const run = await office.ask('cora', 'again');
  expect(looksAt('again')).toBe(2);
  expect(decisionsOf(run).slice(-2)).toEqual(['CONTINUE_MODEL_LOOP last_call_duplicate_calls', 'FINAL answered']);
  expect(run.finals).toHaveLength(1);
  expect(run.text).toBe('As far as I got.');
});

it('B-7: of six calls in a turn that may have four, two are skipped and say so', async () => {
  const before = office.requestsOf('planned').length;
  const run = await office.ask('cora', 'many');
  expect(run).toMatchObject({ outcome: 'final' });
  expect(looksAt('many')).toBe(4);
  const [, told] = office.requestsOf('planned').slice(before);
  const codes = told?.view.results.map(({ content }) => JSON.parse(content).error?.code ?? 'ok');
  expect(codes).toEqual(['ok', 'ok', 'ok', 'ok', 'skipped', 'skipped']);
});

describe('B-8: arguments that are no JSON', () => {
  it('go back to the model, twice, and what it then writes is done', async () => {
    const before = office.requestsOf('planned').length;
    const run = await office.ask('cora', 'mends it');
    expect(run).toMatchObject({ outcome: 'final', code: null });
    expect(looksAt('mends it')).toBe(1);
    const asked = office.requestsOf('planned').slice(before);
    expect(asked.map(({ view }) => view.results.map(({ isError }) => isError))).toEqual([[], [true], [true], [false]]);
    expect(asked[1]?.view.results[0]?.content).toContain('invalid_arguments');
  });

  it('end the run in part after the third time and one last word', async () => {
    const run = await office.ask('cora', 'never mends it');
    expect(run).toMatchObject({ outcome: 'partial', code: 'consecutive_failures', model_calls: 4 });
    expect(run.finals).toHaveLength(1);
    expect(looksAt('never mends it')).toBe(0);
  });
});

it('B-9: a tool without its key is not offered, is named with the reason, and doctor names it, too', async () => {
  const before = office.requestsOf('planned').length;
  await office.ask('cora', 'hello');
  const [asked] = office.requestsOf('planned').slice(before);
  expect(asked?.view.tools).toContain('look');
  expect(asked?.view.tools).not.toContain('web_search');
  expect(asked?.view.lastUser).toContain('- web_search: BRAVE_API_KEY is not set');
  const { json } = await office.cli('doctor');
  const check = json.checks.find(({ name }: { name: string }) => name === 'tool:web_search');
  expect(check).toMatchObject({ ok: false, message: 'BRAVE_API_KEY is not set' });
  const shown = [JSON.stringify(json), ...office.requestsOf('planned').map(({ raw }) => raw.toString())].join('\n');
  expect(shown).not.toContain('tavily-key-of-the-test');
});

describe('B-10: a run that cannot go on', () => {
  it('has a reply with what there is where the model ran out of tokens', async () => {
    const run = await office.ask('cora', 'runs out');
    expect(run).toMatchObject({ outcome: 'partial', code: 'cut_off' });
    expect(run.text).toMatch(/^This answer is not complete: .*\n\nHalf a sen$/);
    expect(run.finals).toHaveLength(1);
  });

  it('has a reply that says why where the model failed, and its owner hears of it', async () => {
    const run = await office.ask('cora', 'breaks down');
    expect(run).toMatchObject({ outcome: 'partial', code: 'provider' });
    expect(run.finals).toHaveLength(1);
    expect(await noticesTo('cora', 1)).toContain('breaks down');
  });

  it('has a reply where a tool threw what nobody can mend, and its owner hears of it', async () => {
    const run = await office.ask('cora', 'cannot go on');
    expect(run).toMatchObject({ status: 'failed', code: 'outbound_transport_not_configured' });
    expect(run.text).toContain('I could not work on your mail');
    expect(run.finals).toHaveLength(1);
    expect(await noticesTo('cora', 2)).toContain('cannot go on');
  });
});

it('B-11: a model without words is asked once more; then the reply says what was seen last, and that it is a part', async () => {
  const run = await office.ask('cora', 'says nothing');
  expect(run).toMatchObject({ outcome: 'partial', code: 'unparsable', model_calls: 3 });
  expect(decisionsOf(run).slice(-2)).toEqual(['CONTINUE_MODEL_LOOP repair', 'FINAL_PARTIAL unparsable']);
  expect(run.text).toMatch(/^This answer is not complete/);
  expect(run.text).toContain('What was looked up last: the harbour\n\nseen for the harbour');
});

describe('B-12: a provider that refuses', () => {
  it('because it is busy is asked again, each time later, until it answers', async () => {
    const run = await office.ask('patient', 'hello');
    expect(run).toMatchObject({ outcome: 'final', text: 'After two refusals.' });
    const failed = run.events.filter(({ type, data }) => type === 'model_call_ended' && !data.ok);
    expect(failed.map(({ data }) => [data.code, data.next])).toEqual([
      ['rate_limited', 'retry'],
      ['rate_limited', 'retry'],
    ]);
    expect(office.requestsOf('busy')).toHaveLength(3);
  });

  it('because of the key is asked once, the mail waits, and the owner hears which key', async () => {
    const run = await office.ask('barred', 'hello');
    expect(run).toMatchObject({ status: 'queued', deferred_code: 'provider_setup' });
    expect(office.requestsOf('locked')).toHaveLength(1);
    expect(await noticesTo('barred', 1)).toContain('refused the key LOCKED_API_KEY');
    await office.cli('runs', 'cancel', run.id);
    expect(await office.mailTo('barred', MEMBER, 1)).toEqual(['Re: hello']);
  });
});

it('B-13: what is counted of a run is what its events come to', async () => {
  const before = (await office.status()).today;
  const run = await office.ask('cora', 'counts');
  const of = (type: string) => run.events.filter((event) => event.type === type).map(({ data }) => data);
  expect(of('tool_call_ended').map(({ ok }) => ok)).toEqual(expect.arrayContaining([true, true, false]));
  const calls = of('model_call_ended');
  const sum = (key: 'input' | 'output') => calls.reduce((all, { response }) => all + response.usage[key], 0);
  expect(run).toMatchObject({
    tool_calls: of('tool_call_intended').length + 1,
    model_calls: calls.length,
    input_tokens: sum('input'),
    output_tokens: sum('output'),
  });
  const { today } = await office.status();
  expect(today.runs).toBe(before.runs + 1);
  const all = office.withDb('cora', (db) =>
    db.runs().map(({ id, model_calls }) => ({ model_calls, events: db.events(id) })),
  );
  for (const { model_calls, events } of all)
    expect(events.filter(({ type, data }) => type === 'model_call_ended' && data.response)).toHaveLength(model_calls);
  const usage = (await office.cli('usage')).json;
  const ofCora = usage.by_persona.find(({ persona: id }: { persona: string }) => id === 'cora');
  expect(ofCora).toMatchObject({ runs: all.length, model_calls: all.reduce((n, one) => n + one.model_calls, 0) });
});
