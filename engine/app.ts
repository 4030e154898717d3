import { followBackups } from './app/backups/follow-schedule.ts';
import { keepConsole, type LiveConsole } from './app/console/live-console.ts';
import { daily } from './app/daily.ts';
import { tellOfFailures } from './app/extension-failures.ts';
import { followSenders } from './app/follow-senders.ts';
import { keepListening, type LiveListener } from './app/live-listener.ts';
import { tellOfLogins } from './app/logins/login-troubles.ts';
import { followTools, type ToolsFollower } from './app/pins/follow-tools.ts';
import { forgetReady, type Ready, writeReady } from './app/ready-file.ts';
import { followAdmission } from './app/refused/follow-admission.ts';
import { publishState } from './app/state-file.ts';
import { tellOfUpgrade } from './app/telling/tell-of-upgrade.ts';
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
  /** Takes no more mail, ends what is under way within `graceMs` and lets go of the workspace; 10 s at most. */
  stop(graceMs?: number): Promise<void>;
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
    console?: LiveConsole;
    unpublish?: () => void;
    unfollow?: () => void;
    upkeep?: Upkeep;
    admission?: { stop(): Promise<void> };
    backups?: { stop(): Promise<void> };
    tools?: ToolsFollower;
  } = {};
  const state: { ready: Ready | null } = { ready: null };

  /** The doors as they are configured now. */
  const followConfigs = async (worker: Worker, listener: LiveListener, console: LiveConsole): Promise<void> => {
    await worker.mailboxes.refresh();
    const [isElsewhere, isOther] = [await listener.refresh(), await console.refresh()];
    if (isElsewhere || isOther) state.ready = await writeReady(worker, listener.current(), console.url());
  };

  /** What a hook is told is never a reason for the gateway not to start or to stop. */
  const tell = (worker: Worker, name: Parameters<Worker['tellHooks']>[0]): Promise<void> =>
    worker
      .tellHooks(name)
      .catch((error: unknown) => log.error({ error: String(error) }, `no hook could be told: ${name}`));

  const open = async (worker: Worker): Promise<Ready> => {
    forgetReady(dataDir);
    const listener = await keepListening(worker);
    started.listener = listener;
    const console = await keepConsole(worker);
    started.console = console;
    await worker.mailboxes.start(MAILBOX_WAIT_MS);
    live.start();
    started.unpublish = publishState(worker, unhandledRejections);
    tellOfFailures(worker);
    tellOfLogins(worker);
    started.tools = followTools(worker);
    // Where tools are taken over it is told with them, when they have been listed.
    if (!workspace.toolPins.takesOver())
      tellOfUpgrade(worker).catch((error: unknown) =>
        log.error({ error: String(error) }, 'nobody could be told what the upgrade changed'),
      );
    const unfollowSenders = followSenders(workspace);
    const unfollow = live.onChange(({ configs }) => {
      if (!configs) return;
      followConfigs(worker, listener, console).catch((error: unknown) =>
        log.error({ error: String(error) }, 'the doors could not follow the configuration'),
      );
    });
    started.unfollow = () => {
      unfollowSenders();
      unfollow();
    };
    await tell(worker, 'gateway_started');
    return writeReady(worker, listener.current(), console.url());
  };

  const stop = async (graceMs = STOP_MS): Promise<void> => {
    const { worker, listener } = started;
    if (!worker) return;
    await Promise.all([started.upkeep?.stop(), started.admission?.stop(), started.backups?.stop()]);
    const until = clock.now() + graceMs;
    // Before the listener: whoever reads it from now on must not find a door that is closing.
    forgetReady(dataDir);
    started.unfollow?.();
    started.unpublish?.();
    await tell(worker, 'gateway_stopping');
    try {
      await Promise.all([listener?.close(), started.console?.close()]);
    } finally {
      // Whatever the listener says: a worker that goes on while its databases are closed fails at each step.
      await worker.stop(Math.max(500, until - clock.now()));
      // Nobody calls them any more. What is left of them when the process ends is killed.
      await workspace.servers.close();
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
        started.admission = followAdmission(worker);
        started.backups = followBackups(worker);
        started.upkeep = startUpkeep({
          dataDir,
          stores,
          gateway,
          clock,
          log,
          random: Math.random,
          daily: async (signal) => {
            await started.tools?.look();
            await daily(worker, signal);
          },
          quarantineDays: () => live.current().security.quarantine_days,
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
