import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CURRENT } from '../../engine/backup/schema-marker.ts';
import { lockWorkspace } from '../../engine/storage/sqlite/workspace-lock.ts';
import { SIZE } from '../size.ts';
import { run, withoutKeys } from './command-line.ts';
import { mountSmallDisk, type SmallDisk } from './full-disk/small-disk.ts';
import { epistle } from './gateway.ts';
import { olderIn } from './older-workspace.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** What waits there for somebody has not expired. */
const THEN = { NODE_ENV: 'test', EPISTLE_TEST_NOW: '2026-11-28T12:00:00Z' };

let place = '';
let disk: SmallDisk | null = null;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'upgrade-'));
});
afterEach(() => {
  disk?.remove();
  disk = null;
  rmSync(place, { recursive: true, force: true });
});

const databasesOf = (root: string): readonly string[] => [
  join(root, 'data/gateway.db'),
  ...readdirSync(join(root, 'data/personas')).map((id) => join(root, 'data/personas', id, 'persona.db')),
];

/** What a database holds of what an older version wrote, and its version; looking changes nothing but its log. */
function stateOf(file: string) {
  const database = new SQLite(file, { timeout: 5000 });
  try {
    const ids = (table: string, column: string) =>
      database.prepare<[], string>(`select "${column}" from "${table}" order by 1`).pluck().all();
    const isGateway = file.endsWith('gateway.db');
    return {
      sound: database.pragma('integrity_check', { simple: true }),
      version: Number(database.pragma('user_version', { simple: true })),
      schema: database
        .prepare<[], string>(`select name || sql from sqlite_master where sql is not null order by 1`)
        .pluck()
        .all()
        .join('\n'),
      rows: isGateway ? ids('seen', 'message_id') : [...ids('messages', 'message_id'), ...ids('runs', 'id')],
    };
  } finally {
    database.close();
  }
}

const statesOf = (root: string) => databasesOf(root).map(stateOf);
const versionsOf = (root: string) => statesOf(root).map(({ version }) => version);
const backupsIn = (root: string): string[] =>
  existsSync(join(root, 'backups'))
    ? readdirSync(join(root, 'backups'))
        .map((name) => join(root, 'backups', name))
        .filter((one) => existsSync(join(one, 'manifest.json')))
    : [];

/** Mail that lies there with a later date than the backup has: some, where the machine's date is before that of the older version. */
function datedAfter(root: string, backup: string): number {
  const { created_at: at } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
  const database = new SQLite(join(root, 'data/gateway.db'), { readonly: true });
  try {
    const count = database.prepare<[number], number>(
      "select count(*) from seen where direction = 'in' and received_at >= ?",
    );
    return count.pluck().get(Date.parse(at)) ?? 0;
  } finally {
    database.close();
  }
}

/** A command that opens every database, under `dies-at.mjs`; whether it was killed. */
async function status(root: string, diesAt: number, counted = ''): Promise<boolean> {
  const child = spawn(
    process.execPath,
    ['--import', path('dies-at.mjs'), path('../../bin/epistle.js'), '--workspace', root, 'runs', 'list', '--json'],
    { env: { ...withoutKeys(process.env), ...THEN, DIES_AT: String(diesAt), DIES_COUNT: counted }, stdio: 'ignore' },
  );
  const [code, signal]: (number | string | null)[] = await once(child, 'close');
  if (signal !== 'SIGKILL') expect(code).toBe(0);
  return signal === 'SIGKILL';
}

describe('a workspace of an older version', () => {
  it('is whole wherever its upgrade is killed: each database is the one of before or the new one, and a copy of before is kept', async () => {
    const first = olderIn(place);
    const before = statesOf(first);
    const counted = join(place, 'steps');
    expect(await status(first, 0, counted)).toBe(false);
    const after = statesOf(first);
    expect(after.map(({ version }) => version)).toEqual([CURRENT.gateway, CURRENT.persona, CURRENT.persona]);
    const steps = Number(readFileSync(counted, 'utf8').trim().split('\n').at(-1));
    expect(steps).toBeGreaterThan(50);
    rmSync(first, { recursive: true });

    const tries = Math.min(steps, SIZE >= 20 ? steps : 10);
    const foundAt = new Set<string>();
    for (let one = 1; one <= tries; one += 1) {
      const at = Math.round((one * steps) / tries);
      const root = olderIn(place);
      const wasKilled = await status(root, at);
      const left = statesOf(root);
      for (const [index, state] of left.entries()) {
        const wanted = state.version === before[index]?.version ? before[index] : after[index];
        expect({ ...state, at }).toEqual({ ...wanted, at });
      }
      foundAt.add(left.map(({ version }, index) => (version === before[index]?.version ? 'before' : 'new')).join());
      // What is new was copied before.
      if (left.some(({ version }, index) => version !== before[index]?.version))
        expect(backupsIn(root)).not.toEqual([]);

      expect(await status(root, -1)).toBe(false);
      expect(statesOf(root)).toEqual(after);
      expect(wasKilled || one === tries).toBe(true);
      // Killed between the copy and the change, it is copied once more; each of them is what was before.
      const backups = backupsIn(root);
      expect(backups).not.toEqual([]);
      for (const backup of backups) {
        const { json } = await epistle(root, ['backup', 'verify', backup]);
        expect(json).toMatchObject({ ok: true, problems: [] });
        expect(databasesOf(backup).map(stateOf)).toEqual(before);
      }
      rmSync(root, { recursive: true });
    }
    expect(foundAt).toContain('before,before,before');
    expect(foundAt.size).toBeGreaterThan(1);
  });

  it('is left as it is where its disk has no room for the copy, and lifted once it has', async () => {
    disk = mountSmallDisk(join(place, 'disk'), 8);
    expect(disk, 'this account can mount no disk of its own').not.toBeNull();
    const root = olderIn(join(place, 'disk'));
    const before = statesOf(root);
    disk?.fill();
    const full = await run(['--workspace', root, 'runs', 'list'], { environment: THEN });
    expect(full.code).toBe(5);
    expect(full.stderr).toContain('so it was not opened; look whether the disk is full, and try again');
    expect(full.stderr).not.toMatch(/^\s+at /m);
    disk?.free();
    expect(statesOf(root)).toEqual(before);
    // Room for what reading takes, and too little for a copy.
    disk?.fill(1);
    const tight = await run(['--workspace', root, 'runs', 'list'], { environment: THEN });
    expect(tight.code).toBe(5);
    expect(tight.stderr).toContain('this version changes the databases, and no backup of them could be made');
    expect(tight.stderr).not.toMatch(/^\s+at /m);
    disk?.free();
    expect(statesOf(root)).toEqual(before);
    expect(backupsIn(root)).toEqual([]);
    const lifted = await run(['--workspace', root, 'runs', 'list'], { environment: THEN });
    expect([lifted.code, versionsOf(root)]).toEqual([0, [CURRENT.gateway, CURRENT.persona, CURRENT.persona]]);
    expect(backupsIn(root)).toHaveLength(1);
  });

  it('comes back as it was by one command, which says what came since and where that is', async () => {
    const root = olderIn(place);
    const before = statesOf(root);
    const lifted = await run(['--workspace', root, 'runs', 'list'], { environment: THEN });
    const [backup = ''] = backupsIn(root);
    expect(lifted.stderr).toContain(`The workspace was copied to ${backup} before its databases are changed.`);
    const later = datedAfter(root, backup);
    const sent = await run(
      ['--workspace', root, 'send', '--to', 'ada@agents.localhost', '--subject', 'Later', '--text', 'Hello', '--wait'],
      { environment: { NODE_ENV: 'test' } },
    );
    expect(sent.code, sent.stderr).toBe(0);

    const back = join(place, 'back');
    const restored = await run(['--workspace', root, 'backup', 'restore', backup, '--to', back, '--as-it-was']);
    expect(restored.stdout).toMatch(new RegExp(`^Since then ${later + 1} mails? came and \\d+ mails left\\.`, 'm'));
    if (Date.now() > Date.parse(THEN.EPISTLE_TEST_NOW)) expect(later).toBe(0);
    expect(restored.stdout).toContain(`all else that was done or set since, are in ${root} alone: keep it.`);
    expect(restored.stdout).toMatch(new RegExp(`Move it away first, then: \\S+ --workspace ${back} start$`, 'm'));
    expect(statesOf(back)).toEqual(before);
    expect(versionsOf(root)).toEqual([CURRENT.gateway, CURRENT.persona, CURRENT.persona]);
  });

  it('is not changed under a gateway of that version that works there; that one can be ended', async () => {
    const root = olderIn(place);
    const before = statesOf(root);
    const lock = lockWorkspace(join(root, 'data'));
    try {
      for (const words of [['runs', 'list'], ['status'], ['doctor'], ['start']]) {
        const { code, stderr } = await run(['--workspace', root, ...words], { environment: THEN });
        expect([words, code]).toEqual([words, 2]);
        expect(stderr).toContain('a gateway of an older version of Epistle works on this workspace; end it with');
      }
      // There is no process that it could end; it has not been kept from looking.
      expect((await run(['--workspace', root, 'stop'], { environment: THEN })).code).toBe(0);
      expect([statesOf(root), backupsIn(root)]).toEqual([before, []]);
    } finally {
      lock.release();
    }
  });
});

describe('a workspace of a newer version', () => {
  it.each(['data/gateway.db', 'data/personas/ben/persona.db'])(
    'is refused in plain words, and not changed: %s',
    async (name) => {
      const root = olderIn(place);
      expect((await run(['--workspace', root, 'runs', 'list'], { environment: THEN })).code).toBe(0);
      const newer = new SQLite(join(root, name));
      newer.pragma('user_version = 999');
      newer.close();
      // As the newer version would have written it.
      rmSync(join(root, 'data/schema.json'));
      const before = statesOf(root);
      for (const words of [['runs', 'list'], ['status'], ['start']]) {
        const { code, stderr } = await run(['--workspace', root, ...words], { environment: THEN });
        expect([words, code]).toEqual([words, 5]);
        expect(stderr).toMatch(
          /^epistle: this workspace was written by a newer version of Epistle, and nothing in it was changed/m,
        );
        expect(stderr).not.toMatch(/^\s+at /m);
      }
      expect(statesOf(root)).toEqual(before);
      expect(backupsIn(root)).toHaveLength(1);
    },
  );
});
