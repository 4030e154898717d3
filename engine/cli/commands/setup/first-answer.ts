import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EngineError } from '#contract';
import { runningGateway } from '../../../queries/gateway/running.ts';
import { listOutbox } from '../../../queries/mail/outbox.ts';
import type { Workspace } from '../../../workspace.ts';

const READY_MS = 30_000;
const POLL_MS = 500;

/**
 * Starts the gateway of a workspace as a process of its own, which goes on when this one ends; what
 * ends it before it logs is in `data/gateway.log`. One that runs already takes up what was written by itself. Throws `not_running`.
 */
export async function startGateway(workspace: Workspace, program: string): Promise<{ pid: number; started: boolean }> {
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
  for (const until = Date.now() + READY_MS; Date.now() < until && !ended.signal.aborted; ) {
    const ready = runningGateway(workspace);
    if (ready) return { pid: ready.pid, started: true };
    await wait(POLL_MS / 5);
  }
  throw new EngineError('not_running', `the gateway did not start; ${join(dataDir, 'gateway.log')} says why`);
}

/** Waits until a mail of the owner was answered; false when none was within `ms`. */
export async function firstAnswer(workspace: Workspace, owner: string, ms: number): Promise<boolean> {
  for (const until = Date.now() + ms; Date.now() < until; await wait(POLL_MS)) {
    const { outbox } = await listOutbox(workspace, { limit: 50, status: 'sent' });
    if (
      outbox.some(
        ({ kind, to }) => kind === 'reply' && to.some(({ address }) => address.toLowerCase() === owner.toLowerCase()),
      )
    )
      return true;
  }
  return false;
}
