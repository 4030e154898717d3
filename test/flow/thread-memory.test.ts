import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { epistle, type Gateway, launchGateway, startGateway, submit } from './gateway.ts';
import { MEMBER, OWNER } from './governance-rig.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

/** A model with room for a few of these mails. */
const SMALL = {
  'extensions/providers/small/manifest.json': {
    name: 'small',
    kind: 'provider',
    api: 1,
    summary: 'Answers',
    adapter: 'openai-compatible',
    models: { m: { context_tokens: 16_000, max_output_tokens: 1000, tools: true } },
  },
};
const LONG = 'This is about nothing in particular. '.repeat(200);

interface World {
  readonly workspace: TestWorkspace;
  readonly model: FakeModel;
  gateway: Gateway;
}
const open: { world?: World; summaries: number } = { summaries: 0 };
const world = (): World => {
  if (!open.world) throw new Error('not open');
  return open.world;
};

const isSummary = ({ view }: HeardRequest): boolean => view.system.startsWith('You keep notes');
const isClosing = ({ view }: HeardRequest): boolean => view.system.startsWith('A conversation by mail is over');

/** A model that notes each code word that it is shown. */
function answer(request: HeardRequest): Turn {
  const { view } = request;
  if (isClosing(request)) {
    const summary = `Closed: ${[...new Set(view.lastUser.match(/code-\w+-\d/g))].toSorted().join(' ')}`;
    const keywords = ['lighthouse', 'keeper', 'lamp', 'oil', 'rota'];
    return { text: JSON.stringify({ summary, tags: ['codes', 'lists', 'notes'], keywords }) };
  }
  if (!isSummary(request)) return { text: 'Noted.' };
  open.summaries += 1;
  const words = [...new Set(view.lastUser.match(/code-\w+-\d/g))].join(' ');
  const sections = { objective: 'Codes', decisions: [], open_loops: [], constraints: [], next: [] };
  return { text: JSON.stringify({ ...sections, key_facts: [words] }) };
}

beforeAll(async () => {
  const model = await startFakeModel('openai', answer);
  const workspace = makeWorkspace({
    'configs/security.json': {
      owners: [OWNER],
      loop_guard: { fast_reply_s: 0, max_replies_per_thread_per_hour: 0 },
    },
    'configs/system.json': {
      console: { enabled: false },
      log: { level: 'warn', format: 'json' },
      memory: { summarise_after: 2, recall: true },
    },
    'configs/inference.json': { provider: 'small', model: 'm', stages: { summarise: {} } },
    'extensions/extensions.json': { providers: [{ name: 'small', config: { base_url: model.baseUrl } }] },
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
    },
    ...SMALL,
  });
  open.world = { workspace, model, gateway: await startGateway(workspace.root) };
});
afterAll(async () => {
  await open.world?.gateway.end();
  await open.world?.model.stop();
  open.world?.workspace.remove();
});

const rows = <Row>(sql: string): readonly Row[] => {
  const database = new Database(`${world().workspace.root}/data/personas/ada/persona.db`, { readonly: true });
  try {
    return database.prepare<[], Row>(sql).all();
  } finally {
    database.close();
  }
};

/** A mail of a thread, accepted; the next goes on with it. */
async function write(thread: string, n: number, from = MEMBER): Promise<string> {
  const { workspace, gateway } = world();
  const id = `<${thread}-${n}@member.example>`;
  const raw = [
    ...[`From: ${from}`, 'To: ada@agents.localhost', `Subject: ${n === 0 ? '' : 'Re: '}Codes ${thread}`],
    ...[`Message-ID: ${id}`, ...(n === 0 ? [] : [`In-Reply-To: <${thread}-0@member.example>`])],
    ...['', `Remember code-${thread}-${n}. ${LONG}`, ''],
  ].join('\r\n');
  await submit(workspace.root, gateway.ready, { from, to: 'ada@agents.localhost', raw });
  return id;
}

const runOf = async (id: string) => (await epistle(world().workspace.root, ['why', id])).json?.entries?.[0]?.run;

async function answered(id: string): Promise<string> {
  await expect.poll(() => runOf(id), { timeout: 90_000 }).toMatchObject({ status: 'done', outcome: 'final' });
  return (await runOf(id)).id;
}

const summaryOf = (thread: string): string =>
  rows<{ sections_json: string }>(
    `select sections_json from thread_memory_states s join threads t on t.id = s.thread_id where t.subject like '%${thread}'`,
  )[0]?.sections_json ?? '';

const builtOf = async (run: string) =>
  (await epistle(world().workspace.root, ['runs', 'show', run])).json.run.events.find(
    ({ type }: { type: string }) => type === 'context_built',
  ).data;

it('P-27: a long exchange is summarised after the reply, and the next turn is shown what it is not shown any more', async () => {
  for (let n = 0; n < 5; n += 1) await answered(await write('alpha', n));
  await expect.poll(() => summaryOf('alpha'), { timeout: 90_000 }).toContain('code-alpha-0');
  const last = await answered(await write('alpha', 5));
  const asked = world().model.requests.findLast((request) => !isSummary(request))?.view.lastUser ?? '';
  expect(asked).toContain("The gateway's own summary of");
  expect(asked).toContain('code-alpha-0');
  expect(asked).toContain('none of it is asked of you now');
  const built = await builtOf(last);
  expect(built.once).toMatchObject([{ resolver: 'thread-memory-state', foreign: false }]);
  expect(built.spans.find(({ part }: { part: string }) => part === 'thread-memory-state').chars).toBeGreaterThan(100);
  // What it is made of is on record of the run that it followed, without a word of it.
  const written = rows<{ payload_json: string }>("select payload_json from run_events where type = 'memory_written'");
  expect(JSON.parse(written[0]?.payload_json ?? '{}')).toMatchObject({ stage: 'summarise', code: null });
  expect(written.map(({ payload_json: text }) => text).join()).not.toContain('code-');
  // Later mails of the thread are shown the mail without it, and a replay of this one has it again.
  const [{ rendered }] = rows<{ rendered: string }>(
    "select rendered_json as rendered from messages where message_id = '<alpha-5@member.example>'",
  ) as [{ rendered: string }];
  expect(rendered).not.toContain('code-alpha-0');
  const replayed = await epistle(world().workspace.root, ['runs', 'replay', last]);
  expect(replayed.json.ok, JSON.stringify(replayed.json).slice(0, 500)).toBe(true);
  const { thread_id: thread } = (await runOf('<alpha-5@member.example>')) as { thread_id: string };
  const shown = (await epistle(world().workspace.root, ['memory', 'show', thread])).json.summary;
  expect(shown).toMatchObject({ thread_id: thread, persona: 'ada', sections: { objective: 'Codes' } });
  const listed = (await epistle(world().workspace.root, ['memory', 'list'])).json.summaries;
  expect(listed).toEqual([shown]);
  // For an owner the same summary is somebody else's words.
  const owners = await builtOf(await answered(await write('alpha', 6, OWNER)));
  expect(owners.once).toMatchObject([{ foreign: true }]);
});

it.each(['summary.begun', 'summary.made', 'run.event.memory_written'])(
  'B-21: killed at %s there is one summary in the end, and every mail is answered',
  async (label) => {
    const thread = label.replace(/\W/g, '');
    await world().gateway.stop();
    const dying = await launchGateway(world().workspace.root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: label }).ready;
    world().gateway = dying;
    for (let n = 0; n < 5 && dying.process.signalCode === null; n += 1) {
      const id = await write(thread, n).catch(() => null);
      if (id !== null) await answered(id).catch(() => null);
    }
    await dying.death();
    open.summaries = 0;
    world().gateway = await startGateway(world().workspace.root);
    await expect.poll(() => summaryOf(thread), { timeout: 90_000 }).toContain(`code-${thread}-0`);
    const runs = rows<{ summaries: number; attempts: number }>(
      `select count(*) as summaries from run_events e join runs r on r.id = e.run_id join threads t on t.id = r.thread_id
       where e.type = 'memory_written' and t.subject like '%${thread}' group by r.id`,
    );
    expect(runs.map(({ summaries }) => summaries)).toEqual([1]);
    expect(open.summaries).toBeLessThanOrEqual(1);
    for (const { message_id: id } of rows<{ message_id: string }>(
      "select message_id from messages where direction = 'in'",
    ))
      await answered(id);
  },
);

const later = (days: number) => ({
  NODE_ENV: 'test',
  EPISTLE_TEST_NOW: new Date(Date.now() + days * 86_400_000).toISOString(),
});
const closings = () =>
  rows<{ text: string; subject: string }>(
    `select text, t.subject from thread_closings c join threads t on t.id = c.thread_id where text <> '' order by t.id`,
  );

it('B-14: a thread without mail is closed once with a summary, killed wherever, which is found, and the next mail opens it', async () => {
  const { workspace } = world();
  const { thread_id: thread } = (await runOf('<alpha-0@member.example>')) as { thread_id: string };
  const ask = async (days: number, ...args: string[]) => (await epistle(workspace.root, args, '', later(days))).json;
  const closed = async (days: number) => (await ask(days, 'threads', 'show', thread)).thread.closed;
  expect(await closed(0)).toBe(false);
  expect(await closed(15)).toBe(true);
  const threads = rows<{ id: string }>('select id from threads').length;
  // What its daily look asks for at the start, is killed at each label.
  for (const label of ['closing.begun', 'closing.made', 'run.event.memory_written']) {
    await world().gateway.stop();
    await launchGateway(workspace.root, { ...later(15), EPISTLE_CRASH_AT: label }).death();
  }
  world().gateway = await startGateway(workspace.root, later(15));
  await expect.poll(() => closings().length, { timeout: 90_000 }).toBe(threads);
  await expect.poll(() => rows("select id from jobs where kind = 'close_thread'"), { timeout: 90_000 }).toEqual([]);
  const codes = [0, 1, 2, 3, 4, 5, 6].map((n) => `code-alpha-${n}`).join(' ');
  expect(closings()[0]).toEqual({ subject: 'Codes alpha', text: `Closed: ${codes}` });
  // Once for each thread, whatever was killed.
  const told = rows<{ n: number }>(
    "select count(*) as n from run_events where type = 'memory_written' and payload_json like '%\"close\"%'",
  );
  expect(told[0]?.n).toBe(threads);
  const search = await ask(15, 'memory', 'search', 'ada', 'lighthouse rota');
  expect(search.closed_threads).toHaveLength(threads);
  expect((await ask(15, 'memory', 'show', thread)).closing).toMatchObject({ thread_id: thread, mails: 14 });

  // Somebody who was in none of them is told of none; whoever wrote all of one is.
  const heard = async (name: string, from: string) => {
    const raw = [
      ...[`From: ${from}`, 'To: ada@agents.localhost', `Subject: ${name}`, `Message-ID: <${name}@member.example>`],
      ...['', 'Who was the lighthouse keeper of the rota?', ''],
    ].join('\r\n');
    await submit(workspace.root, world().gateway.ready, { from, to: 'ada@agents.localhost', raw });
    const run = await answered(`<${name}@member.example>`);
    return { run, text: world().model.requests.findLast((one) => !isSummary(one) && !isClosing(one))?.view.lastUser };
  };
  expect((await heard('asks', 'ben@member.example')).text).not.toContain('Closed:');
  const own = await heard('knows', MEMBER);
  expect(own.text).toContain("The gateway's own summary of an earlier thread");
  expect((await builtOf(own.run)).once[0]).toMatchObject({ resolver: 'closed-threads', thread_id: expect.any(String) });
  const replayed = await epistle(workspace.root, ['runs', 'replay', own.run]);
  expect(replayed.json.ok, JSON.stringify(replayed.json).slice(0, 500)).toBe(true);

  await answered(await write('alpha', 7));
  expect(await closed(16)).toBe(false);
  await world().gateway.stop();
  world().gateway = await startGateway(workspace.root, later(31));
  const closingOf = () => closings().filter(({ subject }) => subject.endsWith('alpha'));
  await expect
    .poll(closingOf, { timeout: 90_000 })
    .toEqual([{ subject: 'Codes alpha', text: expect.stringMatching(/alpha-0.* code-alpha-7$/) }]);

  // One that is private stays so while it is closed, and has no summary.
  await ask(31, 'threads', 'private', thread);
  expect([summaryOf('alpha'), closingOf()]).toEqual(['', []]);
  expect((await ask(31, 'threads', 'private', thread, '--off')).error.message).toContain('no mail for 14 days');
  await answered(await write('alpha', 8));
  expect(await closed(31)).toBe(false);
  expect((await ask(31, 'threads', 'private', thread, '--off')).thread.private).toBe(false);
});
