import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { USER } from './become-user.ts';
import { passSignalsOn } from './pass-signals-on.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * The exit code of this program run once more from a place where other accounts can reach the checkout; null where
 * they can reach it already, or where nobody needs to. Root may have it in a folder of its own, and what does not run
 * as root would find neither Node nor the sources there. The other place is a mount that only that program sees.
 */
export async function againWhereReachable(args: readonly string[]): Promise<number | null> {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0 || isReachable()) return null;
  const view = mkdtempSync(join(tmpdir(), 'epistle-view-'));
  try {
    const seen = (path: string) => (path.startsWith(`${root}/`) ? join(view, relative(root, path)) : path);
    const [program = '', ...rest] = [process.execPath, ...process.execArgv, process.argv[1] ?? ''].map(seen);
    const script = 'chmod 755 "$2" && mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@"';
    const inside = ['sh', '-c', script, 'sh', root, view, program, ...rest, ...args];
    const child = spawn('unshare', ['--mount', '--propagation', 'private', ...inside], { stdio: 'inherit' });
    const [status]: unknown[] = await once(passSignalsOn(child, 30_000), 'close');
    return typeof status === 'number' ? status : 1;
  } finally {
    rmdirSync(view);
  }
}

function isReachable(): boolean {
  const read = `require('node:fs').readFileSync(${JSON.stringify(join(root, 'package.json'))})`;
  return spawnSync(process.execPath, ['-e', read], { uid: USER, gid: USER, cwd: '/' }).status === 0;
}
