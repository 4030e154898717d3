import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cut } from './scenario.ts';

const SCENARIO = fileURLToPath(new URL('./scenario.ts', import.meta.url));
const MAILS = 8;
/** Promises of those that come in copies: the first and its duplicates. */
const PROMISES = 4 + 4 * 8;
const STEPS = 2;

let folder: string;
let cuts: readonly Cut[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-power-'));
  const { stdout } = await promisify(execFile)(process.execPath, [SCENARIO, folder], { maxBuffer: 1e7 });
  cuts = JSON.parse(stdout);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How many rows of the disk that was cut a query finds. */
function found({ folder, id }: Cut, from: string): number {
  const database = new SQLite(join(folder, 'persona.db'));
  try {
    const count = database.prepare<[string], { n: number }>(`select count(*) as n from ${from}`).get(id);
    return count?.n ?? 0;
  } finally {
    database.close();
  }
}

/** The hash of a mail's bytes as the disk has them: in their row, else in their file. */
function rawOf({ folder, id, raw }: Cut): string | null {
  const database = new SQLite(join(folder, 'persona.db'));
  try {
    const row = database
      .prepare<[string], { bytes: Buffer }>('select bytes from raw_mail join messages using (seq) where message_id = ?')
      .get(id);
    const file = join(folder, `mail/${raw}.eml`);
    const bytes = row?.bytes ?? (existsSync(file) ? readFileSync(file) : null);
    return bytes && createHash('sha256').update(bytes).digest('hex');
  } finally {
    database.close();
  }
}

const of = (promise: Cut['promise']): readonly Cut[] => cuts.filter((cut) => cut.promise === promise);

describe('a power cut at the moment of a promise', () => {
  it('leaves each accepted mail, its run and its files', () => {
    const accepted = of('accepted');
    expect(accepted.length).toBe(PROMISES);
    const runs = 'messages join runs on runs.message = messages.id where messages.message_id = ?';
    expect(accepted.map((cut) => found(cut, runs))).toEqual(accepted.map(() => 1));
    const lost = accepted.flatMap(({ folder, files }) => files.filter((file) => !existsSync(join(folder, file))));
    expect(lost).toEqual([]);
    expect(accepted.map(rawOf)).toEqual(accepted.map(({ raw }) => raw));
    // Both ways were taken.
    const asFiles = accepted.filter(({ folder, raw }) => existsSync(join(folder, `mail/${raw}.eml`)));
    expect(asFiles.length).toBeGreaterThan(0);
    expect(asFiles.length).toBeLessThan(accepted.length);
  });

  it('leaves what a run was about to do, each time that it did it, and what it has found before', () => {
    const intended = of('intended');
    expect(intended.length).toBe(MAILS * STEPS);
    const calls = "run_events where type = 'tool_call_intended' and run_id = ?";
    const results = "run_events where type = 'observation' and run_id = ?";
    const before = new Map<string, number>();
    for (const cut of intended) {
      before.set(cut.id, (before.get(cut.id) ?? 0) + 1);
      expect(found(cut, calls)).toBe(before.get(cut.id));
      expect(found(cut, results)).toBe((before.get(cut.id) ?? 0) - 1);
    }
  });

  it('leaves the reply that a server was given, the end of its run, and that it was being sent', () => {
    const answered = of('answered');
    expect(answered.length).toBe(MAILS);
    const replies = `messages asked join runs on runs.message = asked.id join outbox on outbox.run_id = runs.id
      where asked.message_id = ? and runs.status = 'done' and outbox.state in ('sending', 'sent')`;
    expect(answered.map((cut) => found(cut, replies))).toEqual(answered.map(() => 1));
  });
});
