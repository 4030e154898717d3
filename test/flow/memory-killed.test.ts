import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { OTHER_CRASH_POINTS } from '../../engine/lib/crash-points.ts';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { SIZE } from '../size.ts';
import { launchGateway, submit } from './gateway.ts';
import { ADA, MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

/** What the stage is asked about: the mail, without the rules above it. */
const LIKES = /I like \w+/;

function answer({ view }: HeardRequest): Turn {
  if (view.system.includes('You compare what was just said')) return { text: '{"verdicts": []}' };
  if (!view.system.includes('You read one mail')) return { text: 'Noted.' };
  const quote = LIKES.exec(view.lastUser)?.[0] ?? '';
  return {
    text: JSON.stringify({ facts: [{ text: `Mia: ${quote}`, quote, kind: 'preference' }] }),
    usage: { input: 0, output: 1000 },
  };
}

async function openMemory(persona: object = {}, inference: object = {}) {
  const model = await startFakeModel('openai', answer);
  open.closing.push(() => model.stop());
  const office = await openOffice({
    'configs/security.json': { owners: [OWNER], loop_guard: { fast_reply_s: 0 } },
    'configs/inference.json': { provider: 'steady', model: 'm', stages: { remember: {} }, ...inference },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    'personas/ada/persona.json': {
      name: 'Ada',
      address: ADA,
      access: { allow: ['*@member.example'] },
      memory: { facts: true },
      ...persona,
    },
    ...STEADY,
  });
  open.closing.push(() => office.close());
  const query = <Row>(sql: string): Row[] => {
    const database = new Database(join(office.root, 'data/personas/ada/persona.db'), { readonly: true });
    try {
      return database.prepare<[], Row>(sql).all();
    } finally {
      database.close();
    }
  };
  const asked = (word: string) =>
    model.requests.filter(({ view }) => view.system.includes('You read one mail') && view.lastUser.includes(word))
      .length;
  return { office, query, asked };
}

const withFile = (word: string): Buffer =>
  Buffer.from(
    [
      ...[`From: ${MEMBER}`, `To: ${ADA}`, `Subject: About ${word}`, `Message-ID: <${word}@member.example>`],
      ...[
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary="b"',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
      ],
      ...[
        `I like ${word}.`,
        '--b',
        'Content-Type: text/plain',
        'Content-Disposition: attachment; filename="a.txt"',
        '',
      ],
      ...[`attached${word} is in the file`, '--b--', ''],
    ].join('\r\n'),
  );

it('the jobs of the memory, killed at each of their labels, leave one result, and after three tries at most', async () => {
  const { office, query, asked } = await openMemory();
  const all = [
    'memory.begun',
    'memory.learned',
    'run.event.memory_written',
    'index.files_read',
    'index.files_taken_in',
  ];
  const labels = SIZE < 20 ? ['memory.learned', 'index.files_read'] : all;
  for (const [n, label] of labels.entries()) {
    const word = `thing${n}x`;
    await office.stop();
    const dying = launchGateway(office.root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
    const { ready } = await dying.ready;
    await submit(office.root, ready, { from: MEMBER, to: ADA, raw: withFile(word) });
    if (label.startsWith('index.')) {
      // Files are taken in when somebody searches; an owner who makes the index anew has it done at once.
      await expect.poll(async () => (await office.left('reply', MEMBER)).length, { timeout: 90_000 }).toBe(n + 1);
      await office.cli('memory', 'rebuild', 'ada');
    }
    await dying.death();
    await office.restart();
    const facts = () => query<{ text: string }>('select text from facts').map(({ text }) => text);
    await expect.poll(facts, { timeout: 90_000 }).toContain(`Mia: I like ${word}`);
    expect(asked(word), label).toBeLessThanOrEqual(3);
  }
  for (const n of labels.keys()) {
    const found = async () =>
      (await office.cli('memory', 'search', 'ada', `attachedthing${n}x`)).json.messages.map(
        ({ message_id: id }: { message_id: string }) => id,
      );
    await expect.poll(found, { timeout: 90_000 }).toEqual([`<thing${n}x@member.example>`]);
  }
  await expect
    .poll(() => query("select id from jobs where kind in ('remember', 'index_mail')"), { timeout: 90_000 })
    .toEqual([]);
  expect(
    query<{ text: string }>('select text from facts')
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual(labels.map((_, n) => `Mia: I like thing${n}x`));
  const written = query<{ count: number }>(
    "select count(*) as count from run_events where type = 'memory_written' group by run_id",
  );
  expect(written.map(({ count }) => count)).toEqual(labels.map(() => 1));
  await expect.poll(async () => (await office.left('reply', MEMBER)).length, { timeout: 90_000 }).toBe(labels.length);
});

it('a share of the day that is spent stops the memory, not the mail', async () => {
  const prices = { 'steady/m': { input: 0, output: 100 } };
  const { office, query } = await openMemory({ budget: { usd_per_day: 0.9 } }, { prices });
  for (const word of ['one', 'two', 'three']) await office.ask(`I like ${word}.`, MEMBER, word);
  await expect.poll(async () => (await office.left('reply', MEMBER)).length, { timeout: 90_000 }).toBe(3);
  const codes = () =>
    query<{ payload_json: string }>(
      "select payload_json from run_events where type = 'memory_written' order by at",
    ).map(({ payload_json: json }) => JSON.parse(json).code);
  await expect.poll(codes, { timeout: 90_000 }).toEqual([null, 'budget', 'budget']);
  const runs = (await office.cli('runs', 'list')).json.runs;
  expect(runs.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['final', 'final', 'final']);
  const [day] = query<{ usd: number; memory_usd: number }>('select usd, memory_usd from budget_days');
  expect(day?.memory_usd).toBeCloseTo(0.1, 3);
  expect(day?.usd).toBeGreaterThanOrEqual(day?.memory_usd ?? 0);
});

it('every place of a job of the memory is one at which a test kills the process', () => {
  const labels = OTHER_CRASH_POINTS.filter((label) => /^(?:memory|index|summary|closing|active)\./.test(label));
  expect(labels.length).toBeGreaterThan(9);
  const tests = ['memory-killed', 'thread-memory', 'memory-private'].map((name) =>
    readFileSync(new URL(`${name}.test.ts`, import.meta.url), 'utf8'),
  );
  expect(labels.filter((label) => !tests.some((text) => text.includes(`'${label}'`)))).toEqual([]);
});
