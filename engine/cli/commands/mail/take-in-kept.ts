import type { TakenIn } from '../../../actions/mail/requeue-dead-letter.ts';
import { type RetriedMail, retryMail } from '../../../actions/mail/retry-mail.ts';
import type { Refusal } from '../../../actions/refusal.ts';
import { askedFor, fetchAndTakeIn } from '../../../app/refused/fetch-and-take-in.ts';
import { incomingOf } from '../../../app/refused/kept-mail.ts';
import { keptSource } from '../../../queries/mail/received.ts';
import type { RefusedMail, SeenMail } from '../../../storage/types/gateway.ts';
import type { Workspace } from '../../../workspace.ts';

/** Takes a mail in after all that was refused or stopped by a limit, by the rules as they are now, where its source is kept. */
export async function retryKept(workspace: Workspace, row: SeenMail): Promise<RetriedMail | Refusal> {
  const takeIn = (mail: RefusedMail, { stoppedBy }: { readonly stoppedBy: string | null }): Promise<TakenIn> =>
    takeInKept(workspace, mail, stoppedBy);
  const fetchAgain = (place: SeenMail, asked: { readonly stoppedBy: string | null }) =>
    fetchAndTakeIn(workspace, place, asked);
  const ports = { gateway: workspace.gateway, takeIn, fetchAndTakeIn: fetchAgain };
  return retryMail(ports, { row, kept: await keptSource(workspace, row) });
}

/** What became of a mail that was taken in once more, as documents and as people are told it. */
export const takenInShape = ({ messageId, results }: Pick<TakenIn, 'messageId' | 'results'>) => ({
  message_id: messageId,
  results: results.map(({ recipient, persona, decision, code, runId, threadId }) => ({
    recipient,
    persona,
    decision,
    code,
    smtp: null,
    run_id: runId,
    thread_id: threadId,
  })),
});

export const takenInWords = ({ results }: Pick<TakenIn, 'results'>): string =>
  results.map((one) => `${one.recipient ?? 'nobody'}: ${one.decision}${one.code ? ` (${one.code})` : ''}`).join('\n');

/** By the door by which it came. */
export async function takeInKept(workspace: Workspace, mail: RefusedMail, stoppedBy: string | null): Promise<TakenIn> {
  const { receiveBeside } = await import('../../../app/taking-in.ts');
  const incoming = incomingOf(mail, workspace.live.current().gateway.mailboxes);
  return receiveBeside(workspace, askedFor(incoming, stoppedBy));
}
