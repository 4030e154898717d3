import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDocumentReader, type DocumentReader } from '../../../engine/documents/reader.ts';
import { sha256 } from '../../../engine/lib/ids.ts';
import { type PersonaFiles, personaFiles } from '../../../engine/storage/persona-files.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import { createMailIndexer } from '../../../engine/tools/index-mail.ts';
import { accept, arrival, arrive, MIA, message, NOON, plan } from '../../storage/world.ts';

let root: string;
let files: PersonaFiles;
let store: Store;
let documents: DocumentReader;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'epistle-index-'));
  files = personaFiles(root, 'ada');
  store = openStore(':memory:');
  documents = createDocumentReader();
});
afterEach(async () => {
  await store.close();
  await documents.close();
  await rm(root, { recursive: true, force: true });
});

async function acceptWith(id: string, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  files.artifacts.put(bytes);
  const attachment = {
    id: `file-${id}`,
    message: id,
    position: 0,
    name,
    type: 'text/plain',
    bytes: bytes.length,
    sha256: sha256(bytes),
    charset: 'utf-8',
  };
  const planned = plan(id);
  await arrive(store, arrival(id), { ...planned, message: message(id, `t-${id}`), attachments: [attachment] });
}

/** As the lane of jobs does it, until the job is gone. */
async function work(): Promise<number> {
  const handler = createMailIndexer({
    filesOf: () => files,
    documents,
    pass: () => {},
    clock: { now: () => NOON, sleep: async () => {} },
  });
  for (let turns = 0; ; turns += 1) {
    const [job] = await store.dueJobs(NOON + 1e9, 1);
    if (!job) return turns;
    await handler.prepare(job)({ id: 'ada' } as never, store, new AbortController().signal);
  }
}

const found = async (query: string, more: object = {}) =>
  (await store.search({ query, limit: 5, viewer: null, ...more })).messages.map(({ message_id: id }) => id);

it('finds a mail by what stands in its attachment, and its sender stays who it is', async () => {
  await accept(store, 'a');
  await acceptWith('b', 'lease.txt', 'The rent is due on the third working day.');
  expect(await found('rent')).toEqual([]);
  expect(await found('lease')).toEqual(['<b@x.example>']);
  await work();
  expect(await found('rents')).toEqual(['<b@x.example>']);
  expect(await found('rent', { from: MIA })).toEqual(['<b@x.example>']);
  expect(await found('rent', { from: 'zoe@member.example' })).toEqual([]);
  expect(await found('rent', { viewer: { address: 'zoe@member.example', threadId: null } })).toEqual([]);
  // Once is enough.
  await store.indexFiles(2, ['something else']);
  expect(await found('something')).toEqual([]);
});

it('takes in all mail again, in pieces, when the index is made anew', async () => {
  for (let mail = 0; mail < 250; mail += 1) await accept(store, `m${mail}`);
  await acceptWith('b', 'lease.txt', 'The rent is due.');
  await store.indexMail(1000);
  await work();
  await store.forgetIndex();
  expect(await work()).toBeGreaterThan(0);
  expect((await store.search({ query: 'text', limit: 1, viewer: null })).total).toBe(251);
  expect(await found('rent')).toEqual(['<b@x.example>']);
});
