import type { TakenIn } from '../../actions/mail/requeue-dead-letter.ts';
import { isRefusal, type Refusal } from '../../actions/refusal.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { fetchedAgain } from './fetch-again.ts';

/** A mail that only its mailbox has is fetched from there and taken in, as its watcher would. */
export async function fetchAndTakeIn(workspace: Workspace, place: SeenMail): Promise<TakenIn | Refusal> {
  const incoming = await fetchedAgain(workspace, place);
  if (isRefusal(incoming)) return incoming;
  const { receiveBeside } = await import('../taking-in.ts');
  return receiveBeside(workspace, incoming);
}
