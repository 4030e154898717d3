import {
  isOfLetter,
  letterOf,
  ownRowsOf,
  type Requeued,
  requeueDeadLetter,
} from '../../actions/mail/requeue-dead-letter.ts';
import { mayBeRetried, notToBeRetried, type RetriedMail, retryMail } from '../../actions/mail/retry-mail.ts';
import { putOnRecord } from '../../actions/on-record.ts';
import { isRefusal, type Refusal, refusal } from '../../actions/refusal.ts';
import { retryRun } from '../../actions/retry-run.ts';
import type { Intake } from '../../intake/incoming.ts';
import { sha256 } from '../../lib/ids.ts';
import { ALL_LETTERS, sourceOf } from '../../queries/mail/dead-letters.ts';
import { keptSource } from '../../queries/mail/received.ts';
import type { DeadLetter, RefusedMail, SeenMail } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { askedFor, fetchAndTakeIn } from './fetch-and-take-in.ts';
import { incomingOf } from './kept-mail.ts';

/** By whose hands a mail is taken in: those of the gateway itself, or of a command beside it. */
export interface TakesInFor {
  readonly workspace: Workspace;
  readonly receive: Intake['receive'];
  /** Who asks for it: an address, or `cli`. */
  readonly by: string;
}

/**
 * Takes a mail in that was refused, stopped by a limit or not read, by the rules as they are now, or has one answered anew that
 * waited in vain; with who asked for it on record.
 */
export async function takeInAfterAll(here: TakesInFor, row: SeenMail): Promise<RetriedMail | Refusal> {
  if (mayBeRetried(row)) return retryKept(here, row);
  const letters =
    row.decision === 'dead_letter' ? await here.workspace.gateway.listDeadLetters({ limit: ALL_LETTERS }) : [];
  const letter = letterOf(row, letters);
  return letter ? requeue(here, letter) : answerAnew(here, row);
}

/** A mail that was refused or stopped by a limit, where its source is kept. */
export async function retryKept(here: TakesInFor, row: SeenMail): Promise<RetriedMail | Refusal> {
  const { workspace, receive, by } = here;
  const { gateway, live } = workspace;
  return retryMail(
    {
      gateway,
      takeIn: (mail, asked) => receive(askedFor(incomingOf(mail, live.current().gateway.mailboxes), { ...asked, by })),
      fetchAndTakeIn: (place, asked) => fetchAndTakeIn(workspace, place, { ...asked, by }),
    },
    { row, kept: await keptSource(workspace, row) },
  );
}

/** A dead letter once more. */
export async function requeue(here: TakesInFor, letter: DeadLetter): Promise<Requeued | Refusal> {
  const { workspace, receive } = here;
  const { gateway, live } = workspace;
  const raw = sourceOf(letter);
  const requeued = await requeueDeadLetter(
    {
      gateway,
      live,
      takeIn: ({ raw, authservId, recipients }) =>
        receive({
          raw,
          arrival: { door: 'imap', authservId },
          envelope: { returnPath: null, recipients },
          place: null,
        }),
      takeInKept: (mail) => receive(incomingOf(mail, live.current().gateway.mailboxes)),
      fetchAndTakeIn: (place, isIt) => fetchAndTakeIn(workspace, place, { stoppedBy: null, persona: null }, isIt),
    },
    { letter, raw, kept: await keptOfLetter(workspace, letter, raw) },
  );
  await putOnRecord(workspace, {
    persona: letter.persona_id,
    actor: here.by,
    event: 'letter_requeued',
    detail: { message_id: letter.message_id, is_done: !isRefusal(requeued) && requeued.isDone },
  });
  return requeued;
}

/** What is kept of the very mail that the letter is about: whoever writes one chooses its Message-ID, and not its hash. */
async function keptOfLetter(
  { gateway }: Pick<Workspace, 'gateway'>,
  letter: DeadLetter,
  raw: Uint8Array | null,
): Promise<RefusedMail | null> {
  if (raw !== null) return (await gateway.keptRefusal(sha256(raw))) ?? null;
  const own = ownRowsOf(letter, await gateway.seenByMessageId(letter.message_id));
  const hash = own.find(({ kept_sha256: kept }) => kept !== null && isOfLetter(letter, kept))?.kept_sha256;
  return hash ? ((await gateway.keptRefusal(hash)) ?? null) : null;
}

/** What ended without an answer goes on as `runs retry` does. */
async function answerAnew({ workspace, by }: TakesInFor, row: SeenMail): Promise<RetriedMail | Refusal> {
  const { persona_id: personaId, run_id: id, recipient, message_id: messageId } = row;
  if (personaId === null || id === null) return notToBeRetried(row.decision);
  const run = await retryRun(workspace, { personaId, id, by });
  if (typeof run === 'string')
    return refusal('wrong_state', `its run has not failed, or was retried; see \`epistle why ${messageId}\``);
  const result = { recipient, persona: personaId, decision: 'accepted', code: null };
  return { messageId, results: [{ ...result, runId: run.id, threadId: run.thread_id }], isDone: true };
}
