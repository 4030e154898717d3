import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { simpleParser } from 'mailparser';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { READ } from '../engine/extensions/mcp/mcp-rig.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { epistleAlone, type Gateway, startGateway, submit } from './gateway.ts';
import { olderIn } from './older-workspace.ts';

const PROGRAM = fileURLToPath(new URL('../fakes/mcp-program.ts', import.meta.url));
/** What it waits for has not expired. */
const THEN = Date.parse('2026-11-28T12:00:00Z');
const DAY_MS = 86_400_000;
const clockAt = (days: number) => ({
  NODE_ENV: 'test',
  EPISTLE_TEST_NOW: new Date(THEN + days * DAY_MS).toISOString(),
});

const OWNER = 'you@agents.localhost';
const ADA = 'ada@agents.localhost';

/** A provider of its owner's own: with code, and with no price. */
const PAID = `import { defineProvider } from 'epistle/contract';
export default defineProvider({
  create: ({ name }) => ({
    generate: async ({ model, input }) => ({
      text: 'Worked by the paid model.',
      toolCalls: [],
      finish: 'stop',
      usage: { input: 100, output: 20, cached: 0, cacheWrite: 0 },
      providerParts: { provider: name, model, data: null },
      reportedCostUsd: null,
    }),
  }),
});
`;

let place = '';
let root = '';
let model: FakeModel;
let gateway: Gateway | undefined;
beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'taken-over-'));
  root = olderIn(place);
  model = await startFakeModel('openai', () => ({ text: 'Worked by the flat model.' }));
});
afterEach(async () => {
  await gateway?.end();
  gateway = undefined;
  await model.stop();
  rmSync(place, { recursive: true, force: true });
});

async function write(file: string, content: string | object): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
}

/** As that version may have been set up: providers of its owner's own, budgets, a server of tools. */
async function setUpAsBefore(): Promise<void> {
  const provider = { kind: 'provider', api: 1, summary: 'Of our own', version: '1' };
  await write('extensions/providers/paid/manifest.json', {
    ...provider,
    name: 'paid',
    entry: 'index.ts',
    default_model: 'm',
    models: { m: { context_tokens: 100_000, max_output_tokens: 2000 } },
  });
  await write('extensions/providers/paid/index.ts', PAID);
  await write('extensions/providers/flat/manifest.json', {
    ...provider,
    name: 'flat',
    adapter: 'openai-compatible',
    default_model: 'f',
    config: { base_url: model.baseUrl },
    models: { f: { context_tokens: 100_000, usd_per_million_tokens: { input: 10, output: 40 } } },
  });
  await write('extensions/extensions.json', {
    providers: ['paid', 'flat'],
    mcp: [{ name: 'wiki', command: process.execPath, args: [PROGRAM, join(place, 'wiki.json')] }],
  });
  writeFileSync(join(place, 'wiki.json'), JSON.stringify({ tools: [READ], calls: {} }));
  await write('configs/inference.json', { provider: 'paid' });
  const persona = { access: { allow: ['*@agents.localhost'] }, budget: { usd_per_day: 5 } };
  await write('personas/ada/persona.json', { ...persona, name: 'Ada', address: ADA });
  await write('personas/ben/persona.json', {
    ...persona,
    name: 'Ben',
    address: 'ben@agents.localhost',
    inference: { provider: 'flat' },
  });
}

async function startAt(days: number): Promise<void> {
  await gateway?.stop();
  gateway = await startGateway(root, clockAt(days));
}
const cli = (days: number, ...args: string[]) => epistleAlone(root, args, { environment: clockAt(days) });
const send = (id: string) =>
  submit(root, (gateway as Gateway).ready, {
    from: OWNER,
    to: ADA,
    subject: id,
    text: 'Hello',
    messageId: `<${id}@example.com>`,
  });

/** The mails that have left so far, oldest first. */
async function left(): Promise<{ subject: string; text: string; answers: string }[]> {
  const folder = join(root, 'data/outgoing');
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(names.toSorted().map((name) => simpleParser(readFileSync(join(folder, name)))));
  return mails.map(({ subject = '', text = '', inReplyTo = '' }) => ({ subject, text, answers: inReplyTo }));
}
const answerTo = async (id: string) => (await left()).find(({ answers }) => answers === `<${id}@example.com>`)?.text;
const told = async (part: string) => (await left()).filter(({ subject }) => subject.includes(part));
const PATIENCE = { timeout: 60_000, interval: 300 };

it('a workspace of the build before works on as it did, its owners hear once of what comes, and no mail is lost', async () => {
  await setUpAsBefore();
  const before = (await left()).length;
  await startAt(0);
  // What was accepted there and not worked yet, and new mail.
  await expect.poll(() => answerTo('accepted'), PATIENCE).toContain('Worked by the paid model.');
  await send('new-1');
  await expect.poll(() => answerTo('new-1'), PATIENCE).toContain('Worked by the paid model.');
  // Mail that waited there for a paused persona, by a manifest with a flat price.
  expect(await cli(0, 'persona', 'resume', 'ben')).toMatchObject({ code: 0 });
  await expect.poll(() => answerTo('waits'), PATIENCE).toContain('Worked by the flat model.');
  const { json: usage } = await cli(0, 'usage', '--from', '2026-01-01T00:00:00Z', '--to', '2026-11-30T00:00:00Z');
  const flat = usage.by_provider.find(({ provider }: { provider: string }) => provider === 'flat/f');
  const { input, output } = flat.tokens;
  expect(flat.cost_usd).toBeCloseTo((input * 10 + output * 40) / 1_000_000, 6);

  // One mail with all news: rules that are others, tools that are pinned, the price.
  await expect.poll(() => told('different since the upgrade'), PATIENCE).toHaveLength(1);
  const [news] = await told('different since the upgrade');
  expect(news?.text).toContain('I look at every line of your mail');
  expect(news?.text).toContain('What your own mail asks for I can do');
  expect(news?.text).toContain('Reply "yes", and from now on I do what your own mail asks for');
  expect(news?.text).toContain('such wishes are rules now');
  // Nothing is switched on by the upgrade; a line says what could be.
  expect(news?.text).toContain('To have the weekly mail, ask whoever runs the machine that I work on');
  const { checks } = (await epistleAlone(root, ['doctor', '--harness'])).json;
  const lines = checks.filter(({ name }: { name: string }) => /^harness:(memory|stages|playbooks)$/.test(name));
  expect(lines.map(({ message }: { message: string }) => message.split(' (')[0])).toEqual([
    'recall of earlier mail off',
    'summarise off',
    'learning off',
  ]);
  expect(news?.text).toContain('wiki: wiki_look_up (look-up)');
  expect(news?.text).toContain('mail waits from Sat, 12 Dec 2026');
  expect(news?.text).toMatch(/Ada .*paid\/m[\s\S]*prices[\s\S]*configs\/inference\.json/);
  expect(news?.text).not.toContain('flat');
  const { json: doctor } = await cli(0, 'doctor');
  expect(doctor.checks.find(({ name }: { name: string }) => name === 'price:paid/m')).toMatchObject({
    ok: true,
    message: expect.stringContaining('from 2026-12-12 on mail to ada waits'),
  });
  expect((await cli(0, 'status')).json.unpriced).toEqual([
    { model: 'paid/m', persona: 'ada', until: expect.stringMatching(/^2026-12-12T12:00:/) },
  ]);

  await startAt(13);
  await send('new-2');
  await expect.poll(() => answerTo('new-2'), PATIENCE).toContain('Worked by the paid model.');

  await startAt(15);
  await send('late');
  await expect.poll(() => told('nobody has said what the model of paid costs'), PATIENCE).toHaveLength(1);
  const [waits] = await told('nobody has said what the model of paid costs');
  expect(waits?.text).toContain('late');
  expect(waits?.text).toContain('under `prices` in configs/inference.json');
  const { json: status } = await cli(15, 'status');
  expect(status.deferred).toMatchObject([{ persona: 'ada', code: 'provider_setup', count: 1, whose: 'setup' }]);
  expect(status.unpriced).toEqual([{ model: 'paid/m', persona: 'ada', until: null }]);
  expect(await answerTo('late')).toBeUndefined();

  await write('configs/inference.json', { provider: 'paid', prices: { 'paid/m': { input: 1, output: 4 } } });
  await expect.poll(() => answerTo('late'), PATIENCE).toContain('Worked by the paid model.');
  expect((await cli(15, 'status')).json.unpriced).toEqual([]);
  // Over four starts.
  expect(await told('different since the upgrade')).toHaveLength(1);
  for (const subject of ['A price is missing', 'tools of MCP servers']) expect(await told(subject)).toEqual([]);
  expect((await left()).length).toBeGreaterThan(before);
  for (const id of ['old-1', 'accepted', 'new-1', 'new-2', 'late', 'waits'])
    expect((await left()).filter(({ answers }) => answers === `<${id}@example.com>`)).toHaveLength(1);
}, 300_000);

it('a new workspace has no such time: its first mail waits, and says what is missing', async () => {
  rmSync(join(root, 'data'), { recursive: true });
  await setUpAsBefore();
  await startAt(0);
  await send('first');
  await expect.poll(() => told('nobody has said what the model of paid costs'), PATIENCE).toHaveLength(1);
  expect(await told('A price is missing')).toEqual([]);
  expect((await cli(0, 'status')).json.unpriced).toMatchObject([{ until: null }]);
  const { json } = await cli(0, 'doctor');
  expect(json.checks.find(({ name }: { name: string }) => name === 'price:paid/m')).toMatchObject({ ok: false });
});
