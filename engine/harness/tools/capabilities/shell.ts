import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { EngineError, type ShellCapability, type ShellResult } from '#contract';

const BUBBLEWRAP = '/usr/bin/bwrap';
const MAX_KEPT_BYTES = 64 * 1024;
/** More than this is nothing that anybody reads, and draining it costs the gateway. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const MAX_PROCESSES = 128;
const WATCH_MS = 50;

/** Limits of each process: how many there are (not enforced for root), 256 MiB a file, 2 GiB of memory. */
const LIMITS =
  'ulimit -p 128 2>/dev/null || ulimit -u 128 2>/dev/null; ulimit -f 524288; ulimit -v 2097152; ulimit -c 0';

/** What the sandbox is made of: the system's programs to read, the persona's files to write, and nothing else. */
const sandbox = (files: string): string[] =>
  [
    ['--unshare-user', '--unshare-all', '--disable-userns', '--die-with-parent', '--new-session'],
    ['--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ['--clearenv', '--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin', '--setenv', 'HOME', '/files'],
    ['--setenv', 'LANG', 'C.UTF-8'],
    ['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/sbin', '/sbin'],
    ['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    [
      '--ro-bind-try',
      '/etc/alternatives',
      '/etc/alternatives',
      '--ro-bind-try',
      '/etc/ld.so.cache',
      '/etc/ld.so.cache',
    ],
    ['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev', '--size', '16777216', '--tmpfs', '/tmp'],
    ['--bind', files, '/files', '--chdir', '/files', '--remount-ro', '/'],
  ].flat();

/**
 * Runs a command by bubblewrap. The sandbox has a process namespace of its own: when its first process ends, or is
 * ended, so does everything that it started, also what went to the background.
 */
export function createShell({ filesRoot }: { filesRoot: string }): ShellCapability {
  return {
    async run({ command, timeoutMs, signal }) {
      await mkdir(filesRoot, { recursive: true, mode: 0o700 });
      const files = await realpath(filesRoot);
      // There it would be readable through the system's own folder, and those of other personas with it.
      if (files.startsWith('/usr/'))
        throw new EngineError('tool_failed', 'the workspace lies in a folder of the system');
      signal.throwIfAborted();
      const child = spawn(
        BUBBLEWRAP,
        [...sandbox(files), '/bin/sh', '-c', `${LIMITS}; exec /bin/sh -c "$1"`, 'sh', command],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
          // A group of its own, so that one signal reaches it whole.
          detached: true,
          env: {},
        },
      );
      return watched(child, timeoutMs, signal);
    },
  };
}

function watched(child: ChildProcess, timeoutMs: number, signal: AbortSignal): Promise<ShellResult> {
  const state: { ended: ShellResult['ended'] } = { ended: null };
  const end = (why: ShellResult['ended']) => {
    state.ended ??= why;
    killGroup(child);
  };
  const stdout = collect(child.stdout, () => end('too much output'));
  const stderr = collect(child.stderr, () => end('too much output'));
  const deadline = setTimeout(() => end('timeout'), timeoutMs);
  const watch = setInterval(() => {
    if (child.pid !== undefined && countBelow(child.pid) > MAX_PROCESSES) end('too many processes');
  }, WATCH_MS);
  const stop = () => end('timeout');
  signal.addEventListener('abort', stop, { once: true });
  return new Promise<ShellResult>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new EngineError('tool_failed', 'there is no sandbox to run it in', { cause })),
    );
    child.once('close', (code) => {
      resolve({
        exit_code: state.ended === null ? code : null,
        ended: state.ended,
        stdout: stdout.text(),
        stderr: stderr.text(),
        stdout_bytes: stdout.bytes(),
        stderr_bytes: stderr.bytes(),
        truncated: stdout.bytes() > MAX_KEPT_BYTES || stderr.bytes() > MAX_KEPT_BYTES,
      });
    });
  }).finally(() => {
    clearTimeout(deadline);
    clearInterval(watch);
    signal.removeEventListener('abort', stop);
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

/** Keeps the beginning and counts the rest; a writer that nobody drains would hang until its deadline. */
function collect(stream: Readable | null, overflow: () => void) {
  const kept: Buffer[] = [];
  const count = { kept: 0, all: 0 };
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, Math.max(0, MAX_KEPT_BYTES - count.kept));
    kept.push(part);
    count.kept += part.length;
    count.all += chunk.length;
    if (count.all > MAX_OUTPUT_BYTES) overflow();
  });
  return { text: () => Buffer.concat(kept).toString('utf8'), bytes: () => count.all };
}

/** Processes below one, as Linux lists them. What the limit of a user does not hold back, this sees. */
function countBelow(pid: number): number {
  let count = 0;
  let level: readonly number[] = [pid];
  while (level.length > 0 && count <= MAX_PROCESSES) {
    level = level.flatMap(childrenOf);
    count += level.length;
  }
  return count;
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
