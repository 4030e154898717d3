import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Script } from '../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, readOutgoing, startGateway, submit } from './gateway.ts';
import { openPersonaDb, runsEnded } from './persona-db.ts';
import { makeWorkspace, STEADY, type TestWorkspace } from './workspace.ts';

/** Calls the tool that the subject names, then answers. */
const callsWhatIsAsked: Script = ({ view }) => {
  const [, name] = /Subject: "call (\w+)"/.exec(view.lastUser) ?? [];
  if (name === undefined || view.results.length > 0) return { text: 'Done as asked.' };
  return { calls: [{ name, arguments: {} }] };
};

const tool = (name: string, body: string): [string, object | string][] => [
  [`extensions/tools/${name}/manifest.json`, { name, kind: 'tool', api: 1, summary: name, entry: 'index.js' }],
  [
    `extensions/tools/${name}/index.js`,
    `import { EngineError } from 'epistle/contract';
export default { description: 'A tool', risk: 'create', scope: 'web:create', input: { type: 'object' }, async run(args, context) { ${body} } };
`,
  ],
];
const TOOLS = {
  deliver_it: "throw new EngineError('outbound_transport_not_configured', 'the mailbox has no smtp');",
  reach_out: "return context.files.list('');",
  hang_on: 'await new Promise(() => {});',
  flood: "return 'x'.repeat(30_000_000);",
};
const persona = (name: string, more: object): [string, object] => [
  `personas/${name}/persona.json`,
  { name, address: `${name}@agents.localhost`, access: { allow: ['*@member.example'] }, ...more },
];

let steady: FakeModel;
let busy: FakeModel;
let workspace: TestWorkspace;
let gateway: Gateway;

beforeAll(async () => {
  steady = await startFakeModel('openai', callsWhatIsAsked);
  busy = await startFakeModel('anthropic', ({ view }) => ({ status: view.lastUser.includes('Locked') ? 401 : 529 }));
  const main = { provider: 'steady', model: 'm' };
  workspace = makeWorkspace({
    'configs/inference.json': { ...main, tool_timeout_s: 1, prices: { 'steady/m': { input: 1, output: 10 } } },
    'extensions/extensions.json': {
      providers: [
        { name: 'steady', config: { base_url: steady.baseUrl } },
        { name: 'anthropic', config: { base_url: busy.baseUrl } },
      ],
      tools: Object.keys(TOOLS),
    },
    ...STEADY,
    ...Object.fromEntries([
      ...Object.entries(TOOLS).flatMap(([name, body]) => tool(name, body)),
      persona('terminal', {}),
      persona('patient', {}),
      persona('fallen', { inference: { provider: 'anthropic', fallback: ['steady/m'] } }),
      persona('alone', { inference: { provider: 'anthropic', fallback: [] } }),
      persona('thrifty', { budget: { runs_per_day: 1 } }),
      persona('poor', { budget: { usd_per_day: 0.2 } }),
    ]),
  });
  gateway = await startGateway(workspace.root, { ANTHROPIC_API_KEY: 'test-key' });
});

afterAll(async () => {
  await gateway?.end();
  await steady?.stop();
  await busy?.stop();
  workspace?.remove();
});

async function write(to: string, subjects: readonly string[]) {
  const ids = subjects.map((_subject, n) => `<${to}-${n}@member.example>`);
  for (const [n, subject] of subjects.entries()) {
    await submit(workspace.root, gateway.ready, {
      from: 'mia@member.example',
      to: `${to}@agents.localhost`,
      subject,
      text: 'Please.',
      messageId: ids[n] ?? '',
    });
    await runsEnded(workspace.root, to, n + 1);
  }
  const db = openPersonaDb(workspace.root, to);
  try {
    return ids.map((id) => {
      const run = db.runOf(id);
      if (!run) throw new Error(`no run for ${id}`);
      return { ...run, text: db.replyText(run), rows: db.toolEvents(run.id), events: db.events(run.id) };
    });
  } finally {
    db.close();
  }
}

/** Mail that the persona's owner got, once nothing of it is under way any more. */
async function noticesOf(name: string, count: number) {
  const folder = join(workspace.root, 'data/outgoing');
  await eventually(
    () => {
      const db = openPersonaDb(workspace.root, name);
      const outbox = db.outbox();
      db.close();
      return outbox.filter(({ kind, state }) => kind === 'notice' && state === 'sent').length;
    },
    (sent) => sent >= count,
  );
  const mails = await Promise.all(readdirSync(folder).map((file) => readOutgoing(join(folder, file))));
  return mails
    .filter(({ envelopeFrom, envelopeTo }) => envelopeFrom.startsWith(`${name}@`) && envelopeTo === 'owner@example.com')
    .map(({ mail }) => ({ subject: mail.subject, kind: mail.headers.get('x-epistle-kind') }));
}

describe('a tool that cannot go on', () => {
  it('ends its run with a reply that says so, its call has a result, and the owner hears once of each', async () => {
    const runs = await write('terminal', ['call deliver_it', 'call reach_out']);
    expect(runs.map(({ status, outcome, code }) => [status, outcome, code])).toEqual([
      ['failed', 'failed', 'outbound_transport_not_configured'],
      ['failed', 'failed', 'unsupported_runtime_action'],
    ]);
    for (const { text, rows, model_calls } of runs) {
      expect(text).toContain('I could not work on your mail');
      expect(rows.map(({ event_type }) => event_type)).toEqual(['tool_call', 'tool_result']);
      expect(model_calls).toBe(1);
    }
    expect((await noticesOf('terminal', 2)).map(({ kind, subject }) => `${kind} ${subject}`).toSorted()).toEqual([
      'notice [terminal] No answer to "call deliver_it"',
      'notice [terminal] No answer to "call reach_out"',
    ]);
  });

  it('hangs, or returns 30 MB, and the mail is answered all the same', async () => {
    const [hung, flooded] = await write('patient', ['call hang_on', 'call flood']);
    // It was to change something, and the model passes over its failure.
    expect(hung).toMatchObject({ status: 'done', outcome: 'partial', code: 'contract' });
    expect(hung?.text).toContain('Not done: hang on (broken off because it took too long)');
    expect(hung?.rows[1]?.payload_json).toContain('"tool_timeout"');
    expect(flooded).toMatchObject({ status: 'done', outcome: 'final' });
    expect(flooded?.rows[1]?.payload_json.length).toBeLessThan(200);
  });
});

describe('a provider that is overloaded', () => {
  it('is left for its fallback and rests for a minute, which status shows', async () => {
    const before = busy.requests.length;
    const [first, second, third] = await write('fallen', ['Hello', 'Hello again', 'And again']);
    expect(first).toMatchObject({ outcome: 'final', provider: 'steady', model: 'm', text: 'Done as asked.' });
    expect([second, third].map((run) => `${run?.outcome} ${run?.provider}`)).toEqual(['final steady', 'final steady']);
    // One mail may be the cause of what it meets; the second one tells.
    expect(busy.requests.length - before).toBe(2);
    const status = await eventually(
      () => epistle(workspace.root, ['status']),
      ({ json }) => json.cooldowns.length > 0,
    );
    const [rest] = status.json.cooldowns;
    expect(rest.provider).toBe('anthropic');
    const seconds = (Date.parse(rest.until) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThanOrEqual(60);
  });
});

describe('a spent budget', () => {
  it('of runs is told once to a sender and once to the owner', async () => {
    const send = async (text: string) =>
      (
        await epistle(
          workspace.root,
          ['send', '--to', 'thrifty@agents.localhost', '--from', 'zoe@member.example', '--subject', text, '--wait=180'],
          text,
        )
      ).json.results[0];
    expect(await send('One')).toMatchObject({ decision: 'accepted', outcome: 'final' });
    for (const text of ['Two', 'Three']) {
      expect(await send(text)).toMatchObject({ decision: 'deferred', code: 'budget', status: 'deferred', reply: null });
    }
    expect(await noticesOf('thrifty', 1)).toEqual([
      { kind: 'notice', subject: 'thrifty has answered 1 of 1 mails today' },
    ]);
  });

  it('of money is held to what a call may cost at most: input and the model’s whole output at list price', async () => {
    // 4,096 output tokens at 10 USD per million are 0.041 USD set aside beside the input; an answer costs about 0.017.
    const runs = await write(
      'poor',
      Array.from({ length: 6 }, (_, n) => `Mail ${n}`),
    );
    expect(runs.map(({ outcome }) => outcome)).toEqual(['final', 'final', 'final', 'final', 'final', 'final']);
    workspace.write(...persona('poor', { budget: { usd_per_day: 0.04 } }));
    const again = await eventually(
      async () => {
        const sent = await epistle(
          workspace.root,
          ['send', '--to', 'poor@agents.localhost', '--from', 'zoe@member.example', '--subject', 'More', '--wait=180'],
          'Please.',
        );
        return sent.json.results[0];
      },
      ({ outcome }) => outcome !== 'final',
    );
    expect(again).toMatchObject({ decision: 'deferred', code: 'budget' });
  });
});

describe('a provider that refuses the key', () => {
  it('without a fallback lets mail wait until somebody mends it, with one word to the owner', async () => {
    const { json } = await epistle(
      workspace.root,
      ['send', '--to', 'alone@agents.localhost', '--from', 'zoe@member.example', '--subject', 'Locked', '--wait=180'],
      'Locked',
    );
    expect(json.results[0]).toMatchObject({ decision: 'deferred', code: 'provider_setup' });
    const [told] = await noticesOf('alone', 1);
    expect(told?.subject).toMatch(/^alone cannot work: .* refused the key/);
  });
});
