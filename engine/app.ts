import { tellOfFailures } from './app/extension-failures.ts';
import { keepListening, type LiveListener } from './app/live-listener.ts';
import { forgetReady, type Ready, writeReady } from './app/ready-file.ts';
import { publishState } from './app/state-file.ts';
import { startWorker, type Worker } from './app/worker.ts';
import { runningGateway } from './queries/gateway/running.ts';
import { startUpkeep, type Upkeep } from './storage/upkeep.ts';
import type { Workspace } from './workspace.ts';

/** A command that works the workspace for a moment is waited for; another gateway is not. */
const LOCK_WAIT_MS = 10_000;
/** How long `start` waits for mailboxes that do not answer. */
const MAILBOX_WAIT_MS = 5000;
/** Ten seconds are promised for the whole stop; the listener's own grace and closing up come off that. */
const STOP_MS = 8000;

/** A workspace at work: the SMTP listener, the mailboxes and the worker behind them as one. */
export interface Gateway {
  /**
   * Resolves when mail is taken in: the listener is bound and each mailbox has fixed its cursor or failed its first
   * attempt. When a part fails to start, what was started before is stopped again, and the failure is thrown:
   * `workspace_locked`, `port_in_use`.
   */
  start(): Promise<Ready>;
  /** What `start` has last written to ready.json; null before. */
  ready(): Ready | null;
  /** Takes no more mail, ends what is under way and lets go of the workspace; 10 s at most. */
  stop(): Promise<void>;
}

export function createGateway(
  workspace: Workspace,
  /** `unhandledRejections`: of the engine's own, so far. */
  { unhandledRejections }: { unhandledRejections(): number },
): Gateway {
  const { dataDir, live, stores, gateway, clock, log } = workspace;
  /** What was started, in this order. */
  const started: {
    worker?: Worker;
    listener?: LiveListener;
    unpublish?: () => void;
    unfollow?: () => void;
    upkeep?: Upkeep;
  } = {};
  const state: { ready: Ready | null } = { ready: null };

  /** The doors as they are configured now. */
  const followConfigs = async (worker: Worker, listener: LiveListener): Promise<void> => {
    await worker.mailboxes.refresh();
    if (await listener.refresh()) state.ready = await writeReady(worker, listener.current());
  };

  const open = async (worker: Worker): Promise<Ready> => {
    forgetReady(dataDir);
    const listener = await keepListening(worker);
    started.listener = listener;
    await worker.mailboxes.start(MAILBOX_WAIT_MS);
    live.start();
    started.unpublish = publishState(worker, unhandledRejections);
    tellOfFailures(worker);
    started.unfollow = live.onChange(({ configs }) => {
      if (!configs) return;
      followConfigs(worker, listener).catch((error: unknown) =>
        log.error({ error: String(error) }, 'the doors could not follow the configuration'),
      );
    });
    return writeReady(worker, listener.current());
  };

  const stop = async (): Promise<void> => {
    const { worker, listener } = started;
    if (!worker) return;
    await started.upkeep?.stop();
    const until = clock.now() + STOP_MS;
    // Before the listener: whoever reads it from now on must not find a door that is closing.
    forgetReady(dataDir);
    started.unfollow?.();
    started.unpublish?.();
    try {
      await listener?.close();
    } finally {
      // Whatever the listener says: a worker that goes on while its databases are closed fails at each step.
      await worker.stop(Math.max(500, until - clock.now()));
    }
  };

  return {
    ready: () => state.ready,
    async start() {
      const waitIsVain = () => runningGateway(workspace) !== null;
      const worker = await startWorker(workspace, { lockWaitMs: LOCK_WAIT_MS, waitIsVain });
      started.worker = worker;
      try {
        const ready = await open(worker);
        state.ready = ready;
        started.upkeep = startUpkeep({
          ...{ dataDir, stores, gateway, clock, log },
          random: Math.random,
        });
        return ready;
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}
