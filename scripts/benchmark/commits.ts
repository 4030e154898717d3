import { readFileSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * How many transactions are committed while `work` runs, as SQLite itself wrote them down: the last frame of each
 * carries the size of the database after it. Tries again when the log began anew meanwhile.
 */
export async function commitsIn(walFile: string, work: () => Promise<void>): Promise<number> {
  for (;;) {
    const before = look(walFile);
    await work();
    const after = look(walFile);
    if (after.salt === before.salt) return after.commits - before.commits;
  }
}

function look(walFile: string): { salt: string; commits: number } {
  const wal = readFileSync(walFile);
  const salt = wal.subarray(16, 24).toString('hex');
  const frameBytes = FRAME_HEADER_BYTES + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = HEADER_BYTES; at + frameBytes <= wal.length; at += frameBytes) {
    // What an earlier log left behind has another salt.
    if (wal.subarray(at + 8, at + 16).toString('hex') !== salt) break;
    if (wal.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return { salt, commits };
}
