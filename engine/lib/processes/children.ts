import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '#contract';
import { messageOf } from '../error-message.ts';
import { readJson } from '../json.ts';

/** The processes that this one has started, each at the head of a process group of its own. */
export interface Children {
  /** What each of them needs in its environment: by it those are known that outlive the head of their group. */
  readonly environment: Readonly<Record<string, string>>;
  /** One was started. Its group is ended before this process exits, and by the next start where this process is killed. */
  add(pid: number, name: string): void;
  /** To its whole group; false where nothing of that is left. `0` asks without a signal. */
  signal(pid: number, what: NodeJS.Signals | 0): boolean;
  /** Nothing of its group is left. */
  remove(pid: number): void;
  /** Ends the groups of all at once. Never throws. */
  killAll(): void;
  /**
   * Ends what processes that are gone have left behind, as their records name it: the same number with the same time of
   * birth, or what bears their mark in the group. Nothing else. Returns the names.
   */
  endLeftBehind(): readonly string[];
}

const MARK = 'EPISTLE_STARTED_AS';

const recorded = z.object({
  name: z.string(),
  /** Not 1: to signal group 1 would be to signal all that there is. */
  pid: z.int().min(2),
  born: z.string(),
  mark: z.string(),
  by: z.object({ pid: z.int().positive(), born: z.string() }),
});
type Recorded = z.infer<typeof recorded>;

/** One record a process in the folder, beside those of other processes that work on the same workspace. */
export function createChildren({
  folder,
  id,
  log,
}: {
  /** Asked when something is started. */
  folder(): string;
  /** Never given twice. */
  readonly id: string;
  readonly log: Log;
}): Children {
  /** By number: when it was born; null where nobody could look. */
  const groups = new Map<number, string | null>();
  const fileOf = (pid: number) => join(folder(), `${process.pid}-${pid}.json`);
  const signal = (pid: number, what: NodeJS.Signals | 0): boolean => {
    const [born, now] = [groups.get(pid), lookAt(pid)];
    // The head may have ended long ago, and its number be given to another process since.
    return born !== undefined && (now === null || now.born === born) && signalTo(-pid, what);
  };
  const killAll = () => {
    for (const pid of groups.keys()) {
      signal(pid, 'SIGKILL');
      rmSync(fileOf(pid), { force: true });
    }
    groups.clear();
    unlisten();
  };
  /** First of all that listen: only where nobody else does, the signal ends the process, and then no `exit` is told. */
  const onSignal = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) > 1) return;
    killAll();
    process.kill(process.pid, signal);
  };
  const listen = () => {
    process.on('exit', killAll);
    for (const signal of DEADLY) process.prependListener(signal, onSignal);
  };
  const unlisten = () => {
    process.off('exit', killAll);
    for (const signal of DEADLY) process.off(signal, onSignal);
  };

  return {
    environment: { [MARK]: id },
    add(pid, name) {
      if (groups.size === 0) listen();
      const [own, by] = [lookAt(pid), lookAt(process.pid)];
      groups.set(pid, own?.born ?? null);
      if (own === null || by === null) return;
      const record: Recorded = { name, pid, born: own.born, mark: id, by: { pid: process.pid, born: by.born } };
      try {
        mkdirSync(folder(), { recursive: true, mode: 0o700 });
        writeFileSync(fileOf(pid), JSON.stringify(record), { mode: 0o600 });
      } catch (error) {
        // On a full disk it is ended by this process alone.
        log.warn({ name, error: messageOf(error) }, 'a process that was started could not be noted down');
      }
    },
    signal,
    remove(pid) {
      if (!groups.delete(pid)) return;
      rmSync(fileOf(pid), { force: true });
      if (groups.size === 0) unlisten();
    },
    killAll,
    endLeftBehind() {
      const ended: string[] = [];
      for (const file of filesIn(folder())) {
        const record = readRecord(join(folder(), file));
        if (record !== null && isThere(record.by)) continue;
        if (record !== null && endGroup(record)) ended.push(record.name);
        rmSync(join(folder(), file), { force: true });
      }
      return ended;
    },
  };
}

const DEADLY = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const isThere = ({ pid, born }: Recorded['by']): boolean => lookAt(pid)?.born === born;

/** Whether there was anything to end. */
function endGroup({ pid, born, mark }: Recorded): boolean {
  const head = lookAt(pid);
  if (head?.born === born && (head.group === null || head.group === pid)) return signalTo(-pid, 'SIGKILL');
  // The head is gone, and its number may be somebody else's by now.
  const left = marked(pid, `${MARK}=${mark}`);
  for (const each of left) signalTo(each, 'SIGKILL');
  return left.length > 0;
}

/** As kill(2): a negative number is a group. Whether there was one to get it. */
function signalTo(pid: number, what: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, what);
  } catch {
    // It has ended by itself meanwhile.
    return false;
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+-\d+\.json$/.test(name));
  } catch {
    return [];
  }
}

function readRecord(path: string): Recorded | null {
  try {
    return readJson(recorded, readFileSync(path, 'utf8')) ?? null;
  } catch {
    return null;
  }
}

/** What tells one process from a later one with the same number. */
interface Seen {
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
function marked(group: number, mark: string): readonly number[] {
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
