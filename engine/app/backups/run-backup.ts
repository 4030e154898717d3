import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { z } from 'zod';
import { readJson } from '../../lib/json.ts';
import type { Children } from '../../lib/processes/children.ts';
import { programFile } from '../version.ts';

const told = z.object({
  path: z.string().nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

export interface Made {
  readonly path: string | null;
  /** In one line; null: it was made, and is whole. */
  readonly error: string | null;
}

/** No more of what it says is kept. */
const MAX_TOLD = 100_000;

/**
 * Makes a backup and looks whether it is whole, in a process of its own: to read, copy and check databases would hold mail
 * up here. Ended by `signal`, it is no backup. Never rejects.
 */
export async function runBackup(
  {
    root,
    to,
    keep,
    secrets,
    children,
  }: { root: string; to: string; keep: number; secrets: boolean; children: Children },
  signal: AbortSignal,
): Promise<Made> {
  const args = ['backup', 'create', '--verify', '--json', '--workspace', root, '--to', to, '--keep', String(keep)];
  try {
    const child = spawn(process.execPath, [programFile(), ...args, ...(secrets ? [] : ['--without-secrets'])], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // At the head of a group, as all that is started.
      detached: true,
      signal,
    });
    const { pid } = child;
    if (pid !== undefined) {
      children.add(pid, 'backup');
      child.once('exit', () => children.remove(pid));
    }
    // Mail goes first.
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
    const heard = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        heard[stream] = (heard[stream] + text).slice(-MAX_TOLD);
      });
    const [code]: (number | null)[] = await once(child, 'close');
    const said = readJson(told, heard.stdout);
    if (code === 0) return { path: said?.path ?? null, error: null };
    const why = said?.error?.message ?? (heard.stderr.trim().split('\n').at(-1) || `it ended with ${code}`);
    return { path: null, error: why.replaceAll(/\s+/g, ' ').slice(0, 500) };
  } catch (error) {
    return { path: null, error: error instanceof Error ? error.message : String(error) };
  }
}
