import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { EngineError } from '#contract';
import { runningGateway } from '../../../queries/gateway/running.ts';
import { defineCommand } from '../../command/define.ts';

/** A gateway ends within ten seconds of the signal. */
const ENDS_WITHIN_MS = 15_000;
const POLL_MS = 50;

export const stop = defineCommand({
  name: 'stop',
  summary: 'End the gateway of this workspace; what is under way goes on at the next start',
  async run({ open }) {
    const workspace = open({ tolerant: true });
    const running = runningGateway(workspace);
    if (!running) return { stopped: false, pid: null };
    const { pid } = running;
    mustBeOurs(pid, commandOf(pid));
    signal(pid);
    for (const until = Date.now() + ENDS_WITHIN_MS; Date.now() < until; await wait(POLL_MS)) {
      // The lock goes with the process, the last that a gateway lets go of.
      if (!workspace.isLocked()) return { stopped: true, pid };
    }
    throw new EngineError(
      'timeout',
      `the gateway (process ${pid}) has not ended yet; \`epistle logs\` says what it does`,
    );
  },
  text: ({ stopped, pid }) => (stopped ? `The gateway (process ${pid}) has ended.` : 'No gateway runs here.'),
});

/** What a process was started with; null where nobody can tell. */
function commandOf(pid: number): string | null {
  try {
    if (existsSync('/proc/self')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const { status, stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
    return status === 0 ? stdout : null;
  } catch {
    return null;
  }
}

/**
 * Pure. The number is what the gateway knows of itself: in a container it is another process here. Throws `unauthorised` for
 * what does not look like a gateway.
 */
export function mustBeOurs(pid: number, command: string | null): void {
  if (command !== null && /epistle/i.test(command) && /\bstart\b/.test(command)) return;
  throw new EngineError(
    'unauthorised',
    `the gateway runs as process ${pid} somewhere else, such as in a container; stop it there (\`docker compose stop\`)`,
  );
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const isOther = error instanceof Error && 'code' in error && error.code === 'EPERM';
    if (isOther)
      throw new EngineError('unauthorised', `the gateway (process ${pid}) is another account's; stop it as that one`);
    // It has ended meanwhile.
  }
}
