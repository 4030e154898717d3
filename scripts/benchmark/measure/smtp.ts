import { setTimeout as sleep } from 'node:timers/promises';
import { makeBenchWorkspace } from '../bench-workspace.ts';
import { type Correspondent, exchange, type Listener } from '../correspondent.ts';
import { median, rounded } from '../figures.ts';
import { startPeer } from '../peer.ts';
import { cpuMsOf } from '../process-figures.ts';

const REST = { lookMs: 200, busyMs: 2 };
const CONNECTIONS = 32;
const PERSONAS = 4;

/** Accepted mails per second over 32 kept-open connections, and the same for the barest durable listener. */
export async function measureSmtp(
  correspondent: Correspondent,
  size: { rounds: number; mails: number; floorMails: number },
): Promise<{ accepted_per_s: number; floor_per_s: number }> {
  const workspace = makeBenchWorkspace({ personas: PERSONAS, modelUrl: null });
  const gateway = await startPeer<Omit<Listener, 'host'>>('accept-only', [workspace.root]);
  const floor = await startPeer<{ port: number }>('smtp-floor', [workspace.root]);
  try {
    const rate = async (listener: Listener, mails: number) => {
      const task = { connections: CONNECTIONS, personas: PERSONAS, mails, answers: false };
      const { seconds } = await exchange(correspondent, listener, task);
      return mails / seconds;
    };
    const real = { host: '127.0.0.1', ...gateway.hello };
    const bare = { host: '127.0.0.1', secret: '', ...floor.hello };
    const accepted: number[] = [];
    const floors: number[] = [];
    // The first round warms both up and does not count.
    for (let round = 0; round <= size.rounds; round += 1) {
      const acceptedNow = await rate(real, size.mails);
      await comesToRest(gateway.pid);
      const floorNow = await rate(bare, size.floorMails);
      if (round === 0) continue;
      accepted.push(acceptedNow);
      floors.push(floorNow);
    }
    return { accepted_per_s: rounded(median(accepted), 0), floor_per_s: rounded(median(floors), 0) };
  } finally {
    await Promise.all([gateway.stop(), floor.stop()]);
    workspace.remove();
  }
}

/** The gateway makes files of what it accepted once it is calm: not at the cost of the floor. */
async function comesToRest(pid: number): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; cpuMsOf(pid) - before > REST.busyMs; ) {
    before = cpuMsOf(pid);
    await sleep(REST.lookMs);
  }
}
