import type { TakenIn } from '../../../actions/mail/requeue-dead-letter.ts';
import { type RetriedMail, retryMail } from '../../../actions/mail/retry-mail.ts';
import type { Refusal } from '../../../actions/refusal.ts';
import { fetchAndTakeIn } from '../../../app/refused/fetch-and-take-in.ts';
import { incomingOf } from '../../../app/refused/kept-mail.ts';
import { keptSource } from '../../../queries/mail/received.ts';
import type { RefusedMail, SeenMail } from '../../../storage/types/gateway.ts';
import type { Workspace } from '../../../workspace.ts';

/** Takes a refused mail in after all, by the rules as they are now, where its source is kept. */
export async function retryKept(workspace: Workspace, row: SeenMail): Promise<RetriedMail | Refusal> {
  const takeIn = (mail: RefusedMail): Promise<TakenIn> => takeInKept(workspace, mail);
  const fetchAgain = (place: SeenMail) => fetchAndTakeIn(workspace, place);
  const ports = { gateway: workspace.gateway, takeIn, fetchAndTakeIn: fetchAgain };
  return retryMail(ports, { row, kept: await keptSource(workspace, row) });
}

async function takeInKept(workspace: Workspace, mail: RefusedMail): Promise<TakenIn> {
  const { receiveBeside } = await import('../../../app/taking-in.ts');
  return receiveBeside(workspace, incomingOf(mail, workspace.live.current().gateway.mailboxes));
}
