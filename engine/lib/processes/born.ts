import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What tells one process from a later one with the same number. */
export interface Seen {
  /** When it began: boot and ticks since then, from proc_pid_stat(5); where there is no /proc, what `ps` says of it. */
  readonly born: string;
  /** It has ended, and its parent has not looked yet. */
  readonly isDead: boolean;
  /** Its process group; null where that is not known. */
  readonly group: number | null;
}

/** Null when there is no process of that number. */
export function lookAt(pid: number): Seen | null {
  return HAS_PROC ? fromProc(pid) : fromPs(pid);
}

/** Those of a process group that have `mark` in their environment; nobody where the system does not show it. */
export function marked(group: number, mark: string): readonly number[] {
  if (!HAS_PROC) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => fromProc(pid)?.group === group && environmentOf(pid).includes(mark));
}

const HAS_PROC = process.platform === 'linux';

function fromProc(pid: number): Seen | null {
  const text = read(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name in parentheses may have blanks and parentheses itself.
  const [state = '', , group = '', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  return { born: `${boot} ${fields[16] ?? ''}`, isDead: 'ZX'.includes(state), group: Number(group) };
}

function fromPs(pid: number): Seen | null {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state = '', ...born] = (stdout ?? '').split(' ').filter((word) => word !== '');
  return born.length === 0 ? null : { born: born.join(' ').trim(), isDead: state.startsWith('Z'), group: null };
}

const environmentOf = (pid: number): readonly string[] => read(`/proc/${pid}/environ`)?.split('\0') ?? [];

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
