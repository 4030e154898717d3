import { startWorker, type Worker } from '../app.ts';
import { type SmtpListener, startSmtpListener } from '../gateway/smtp-listener.ts';
import { writeDurably } from '../storage/blobs.ts';
import { submissionSecret, type Workspace } from '../workspace.ts';
import { publishState } from './gateway-state.ts';
import { mailboxStates } from './mailbox-states.ts';
import { personaStates } from './persona-states.ts';
import { forgetReady, readyPath, runningGateway } from './running.ts';
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
export async function startGatewayProcess(workspace: Workspace): Promise<GatewayProcess> {
  const { dataDir, live, clock } = workspace;
  const worker = await startWorker(workspace, {
    lockWaitMs: LOCK_WAIT_MS,
    waitIsVain: () => runningGateway(dataDir) !== null,
  });
  const parts: { listener: SmtpListener | null; unpublish(): void } = { listener: null, unpublish: () => {} };
  const stop = async (): Promise<void> => {
    const until = clock.now() + STOP_MS;
    // Before the listener: whoever reads it from now on must not find a door that is closing.
    forgetReady(dataDir);
    parts.unpublish();
    await parts.listener?.close();
    await worker.stop(Math.max(500, until - clock.now()));
  };
  try {
    forgetReady(dataDir);
    parts.listener = await listen(worker);
    await worker.mailboxes.start(MAILBOX_WAIT_MS);
    live.start();
    parts.unpublish = publishState(worker);
    return { ready: await writeReady(worker, parts.listener), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listen({ workspace, receive }: Worker): Promise<SmtpListener | null> {
  const { live, log, dataDir, ids } = workspace;
  const { gateway: config } = live.current();
  if (!config.smtp_listener.enabled) return null;
  const secret = submissionSecret(dataDir, ids);
  const findByAddress = (address: string) => live.personas().byAddress(address);
  return startSmtpListener({ config, submissionSecret: secret, receive, findByAddress, log });
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
