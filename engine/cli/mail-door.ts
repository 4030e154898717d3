import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { startWorker, type Worker } from '../app.ts';
import { createSmtpTransport } from '../delivery/smtp-transport.ts';
import { SUBMISSION_USER } from '../gateway/smtp-listener.ts';
import { silentLog } from '../lib/log.ts';
import type { Arrival } from '../mail/types.ts';
import type { SeenRow } from '../storage/tables.ts';
import { submissionSecret, type Workspace } from '../workspace.ts';
import { type ReplyShape, waitForRun } from './wait-for-run.ts';

export interface Letter {
  readonly raw: Uint8Array;
  readonly messageId: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly asSubmission: boolean;
}

export interface DoorResult {
  readonly recipient: string;
  readonly persona: string | null;
  readonly decision: string;
  readonly code: string | null;
  readonly smtp: string | null;
  readonly run_id: string | null;
  readonly thread_id: string | null;
  readonly status?: string | null;
  readonly outcome?: string | null;
  readonly reply?: ReplyShape | null;
}

const LOCK_WAIT_MS = 10_000;

/**
 * Puts a mail through the gateway's own door: over SMTP where one is running, else by taking the workspace for a
 * moment. `waitMs` null: only until the mail is accepted.
 */
export async function putThroughDoor(
  workspace: Workspace,
  letter: Letter,
  waitMs: number | null,
): Promise<DoorResult[]> {
  const running = runningListener(workspace);
  const before = (await workspace.gateway.seenByMessageId(letter.messageId)).at(-1)?.id ?? 0;
  const since = async () => (await workspace.gateway.seenByMessageId(letter.messageId)).filter(({ id }) => id > before);
  if (running) {
    const smtp = await overSmtp(workspace, letter, running);
    const results = resultsOf(letter, await since(), smtp);
    return waitMs === null ? results : Promise.all(results.map((one) => withRun(workspace, one, waitMs)));
  }
  const worker = await startWorker(workspace, { lockWaitMs: LOCK_WAIT_MS, work: waitMs !== null });
  try {
    await inProcess(worker, letter);
    const results = resultsOf(letter, await since(), new Map());
    if (waitMs === null) return results;
    const waited = await Promise.all(results.map((one) => withRun(workspace, one, waitMs)));
    const enough = new AbortController();
    await Promise.race([worker.dispatcher.idle(), workspace.clock.sleep(5000, enough.signal).catch(() => {})]);
    enough.abort();
    return waited;
  } finally {
    await worker.stop(2000);
  }
}

/** The listener of the process that holds the workspace, by `ready.json`; null when nobody is listening. */
export function runningListener({ dataDir }: Workspace): { host: string; port: number } | null {
  const path = join(dataDir, 'ready.json');
  if (!existsSync(path)) return null;
  const ready = JSON.parse(readFileSync(path, 'utf8')) as { pid: number; smtp: { host: string; port: number } | null };
  return ready.smtp && isAlive(ready.pid) ? ready.smtp : null;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function overSmtp(
  workspace: Workspace,
  letter: Letter,
  listener: { host: string; port: number },
): Promise<ReadonlyMap<string, string>> {
  const transport = createSmtpTransport({
    smtp: {
      ...listener,
      tls: 'none',
      user: SUBMISSION_USER,
      auth: letter.asSubmission ? 'password' : 'none',
      secret_env: '',
      tls_ca_file: null,
      allow_plaintext: true,
    },
    password: () => submissionSecret(workspace.dataDir, workspace.ids),
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

async function inProcess(worker: Worker, letter: Letter): Promise<void> {
  const arrival: Arrival = letter.asSubmission
    ? { door: 'submission' }
    : { door: 'stranger', ip: '127.0.0.1', helo: 'localhost', mailFrom: letter.from };
  await worker.receive({ raw: letter.raw, arrival, returnPath: letter.from, recipients: letter.to, place: null });
}

function resultsOf(letter: Letter, seen: readonly SeenRow[], smtp: ReadonlyMap<string, string>): DoorResult[] {
  return letter.to.map((recipient) => {
    const row = seen.find((one) => one.recipient?.toLowerCase() === recipient.toLowerCase()) ?? null;
    const reply = smtp.get(recipient) ?? null;
    if (row) {
      return {
        recipient,
        persona: row.persona_id,
        decision: row.decision,
        code: row.code,
        smtp: reply,
        run_id: row.run_id,
        thread_id: row.thread_id,
      };
    }
    const code =
      reply === null || reply.startsWith('550 5.1.1')
        ? 'unknown_recipient'
        : reply.startsWith('552')
          ? 'message_too_large'
          : null;
    return { recipient, persona: null, decision: 'refused', code, smtp: reply, run_id: null, thread_id: null };
  });
}

async function withRun(workspace: Workspace, result: DoorResult, waitMs: number): Promise<DoorResult> {
  if (result.persona === null || result.run_id === null) return { ...result, status: null, outcome: null, reply: null };
  return { ...result, ...(await waitForRun(workspace, result.persona, result.run_id, waitMs)) };
}

/** 0 ok · 1 refused · 3 waits · 5 failed; of several recipients the worst counts. */
export function exitCodeOf(results: readonly DoorResult[]): 0 | 1 | 3 | 5 {
  if (results.some(({ status }) => status === 'failed' || status === 'cancelled')) return 5;
  if (results.some(({ decision }) => decision === 'refused' || decision === 'deferred' || decision === 'dead_letter'))
    return 1;
  if (results.some(({ status }) => status === 'waiting_approval')) return 3;
  return 0;
}

/** For people: what became of the mail, then the answer. */
export function describeResults(messageId: string, results: readonly DoorResult[]): string {
  const lines = results.flatMap((one) => {
    const code = one.code === null ? '' : ` (${one.code})`;
    const head = `${one.recipient}: ${one.decision}${code}${one.status ? `, ${one.status}` : ''}`;
    return one.reply ? [head, '', one.reply.text.trimEnd(), ''] : [head];
  });
  return [...lines, `Message-ID: ${messageId}`].join('\n');
}
