import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { INFO_FD } from './sandbox.ts';

const LOOK_MS = 5;
/** Bubblewrap tells of the first process within milliseconds. */
const START_MS = 2000;

/** A sandbox that runs. */
interface SandboxProcess {
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Ends it with all that was started in it; `done` tells when. */
  kill(): void;
  /** Its exit code, when nothing that was started in it is left. Rejects when it could not be started. */
  readonly done: Promise<number | null>;
}

/**
 * Starts bubblewrap, which watches over the first process of the sandbox from outside. That first process has a process
 * namespace of its own, and all others end with it: the kernel sees to it before anybody hears that it is gone.
 */
export function startSandbox([program, args]: [string, string[]]): SandboxProcess {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // A group of its own, so that one signal reaches it whole.
    detached: true,
    env: {},
  });
  const first = firstProcess(child);
  async function ended(): Promise<number | null> {
    const [[code]] = await Promise.all([once(child, 'exit'), once(child, 'close')]);
    return typeof code === 'number' ? code : null;
  }
  const started = once(child, 'spawn');
  const gone = started.then(async () => {
    const closed = ended();
    await once(child, 'exit');
    // When the command is done, bubblewrap leaves first, and what went to the background is ended only after that.
    const process = await first;
    for (process?.kill(); process?.runs() === true; ) await sleep(LOOK_MS);
    return closed;
  });
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    kill() {
      // Not by way of bubblewrap alone: whoever waits for it to be gone would not know of what it left behind.
      const late = setTimeout(() => killGroup(child), START_MS);
      void first.then((process) => {
        clearTimeout(late);
        if (process) process.kill();
        else killGroup(child);
      });
    },
    done: gone,
  };
}

interface Known {
  kill(): void;
  runs(): boolean;
}

/** The first process of the sandbox, as this side sees it; null where bubblewrap ended before there was one. */
async function firstProcess(child: ChildProcess): Promise<Known | null> {
  const pipe = child.stdio[INFO_FD];
  if (!pipe || !('setEncoding' in pipe)) return null;
  let text = '';
  pipe.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await Promise.race([once(pipe, 'end'), once(pipe, 'error'), once(child, 'error')]).catch(() => undefined);
  const pid = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1]);
  const born = statOf(pid)?.born;
  if (!Number.isSafeInteger(pid) || born === undefined) return null;
  // A number that is used again is another process.
  const runs = () => {
    const now = statOf(pid);
    return now !== null && now.born === born && !'ZX'.includes(now.state);
  };
  return {
    runs,
    kill() {
      if (runs()) process.kill(pid, 'SIGKILL');
    },
  };
}

/** State and time of birth, from proc_pid_stat(5); null when there is no such process. */
function statOf(pid: number): { readonly state: string; readonly born: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may have blanks and parentheses itself.
    const [state = '', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, born: fields[18] ?? '' };
  } catch {
    return null;
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}
