import { startWorker, type Worker } from '../app.ts';
import type { SmtpListener } from '../gateway/smtp/listener.ts';
import { writeDurably } from '../lib/durable-file.ts';
import { mailboxStates } from '../queries/gateway/mailbox-states.ts';
import { personaStates } from '../queries/gateway/persona-states.ts';
import { readyPath, runningGateway } from '../queries/gateway/running.ts';
import type { Workspace } from '../workspace.ts';
import { tellOfFailures } from './extension-failures.ts';
import { keepListening, type LiveListener } from './live-listener.ts';
import { forgetReady } from './ready-file.ts';
import { publishState } from './state-file.ts';
import { packageVersion } from './version.ts';

/** A command that works the workspace for a moment is waited for; another gateway is not. */
const LOCK_WAIT_MS = 10_000;
/** How long `ready` waits for mailboxes that do not answer. */
const MAILBOX_WAIT_MS = 5000;
/** Ten seconds are promised for the whole stop; the listener's own grace and closing up come off that. */
const STOP_MS = 8000;

export type Ready = Awaited<ReturnType<typeof writeReady>>;

export interface GatewayProcess {
  readonly ready: Ready;
  /** Takes no more mail, ends what is under way and lets go of the workspace; 10 s at most. */
  stop(): Promise<void>;
}

/** Listener, mailboxes and worker as one. When a part fails to start, what was started before is stopped again. */
export async function startGatewayProcess(
  workspace: Workspace,
  unhandledRejections: () => number,
): Promise<GatewayProcess> {
  const { dataDir, live, clock, log } = workspace;
  const worker = await startWorker(workspace, {
    lockWaitMs: LOCK_WAIT_MS,
    waitIsVain: () => runningGateway(workspace) !== null,
  });
  const parts: { listener: LiveListener | null; unfollow(): void; unpublish(): void } = {
    listener: null,
    unfollow: () => {},
    unpublish: () => {},
  };
  const stop = async (): Promise<void> => {
    const until = clock.now() + STOP_MS;
    // Before the listener: whoever reads it from now on must not find a door that is closing.
    forgetReady(dataDir);
    parts.unfollow();
    parts.unpublish();
    try {
      await parts.listener?.close();
    } finally {
      // Whatever the listener says: a worker that goes on while its databases are closed fails at each step.
      await worker.stop(Math.max(500, until - clock.now()));
    }
  };
  try {
    forgetReady(dataDir);
    const listener = await keepListening(worker);
    parts.listener = listener;
    await worker.mailboxes.start(MAILBOX_WAIT_MS);
    live.start();
    parts.unpublish = publishState(worker, unhandledRejections);
    tellOfFailures(worker);
    const follow = async () => {
      await worker.mailboxes.refresh();
      if (await listener.refresh()) await writeReady(worker, listener.current());
    };
    parts.unfollow = live.onChange(({ configs }) => {
      if (!configs) return;
      follow().catch((error: unknown) =>
        log.error({ error: String(error) }, 'the doors could not follow the configuration'),
      );
    });
    return { ready: await writeReady(worker, listener.current()), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeReady({ workspace, mailboxes }: Worker, listener: SmtpListener | null) {
  const ready = {
    ready: true,
    pid: process.pid,
    version: packageVersion(),
    workspace: workspace.root,
    smtp: listener && { host: listener.host, port: listener.port },
    mailboxes: mailboxStates(workspace.live.current().gateway, mailboxes.states()),
    personas: await personaStates(workspace),
    console: null,
  };
  const { dataDir } = workspace;
  writeDurably(dataDir, readyPath(dataDir), Buffer.from(`${JSON.stringify(ready)}\n`));
  return ready;
}
