import { EngineError } from '#contract';
import { forgetReady } from '../../app/ready-file.ts';
import type { Worker } from '../../app/worker.ts';
import { createSmtpTransport } from '../../delivery/smtp-transport.ts';
import { SUBMISSION_USER } from '../../gateway/smtp/listener.ts';
import type { IncomingMail } from '../../intake/incoming.ts';
import { silentLog } from '../../lib/log/log.ts';
import { passwordLogin } from '../../mailbox/login/login.ts';
import { runningGateway } from '../../queries/gateway/running.ts';
import { waitForRun } from '../../queries/runs/wait-for-run.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';
import { submissionSecret, type Workspace } from '../../workspace.ts';
import { resultsOf } from './results.ts';
import type { SubmitResult, SubmittedMail } from './types.ts';

const LOCK_WAIT_MS = 10_000;
const LOOK_MS = 100;
/** For what follows an answer: its way to the server or to data/outgoing/. */
const AFTERWARDS_MS = 5000;

/**
 * Hands a mail to the gateway as it takes in every other: over SMTP where one is running, else by taking the workspace for a
 * moment. `waitMs` null: only until the mail is accepted. Throws `workspace_locked` when another command keeps the
 * workspace for too long.
 */
export async function submitMail(
  workspace: Workspace,
  letter: SubmittedMail,
  waitMs: number | null,
): Promise<SubmitResult[]> {
  const { clock, live } = workspace;
  const begun = clock.now();
  const before = (await workspace.gateway.seenByMessageId(letter.messageId)).at(-1)?.id ?? 0;
  const findPersona = (address: string) => live.personas().byAddress(address)?.id ?? null;
  const results = async (smtp: ReadonlyMap<string, string>, error: string | null = null) => {
    const rows = await rowsSince(workspace, letter, before);
    const found = resultsOf({ letter, rows, smtp, error, findPersona });
    return Promise.all(found.map((one) => orDeferred(workspace, one)));
  };
  const waited = async (found: SubmitResult[]) => {
    if (waitMs === null) return found;
    const left = Math.max(0, begun + waitMs - clock.now());
    return Promise.all(found.map((one) => withRun(workspace, one, left)));
  };

  for (;;) {
    const running = runningGateway(workspace);
    if (running?.smtp) return waited(await results(await overSmtp(workspace, letter, running.smtp)));
    if (running) {
      // It takes no SMTP, but it works what is put into its databases.
      const { receiveBeside } = await import('../../app/taking-in.ts');
      const error = await accept(workspace, letter, (incoming) => receiveBeside(workspace, incoming));
      return waited(await results(new Map(), error));
    }
    const worker = await tryWorker(workspace, waitMs !== null);
    if (worker) return workAlone(worker, letter, { results, waited });
    if (clock.now() >= begun + Math.max(LOCK_WAIT_MS, waitMs ?? 0)) {
      throw new EngineError('workspace_locked', 'another command keeps this workspace; try again when it is done');
    }
    await clock.sleep(LOOK_MS);
  }
}

/** Null while another process holds the workspace. */
async function tryWorker(workspace: Workspace, work: boolean): Promise<Worker | null> {
  const { startWorker } = await import('../../app/worker.ts');
  try {
    return await startWorker(workspace, { work });
  } catch (error) {
    if (error instanceof EngineError && error.code === 'workspace_locked') return null;
    throw error;
  }
}

async function workAlone(
  worker: Worker,
  letter: SubmittedMail,
  steps: {
    results(smtp: ReadonlyMap<string, string>, error: string | null): Promise<SubmitResult[]>;
    waited(found: SubmitResult[]): Promise<SubmitResult[]>;
  },
): Promise<SubmitResult[]> {
  const { workspace, receive, dispatcher } = worker;
  forgetReady(workspace.dataDir);
  try {
    const error = await accept(workspace, letter, receive);
    const found = await steps.waited(await steps.results(new Map(), error));
    if (found.every(({ status }) => status === undefined)) return found;
    const enough = new AbortController();
    await Promise.race([dispatcher.idle(), workspace.clock.sleep(AFTERWARDS_MS, enough.signal).catch(() => {})]);
    enough.abort();
    return found;
  } finally {
    await worker.stop(2000);
  }
}

/** The code with which the door refuses it before anybody looks inside; null when it was let in. */
async function accept(
  { live }: Workspace,
  letter: SubmittedMail,
  receive: (incoming: IncomingMail) => Promise<unknown>,
): Promise<string | null> {
  if (letter.raw.length > live.current().gateway.limits.max_message_bytes) return 'message_too_large';
  await receive({
    raw: letter.raw,
    arrival: letter.asSubmission
      ? { door: 'submission' }
      : { door: 'stranger', ip: '127.0.0.1', helo: 'localhost', mailFrom: letter.from },
    envelope: { returnPath: letter.from, recipients: letter.to },
    place: null,
  });
  return null;
}

/** What was accepted and waits is said to be deferred. */
async function orDeferred({ stores }: Workspace, result: SubmitResult): Promise<SubmitResult> {
  const { persona, run_id: id } = result;
  if (persona === null || id === null || result.decision !== 'accepted') return result;
  const run = await stores.use(persona, (store) => store.getRun(id));
  return run?.deferred_code ? { ...result, decision: 'deferred', code: run.deferred_code } : result;
}

async function rowsSince(workspace: Workspace, letter: SubmittedMail, before: number): Promise<SeenMail[]> {
  const rows = await workspace.gateway.seenByMessageId(letter.messageId);
  return rows.filter(({ id, direction }) => id > before && direction === 'in');
}

async function withRun(workspace: Workspace, result: SubmitResult, waitMs: number): Promise<SubmitResult> {
  if (result.persona === null || result.run_id === null) return { ...result, status: null, outcome: null, reply: null };
  return { ...result, ...(await waitForRun(workspace, result.persona, result.run_id, waitMs)) };
}

/** Hands the mail to the listener as any client would; the server's reply by recipient. Throws `not_running`. */
async function overSmtp(
  workspace: Workspace,
  letter: SubmittedMail,
  listener: { host: string; port: number },
): Promise<ReadonlyMap<string, string>> {
  const auth = letter.asSubmission ? 'password' : 'none';
  const login = passwordLogin({ auth, secret_env: '' }, () => submissionSecret(workspace.dataDir, workspace.ids));
  const transport = createSmtpTransport({
    smtp: {
      host: reachable(listener.host),
      port: listener.port,
      tls: 'none',
      user: SUBMISSION_USER,
      auth,
      secret_env: '',
      tls_ca_file: null,
      allow_plaintext: true,
    },
    login,
    helo: 'localhost',
    log: silentLog,
  });
  try {
    const outcome = await transport.send({ from: letter.from, to: [...letter.to], raw: letter.raw });
    if (outcome.recipients.every(({ state }) => state === 'retry') && !/^[45]\d\d/.test(outcome.smtp)) {
      throw new EngineError('not_running', `the gateway could not be reached: ${outcome.smtp}`);
    }
    return new Map(outcome.recipients.map(({ address, smtp }) => [address, smtp]));
  } finally {
    await transport.close();
  }
}

/** Bound to every address, it is to be found on the nearest. */
const reachable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);
