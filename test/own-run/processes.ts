import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The variable that everything of a run inherits: the run's own folder. */
export const MARK = 'TMPDIR_OF_TESTS';

/** Where the guard notes whom it has ended, a line each. */
export const ENDED_FILE = '.ended-by-guard';

export interface Running {
  readonly pid: number;
  readonly parent: number;
  /** As somebody would type it. */
  readonly command: string;
  /** Where it was to die; null where it was not. */
  readonly diesAt: string | null;
}

/**
 * Everything that runs and was started by the run of that folder, by whatever way: who is left alone keeps its environment,
 * and who was given another one has the folder in its arguments. Empty where the system has no `/proc`.
 */
export const processesOf = (folder: string): readonly Running[] =>
  look((pid, command) => wordsOf(pid, 'environ').includes(`${MARK}=${folder}`) || command.includes(folder));

/** Everything that runs. */
export const allProcesses = (): readonly Running[] => look(() => true);

const look = (isWanted: (pid: number, command: string) => boolean): readonly Running[] =>
  numbersIn('/proc').flatMap((pid) => {
    const command = wordsOf(pid, 'cmdline').join(' ');
    // One that has ended and that nobody has asked about has no words any more.
    if (command === '' || pid === process.pid || !isWanted(pid, command)) return [];
    return [{ pid, parent: parentOf(pid), command, diesAt: valueIn(wordsOf(pid, 'environ'), 'EPISTLE_CRASH_AT') }];
  });

/** What somebody has to know of one that should no longer be there. */
export function describe({ pid, command, diesAt }: Running): string {
  const ports = portsOf(pid);
  return [
    command.length > MOST_CHARACTERS ? `${command.slice(0, MOST_CHARACTERS)}…` : command,
    ...(ports.length === 0 ? [] : [`on port ${ports.join(' and ')}`]),
    ...(diesAt === null ? [] : [`which was to die at ${diesAt} and did not come there`]),
  ].join(' ');
}

const MOST_CHARACTERS = 160;

export function kill({ pid }: Pick<Running, 'pid'>): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

/** The TCP ports on which a process takes connections. */
export function portsOf(pid: number): readonly number[] {
  const sockets = new Set(numbersIn(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  return ['tcp', 'tcp6'].flatMap((kind) =>
    textOf(`/proc/${pid}/net/${kind}`)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTENS && sockets.has(`socket:[${inode}]`))
      .map(([, address = '']) => Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16)),
  );
}

/** As proc_net_tcp(5) writes TCP_LISTEN. */
const LISTENS = '0A';

const wordsOf = (pid: number, file: 'cmdline' | 'environ'): readonly string[] =>
  textOf(`/proc/${pid}/${file}`).split('\0').filter(Boolean);

/** 0 where there is no such process any more. */
export const parentOf = (pid: number): number => Number(statOf(pid)[1] ?? 0);

/** Whether it was started to go on by itself, as a service is: it has a session of its own. */
export const isOnItsOwn = (pid: number): boolean => Number(statOf(pid)[3]) === pid;

/** As proc_pid_stat(5) lists it behind the name: state, parent, group, session. */
function statOf(pid: number): readonly string[] {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in parentheses may have blanks and parentheses itself.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const valueIn = (variables: readonly string[], name: string): string | null =>
  variables.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
