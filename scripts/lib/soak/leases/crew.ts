import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Random } from '../random.ts';
import type { Door } from '../submit.ts';

export const LEASE_MS = 2000;

/** What happens to one of two gateways on one data folder. */
export type Blow = 'past_lease' | 'within_lease' | 'killed';

interface Member {
  readonly process: ChildProcess;
  door: Door | null;
  fenced: number;
}

export interface Crew {
  /** Where one of them listens; null while none does. */
  door(): Door | null;
  /** Stops one of them for a while, or kills it and starts another in its place. */
  strike(blow: Blow): Promise<void>;
  /** Asks all to leave. */
  dismiss(): Promise<void>;
  readonly struck: Record<Blow, number>;
  /** Attempts that noticed that somebody else had taken their work. */
  fenced(): number;
  readonly troubles: string[];
}

/** Two gateways that share a data folder, without the workspace lock. */
export async function hireCrew(root: string, random: Random): Promise<Crew> {
  const troubles: string[] = [];
  const struck = { past_lease: 0, within_lease: 0, killed: 0 };
  const gone = { fenced: 0 };

  const hire = async (): Promise<Member> => {
    const child = fork(fileURLToPath(new URL('./lease-worker.ts', import.meta.url)), [root, String(LEASE_MS)]);
    const member: Member = { process: child, door: null, fenced: 0 };
    child.on('message', (message: { port?: number; fenced?: number }) => {
      member.fenced = message.fenced ?? member.fenced;
      if (message.port === undefined) return;
      member.door = { port: message.port, secret: readFileSync(join(root, 'data/submission.secret'), 'utf8').trim() };
    });
    for (let tries = 0; member.door === null && tries < 600 && child.exitCode === null; tries += 1) await sleep(50);
    if (member.door === null) troubles.push('a worker did not start');
    return member;
  };
  const crew: [Member, Member] = [await hire(), await hire()];

  return {
    door: () => random.pick(crew).door,
    struck,
    troubles,
    fenced: () => gone.fenced + crew.reduce((sum, { fenced }) => sum + fenced, 0),
    async strike(blow) {
      const place = random.between(0, crew.length - 1);
      const member = crew[place];
      if (!member) return;
      const { exitCode, signalCode } = member.process;
      if (exitCode !== null || signalCode !== null) {
        troubles.push(`a worker ended by itself with ${exitCode ?? signalCode}`);
        crew[place] = await hire();
        return;
      }
      struck[blow] += 1;
      if (blow === 'killed') {
        member.door = null;
        const exited = once(member.process, 'exit');
        member.process.kill('SIGKILL');
        await exited;
        gone.fenced += member.fenced;
        crew[place] = await hire();
        return;
      }
      member.process.kill('SIGSTOP');
      await sleep(blow === 'past_lease' ? LEASE_MS + random.between(100, 700) : random.between(50, LEASE_MS - 500));
      member.process.kill('SIGCONT');
    },
    async dismiss() {
      for (const { process: child } of crew) {
        const exited = once(child, 'exit');
        child.disconnect();
        const late = AbortSignal.timeout(20_000);
        await Promise.race([exited, once(late, 'abort').then(() => troubles.push('a worker did not leave'))]);
        child.kill('SIGKILL');
      }
    },
  };
}
