import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Set where a run has its folder; each project of a run asks for one. */
const OURS = 'TMPDIR_OF_TESTS';

/**
 * A folder for everything that tests, and the programs that they start, keep for a while: it goes at the end with what
 * those left behind that were killed. Like the system's own it is for every account.
 */
export default function setup(): (() => void) | undefined {
  if (process.env[OURS] !== undefined) return;
  // A short name: those below it are paths of sockets, of which a system takes a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), 'run-'));
  chmodSync(folder, 0o1777);
  process.env[OURS] = folder;
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
