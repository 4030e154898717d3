import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../engine/lib/ids.ts';
import { personaFiles } from '../../../engine/storage/persona-files.ts';
import type { Stores } from '../../../engine/storage/ports/store.ts';
import { createRawMover, moveRaw, rawOf } from '../../../engine/storage/raw-mail.ts';
import { createStores } from '../../../engine/storage/sqlite/stores.ts';
import { arrival, arrive, message, NOON, plan } from '../../storage/world.ts';

let dataDir: string;
let stores: Stores;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'epistle-raw-'));
  stores = createStores({ dataDir, maxOpen: 10 });
});
afterEach(async () => {
  await stores.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const filesOf = (persona: string) => personaFiles(dataDir, persona);
const textOf = (id: string) => `From: mia@member.example\r\n\r\nThis is ${id}.\r\n`;

/** A mail whose bytes are in a row. */
const accept = (persona: string, id: string) =>
  stores.use(persona, async (store) => {
    const raw = Buffer.from(textOf(id));
    const change = { raw_sha256: sha256(raw) };
    await arrive(store, arrival(id), { ...plan(id), message: message(id, `t-${id}`, change), raw });
  });
const rowsOf = (persona: string) => stores.use(persona, async (store) => (await store.listHeldRaw(1000)).length);
const read = (persona: string, id: string) =>
  stores.use(persona, async (store) => {
    const stored = await store.messageById(id);
    return stored && String(await rawOf(store, filesOf(persona), stored));
  });

describe('mail whose bytes are in rows', () => {
  it('is read from them, and from its files once it was moved', async () => {
    const ids = Array.from({ length: 150 }, (_, n) => `m${n}`);
    for (const id of ids) await accept('ada', id);
    expect(await read('ada', 'm3')).toBe(textOf('m3'));
    expect(await stores.use('ada', (store) => moveRaw(store, filesOf('ada')))).toBe(true);
    expect(await rowsOf('ada')).toBe(0);
    expect(await read('ada', 'm3')).toBe(textOf('m3'));
    const folder = join(dataDir, 'personas/ada/mail');
    expect(readdirSync(folder).toSorted()).toEqual(ids.map((id) => `${sha256(textOf(id))}.eml`).toSorted());
    for (const id of ids) expect(readFileSync(join(folder, `${sha256(textOf(id))}.eml`), 'utf8')).toBe(textOf(id));
  });

  it('keeps the rows of which it is not sure that they are files', async () => {
    await accept('ada', 'a');
    const full = { keepMail: () => Promise.reject(new Error('the disk is full')) };
    await expect(stores.use('ada', (store) => moveRaw(store, full))).rejects.toThrow('the disk is full');
    expect(await read('ada', 'a')).toBe(textOf('a'));
  });

  it('has no bytes where it did not come as mail', async () => {
    const stored = { seq: 1, raw_sha256: null };
    expect(await stores.use('ada', (store) => rawOf(store, filesOf('ada'), stored))).toBeNull();
  });
});

describe('the mover', () => {
  /** Time that passes when the test says so. */
  const makeTime = () => {
    const sleeping: (() => void)[] = [];
    const sleep = (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        sleeping.push(resolve);
        signal?.addEventListener('abort', () => resolve());
      });
    return { clock: { now: () => NOON, sleep }, sleepers: () => sleeping.length, pass: () => sleeping.shift()?.() };
  };
  const files = (persona: string) => {
    const folder = join(dataDir, 'personas', persona, 'mail');
    return existsSync(folder) ? readdirSync(folder).length : 0;
  };

  it('waits until no more mail comes, and then makes files of all of it', async () => {
    const { clock, sleepers, pass } = makeTime();
    const mover = createRawMover({ stores, filesOf, clock });
    await accept('ada', 'a');
    await accept('ben', 'b');
    mover.held('ada', 100);
    mover.held('ben', 100);
    expect(sleepers()).toBe(1);
    pass();
    // One came meanwhile.
    await expect.poll(sleepers).toBe(1);
    expect(files('ada') + files('ben')).toBe(0);
    pass();
    await expect.poll(() => files('ada') + files('ben')).toBe(2);
    await expect.poll(async () => (await rowsOf('ada')) + (await rowsOf('ben'))).toBe(0);
    expect(sleepers()).toBe(0);
    await mover.close();
  });

  it('does not wait where there is too much of it', async () => {
    const { clock, pass, sleepers } = makeTime();
    const mover = createRawMover({ stores, filesOf, clock });
    await accept('ada', 'a');
    mover.held('ada', 1);
    mover.held('ada', 64 * 1024 * 1024);
    expect(sleepers()).toBe(1);
    pass();
    await expect.poll(() => files('ada')).toBe(1);
    await mover.close();
  });

  it('makes files of what is left when it is closed', async () => {
    const mover = createRawMover({ stores, filesOf, clock: makeTime().clock });
    await accept('ada', 'a');
    mover.held('ada', 100);
    await mover.close();
    expect(files('ada')).toBe(1);
    expect(await rowsOf('ada')).toBe(0);
  });
});
