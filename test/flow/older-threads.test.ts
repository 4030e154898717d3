import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HeardRequest } from '../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { epistle, type Gateway, startGateway, submit } from './gateway.ts';
import { olderIn } from './older-workspace.ts';
import { openPersonaDb } from './persona-db.ts';
import { STEADY } from './workspace.ts';

// What an older build has asked its models in a thread is what this one goes on with there: the stored bytes of its mails stand in
// the next requests as they were, and a run that it began is asked on with the very prompt that it had.

/** What it waits for has not expired. */
const THEN = { NODE_ENV: 'test', EPISTLE_TEST_NOW: '2026-11-28T12:00:00Z' };
const OWNER = 'you@agents.localhost';
const ADA = 'ada@agents.localhost';
const PATIENCE = { timeout: 60_000, interval: 200 };

let place = '';
let root = '';
let model: FakeModel;
let gateway: Gateway | undefined;
beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'older-threads-'));
  root = olderIn(place);
  model = await startFakeModel('openai', () => ({ text: 'It is kept as you said.' }));
});
afterEach(async () => {
  await gateway?.end();
  gateway = undefined;
  await model.stop();
  rmSync(place, { recursive: true, force: true });
});

function write(file: string, content: object): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), JSON.stringify(content));
}

/** Of mails with an id, oldest first: who wrote them, and what was stored of them for later prompts. */
function storedOf(ids: readonly string[]): { id: string; stored: string | null }[] {
  const database = new SQLite(join(root, 'data/personas/ada/persona.db'), { readonly: true });
  try {
    const marks = ids.map(() => '?').join(', ');
    const sql = `select message_id as id, rendered_json as stored from messages where message_id in (${marks}) order by seq`;
    return database.prepare<string[], { id: string; stored: string | null }>(sql).all(...ids);
  } finally {
    database.close();
  }
}
/** The texts in it, as a vendor is sent them. */
const textsIn = (stored: string | null): readonly string[] =>
  (JSON.parse(stored ?? '[]') as { text?: string; content?: { text?: string }[] }[]).flatMap(
    ({ text, content = [] }) => [...(text === undefined ? [] : [text]), ...content.flatMap((part) => part.text ?? [])],
  );

interface Asked {
  readonly tools: unknown;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}
const bodyOf = ({ body }: HeardRequest): Asked => body as Asked;
const prefixOf = ({ tools, messages }: Asked): string =>
  JSON.stringify([tools, messages.filter(({ role }) => role === 'system')]);
const wordsOf = ({ messages }: Asked): string => JSON.stringify(messages.filter(({ role }) => role !== 'system'));

async function send(id: string, before: readonly string[]): Promise<Asked> {
  const text = `Please keep it. #${id}#`;
  await submit(root, (gateway as Gateway).ready, {
    from: OWNER,
    to: ADA,
    subject: 'Re: old-2',
    text,
    messageId: `<${id}@example.com>`,
    inReplyTo: before.at(-1) ?? '',
    references: [...before],
  });
  const find = () => model.requests.find(({ view }) => view.lastUser.includes(`#${id}#`));
  await expect.poll(find, PATIENCE).toBeDefined();
  await expect.poll(() => runOf(id)?.reply_message_id ?? null, PATIENCE).not.toBeNull();
  return bodyOf(find() as HeardRequest);
}

function runOf(id: string) {
  const db = openPersonaDb(root, 'ada');
  try {
    return db.runOf(`<${id}@example.com>`);
  } finally {
    db.close();
  }
}
function eventsOf(id: string) {
  const db = openPersonaDb(root, 'ada');
  try {
    return db.events(db.runOf(`<${id}@example.com>`)?.id ?? '');
  } finally {
    db.close();
  }
}

it('a thread of an older version goes on with what is stored of its mails, byte for byte, and with one prefix from then on', async () => {
  write('extensions/extensions.json', { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] });
  for (const [file, content] of Object.entries(STEADY)) write(file, content);
  write('configs/inference.json', { provider: 'steady', model: 'm', allow_unpriced: true });
  const ours = runOf('old-2')?.reply_message_id ?? '';
  const mails = ['<old-2@example.com>', ours];
  const before = storedOf(mails);
  expect(before.map(({ stored }) => textsIn(stored).join('').length > 100)).toEqual([true, true]);
  gateway = await startGateway(root, THEN);
  const first = await send('on-1', mails);
  const second = await send('on-2', [...mails, '<on-1@example.com>', runOf('on-1')?.reply_message_id ?? '']);

  // As they were stored, in their order, before the new mail.
  const words = first.messages.filter(({ role }) => role !== 'system').map(({ content }) => String(content ?? ''));
  const shown = words.slice(0, -1).join('\n');
  const places = before.flatMap(({ stored }) => textsIn(stored)).map((text) => shown.indexOf(text));
  expect(places.every((at) => at >= 0)).toBe(true);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(words.at(-1)).toContain('#on-1#');
  expect(storedOf(mails)).toEqual(before);

  // The tools are others than in that version, which costs its cache once; from then on all stays as it is.
  expect(prefixOf(second)).toBe(prefixOf(first));
  const until = `${wordsOf(first).split('#on-1#')[0]}#on-1#`;
  expect(wordsOf(second).startsWith(until)).toBe(true);
  const misses = ['on-1', 'on-2'].map(
    (id) => eventsOf(id).find(({ type }) => type === 'context_built')?.data.cache_miss,
  );
  expect(misses).toEqual(['prefix_changed', 'none']);
  for (const id of ['old-2', 'on-1', 'on-2']) {
    const replayed = await epistle(root, ['runs', 'replay', runOf(id)?.id ?? ''], '', THEN);
    expect(replayed.json.replay).toMatchObject({ identical: true, difference: null });
  }
}, 120_000);

it('a run that an older version began is asked on with the prefix, the history and the mail that it had', async () => {
  // As `epistle start` does: the first command of this version lifts the databases.
  const { json } = await epistle(root, ['approvals', 'list'], '', THEN);
  gateway = await startGateway(root, THEN);
  const asked = () => eventsOf('asks').filter(({ type }) => type === 'model_call_started');
  const [then] = asked();
  expect(asked()).toHaveLength(1);
  const question = json.approvals.find(({ run_id }: { run_id: string }) => run_id === runOf('asks')?.id);
  expect(await epistle(root, ['approvals', 'approve', question.id], '', THEN)).toMatchObject({ code: 0 });
  await expect.poll(() => runOf('asks')?.status, PATIENCE).toBe('done');
  const now = asked().at(-1);
  expect(asked().length).toBeGreaterThan(1);
  const parts = ({ prefix, history, mail }: Record<string, string>) => ({ prefix, history, mail });
  expect(parts(now?.data.request)).toEqual(parts(then?.data.request));
  expect(now?.data.surface).toBe(then?.data.surface);
}, 120_000);
