import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgetBy } from '../../../engine/actions/facts.ts';
import { setPrivateBy } from '../../../engine/actions/mail/private-thread.ts';
import { randomIds } from '../../../engine/lib/ids.ts';
import { keepActive } from '../../../engine/memory/active/keep.ts';
import { CLOSED_THREADS } from '../../../engine/memory/threads/closing-shown.ts';
import { onceToKeep } from '../../../engine/policy/values/once.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import { createIndexCompactor } from '../../../engine/tools/index-mail.ts';
import { factRow } from '../../storage/fact-worlds.ts';
import { leased, MIA, NOON, step } from '../../storage/world.ts';
import { rememberRig } from './facts/remember-rig.ts';

const DAY_MS = 86_400_000;
const folder = join(mkdtempSync(join(tmpdir(), 'epistle-bytes-')));
const personal = join(folder, 'personas', 'ada');
const state: { store?: Store } = {};
const store = (): Store => {
  if (!state.store) throw new Error('not open');
  return state.store;
};
beforeEach(() => {
  rmSync(personal, { recursive: true, force: true });
  mkdirSync(personal, { recursive: true });
  state.store = openStore(join(personal, 'persona.db'));
});
afterEach(async () => {
  await store().close();
  rmSync(personal, { recursive: true, force: true });
});

/** Files that hold these bytes: the database, its log, `active.md`. */
const filesWith = (text: string): readonly string[] =>
  readdirSync(personal).filter((name) => readFileSync(join(personal, name)).includes(text));

/** Words that a model has written and no mail: of the stages, and of the prompt of a run. The mail itself stays. */
const LEARNED = ['zqafact', 'zqbnotes', 'zqccard', 'zqdtag', 'zqeshown', 'zqfactive'];
/** As the index has it; the mail has letters with accents. */
const MAIL_WORD = 'Zqxäunkönigé';
const INDEXED = 'zqxaunkonig';

const sections = { objective: 'zqbnotes', key_facts: [], decisions: [], open_loops: [], constraints: [], next: [] };

/** A thread of which everything is remembered, among others. */
async function rememberAll(): Promise<{ readonly fact: string; readonly messageId: string; readonly thread: string }> {
  const rig = rememberRig(store(), ({ purpose, text }) => {
    if (purpose === 'summarise') return JSON.stringify(sections);
    if (purpose !== 'close') return '{"facts": []}';
    const isOfTold = text.includes('zqbnotes');
    const labels = [isOfTold ? 'zqdtag' : 'a', 'b', 'c', 'd', 'e'];
    return JSON.stringify({ summary: isOfTold ? 'It was zqccard' : 'It was nothing', tags: labels, keywords: labels });
  });
  for (let n = 0; n < 60; n += 1) {
    const word = n === 30 ? MAIL_WORD : `plain${n}`;
    const thread_id = n % 10 === 0 ? 't-told' : `t-${n}`;
    await rig.mail(`m${n}`, `${word} ${'and more '.repeat(n)}`, { thread_id, received_at: NOON });
    await store().indexMail(n % 7);
  }
  await store().indexMail(100);
  for (const job of await store().dueJobs(rig.state.now, 100)) await store().endJob(job.id);
  await rig.summarises('m50', 40);
  await rig.work();
  await rig.closes(NOON + 20 * DAY_MS);
  for (let n = 0; n < 4; n += 1) await rig.work();
  const told = { source_message: 'm30', thread_id: 't-told', said_by: MIA, subject: MIA };
  const fact = factRow('f-told', { text: 'zqafact', quote: MAIL_WORD, ...told });
  const forAll = { visibility: 'persona', subject: 'persona', kind: 'preference', source_tier: 'owner' } as const;
  const all = factRow('f-all', { text: 'zqfactive', quote: 'for all', ...told, ...forAll });
  await store().changeFacts([
    { change: 'add', fact, replaces: null },
    { change: 'add', fact: all, replaces: null },
  ]);
  await keepActive(active, 'ada', store());
  // What a run of another thread was shown.
  const run = await leased(store(), { now: NOON + 20 * DAY_MS });
  const shown = onceToKeep('t-31', [
    { resolver: CLOSED_THREADS, threadId: 't-told', text: 'zqeshown', foreign: false },
  ]);
  await store().commitStep(step(run, { context: { historyFrom: 0, prefixSha256: 'a', rendered: null, shown } }));
  return { fact: fact.id, messageId: '<m30@x.example>', thread: 't-told' };
}
const active = { dataDir: folder, clock: { now: () => NOON + 20 * DAY_MS }, pass: () => {} };

const ports = () => ({
  ...active,
  clock: { now: active.clock.now, sleep: async () => {} },
  ids: randomIds(active.clock.now),
  stores: {
    use: <Result>(_: string, work: (one: Store) => Promise<Result>) => work(store()),
    exists: () => true,
    close: async () => {},
  },
});
type Told = Awaited<ReturnType<typeof rememberAll>>;

/** The jobs that follow from it. */
async function settle(): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    const jobs = await store().dueJobs(NOON + 30 * DAY_MS, 100);
    for (const job of jobs) {
      if (job.kind === 'compact_index') {
        const work = createIndexCompactor().prepare(job);
        await work({} as Parameters<typeof work>[0], store(), new AbortController().signal);
      } else {
        await store().indexMail(1000);
        await store().endJob(job.id);
      }
    }
  }
  await keepActive(active, 'ada', store());
}

const WAYS: Readonly<Record<string, (told: Told) => Promise<unknown>>> = {
  'memory forget --message': ({ messageId }) => forgetBy(ports(), { personaId: 'ada', message: messageId }, 'cli'),
  'memory forget --person': () => forgetBy(ports(), { personaId: 'ada', person: MIA }, 'cli'),
  'threads private': ({ thread }) =>
    setPrivateBy({ ...ports(), store: store(), closeAfterDays: 14 }, { id: thread, off: false }, 'cli'),
};

/** Rows of the index that hold these bytes. */
function inIndex(text: string): number {
  const database = new Database(join(personal, 'persona.db'), { readonly: true });
  const blocks = database.prepare<[], { block: Buffer }>('select block from mail_fts_data').all();
  database.close();
  return blocks.filter(({ block }) => block.includes(text)).length;
}

describe('what was forgotten', () => {
  it.each(Object.entries(WAYS))(
    'by %s leaves no byte in facts, summaries, cards and active.md, and none in the index',
    async (way, forget) => {
      const told = await rememberAll();
      for (const word of [...LEARNED, INDEXED]) expect(filesWith(word), word).not.toEqual([]);
      expect(inIndex(INDEXED)).toBe(1);
      await forget(told);
      await settle();
      for (const word of LEARNED) expect(filesWith(word), word).toEqual([]);
      expect(inIndex(INDEXED)).toBe(0);
      // A page of an index that goes on may hold a copy of what was moved in it; one that is made anew has none.
      if (way !== 'threads private') expect(filesWith(INDEXED)).toEqual([]);
      // The mail itself stays, and search finds the others.
      expect(filesWith(MAIL_WORD)).toContain('persona.db');
      const found = await store().search({ viewer: null, limit: 5, except: null, query: 'plain7' });
      expect(found.messages.length).toBe(way === 'memory forget --person' ? 0 : 1);
    },
  );

  it('as one fact, as `forget` by mail does it, leaves no byte of it and of what was summarised of its thread', async () => {
    const { fact } = await rememberAll();
    await store().changeFacts([{ change: 'forget', id: fact }]);
    for (const word of LEARNED.filter((one) => one !== 'zqfactive')) expect(filesWith(word), word).toEqual([]);
    await forgetBy(ports(), { personaId: 'ada', id: 'f-all' }, 'cli');
    expect(filesWith('zqfactive')).toEqual([]);
  });
});
