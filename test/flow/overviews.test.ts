import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import SQLite from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { type BenchWorkspace, makeBenchWorkspace } from '../../scripts/benchmark/bench-workspace.ts';
import { seedPersonas } from '../../scripts/benchmark/seed-personas.ts';
import { eventually } from './eventually.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/epistle.js', import.meta.url));
const PERSONAS = 12;

let workspace: BenchWorkspace | undefined;
afterAll(() => workspace?.remove());

async function seeded(): Promise<string> {
  if (workspace === undefined) {
    workspace = makeBenchWorkspace({ personas: PERSONAS, modelUrl: null });
    const dataDir = join(workspace.root, 'data');
    await seedPersonas({ dataDir, personas: PERSONAS, every: 1, now: Date.now() - 60_000 });
  }
  return workspace.root;
}

/** A command of the real program; `signal` is how it was killed. */
async function epistle(root: string, words: readonly string[], crashAt?: string) {
  const child = spawn(process.execPath, [PROGRAM, '--workspace', root, ...words, '--json'], {
    env: {
      ...process.env,
      XDG_STATE_HOME: '/dev/null',
      ...(crashAt === undefined ? {} : { NODE_ENV: 'test', EPISTLE_CRASH_AT: crashAt }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { out, signal: signal as NodeJS.Signals | null };
}

const statusOf = async (root: string): Promise<{ queue: object; outbox: object }> =>
  JSON.parse((await epistle(root, ['status'])).out);

/** The same, of the personas' own databases. */
function inDatabases(root: string) {
  const rows = readdirSync(join(root, 'data', 'personas')).flatMap((id) => {
    const database = new SQLite(join(root, 'data', 'personas', id, 'persona.db'), { readonly: true });
    try {
      return database.prepare<[], { state: string }>('select state from outbox').all();
    } finally {
      database.close();
    }
  });
  const count = (...states: string[]) => rows.filter(({ state }) => states.includes(state)).length;
  return {
    queued: count('queued', 'sending'),
    failed: count('failed'),
    unknown: count('unknown'),
    drafts: count('draft'),
  };
}

describe('a process that is killed while it keeps what lists need of each persona', () => {
  it.each(['overview.read', 'overview.kept'])('%s: the next list is right', async (label) => {
    const root = await seeded();
    const dropped = new SQLite(join(root, 'data', 'personas', 'p2', 'persona.db'));
    dropped.prepare(`update outbox set attempts = attempts + 1`).run();
    dropped.close();
    // What was written a moment ago is read and not kept.
    await eventually(
      () => epistle(root, ['status'], label),
      ({ signal }) => signal === 'SIGKILL',
      90_000,
      500,
    );
    expect((await statusOf(root)).outbox).toEqual(inDatabases(root));
  });

  it('overview.changed: what it had committed is in the next list', async () => {
    const root = await seeded();
    await statusOf(root);
    const before = inDatabases(root);
    const { outbox } = JSON.parse((await epistle(root, ['outbox', 'list', '--status', 'failed'])).out);
    const killed = await epistle(root, ['outbox', 'drop', outbox[0].id], 'overview.changed');
    expect(killed.signal).toBe('SIGKILL');
    const after = inDatabases(root);
    expect(after).toEqual({ ...before, failed: before.failed - 1 });
    expect((await statusOf(root)).outbox).toEqual(after);
  });
});
