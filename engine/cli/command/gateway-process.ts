import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { EngineError } from '#contract';
import { readJson } from '../../lib/json.ts';
import { type ReadyFile, runningGateway } from '../../queries/gateway/running.ts';
import type { Workspace } from '../../workspace.ts';

/** As much of a workspace as its gateway is found by. */
export type GatewayPlace = Pick<Workspace, 'root' | 'dataDir' | 'isLocked'>;

/** A gateway ends within ten seconds of the signal. */
const ENDS_WITHIN_MS = 15_000;
const READY_MS = 30_000;
const POLL_MS = 50;

/**
 * Starts the gateway of a workspace as a process of its own, which goes on when this one ends; what
 * ends it before it logs is in `data/gateway.log`. One that runs already takes up what was written by itself. Throws `not_running`
 * and `port_in_use`, with why.
 */
export async function startGateway(
  workspace: GatewayPlace,
  program: string,
): Promise<{ pid: number; started: boolean }> {
  const { root, dataDir } = workspace;
  const running = runningGateway(workspace);
  if (running) return { pid: running.pid, started: false };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const log = openSync(join(dataDir, 'gateway.log'), 'w', 0o600);
  const child = spawn(process.execPath, [program, '--workspace', root, 'start', '--json', '--quiet'], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  child.unref();
  const ready = await untilRunning(workspace, () => true, ended.signal);
  if (ready) return { pid: ready.pid, started: true };
  throw whyNotStarted(join(dataDir, 'gateway.log'));
}

const failure = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) });

/** By the last words of its process, where those are an error that it has told. */
function whyNotStarted(log: string): EngineError {
  const told = readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => readJson(failure, line)?.error ?? [])
    .at(-1);
  if (told === undefined) return new EngineError('not_running', `the gateway did not start; ${log} says why`);
  const code = told.code === 'port_in_use' ? told.code : 'not_running';
  return new EngineError(code, `the gateway did not start: ${told.message}`);
}

/** The gateway of the workspace once it is such a one; null where none is within half a minute, or `given` up before. */
export async function untilRunning(
  workspace: GatewayPlace,
  isWanted: (ready: ReadyFile) => boolean,
  given?: AbortSignal,
): Promise<ReadyFile | null> {
  for (const until = Date.now() + READY_MS; Date.now() < until && !given?.aborted; await wait(POLL_MS)) {
    const ready = runningGateway(workspace);
    if (ready && isWanted(ready)) return ready;
  }
  return null;
}

/** The gateway of the workspace where its process is one of this machine; null where none runs. Throws `unauthorised`. */
export function gatewayHere(workspace: GatewayPlace): ReadyFile | null {
  const running = runningGateway(workspace);
  if (running) mustBeOurs(running.pid, commandOf(running.pid));
  return running;
}

/** Ends the gateway of a workspace and waits until it has; null where none runs. Throws `unauthorised`, `timeout`. */
export async function endGateway(workspace: GatewayPlace): Promise<{ pid: number } | null> {
  const running = gatewayHere(workspace);
  if (!running) return null;
  const { pid } = running;
  signal(pid);
  for (const until = Date.now() + ENDS_WITHIN_MS; Date.now() < until; await wait(POLL_MS)) {
    // The lock goes with the process, the last that a gateway lets go of.
    if (!workspace.isLocked()) return { pid };
  }
  throw new EngineError(
    'timeout',
    `the gateway (process ${pid}) has not ended yet; \`epistle logs\` says what it does`,
  );
}

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
