import type { Log } from '#contract';
import { keepListening } from '../../../../engine/app/live-listener.ts';
import { startWorker } from '../../../../engine/app/worker.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { openWorkspace } from '../../../../engine/workspace.ts';

/** One of several gateways on one data folder, none of which holds the workspace lock. Says at which port it listens. */

const [, , root = '', leaseMs = '2000'] = process.argv;
const counts = { fenced: 0 };

const log: Log = {
  ...silentLog,
  warn(_fields, message) {
    if (!message.includes('taken over')) return;
    counts.fenced += 1;
    process.send?.({ fenced: counts.fenced });
  },
  child: () => log,
};

const workspace = openWorkspace({
  root,
  settings: {
    workspace: null,
    stateHome: null,
    noColor: true,
    program: 'epistle',
    test: false,
    testNow: null,
    crashAt: null,
  },
  makeLog: () => log,
});
const worker = await startWorker(workspace, { beside: { leaseMs: Number(leaseMs) } });
const listener = await keepListening(worker);
process.send?.({ port: listener.current()?.port ?? 0 });

process.once('disconnect', () => void leave());

async function leave(): Promise<void> {
  await listener.close();
  await worker.stop(5000);
  await workspace.close();
  process.exit(0);
}
