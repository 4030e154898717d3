import type { TakenIn } from '../../actions/mail/requeue-dead-letter.ts';
import { isRefusal, type Refusal } from '../../actions/refusal.ts';
import type { IncomingMail } from '../../intake/incoming.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { fetchedAgain } from './fetch-again.ts';

/** A mail that only its mailbox has is fetched from there and taken in, as its watcher would. */
export async function fetchAndTakeIn(
  workspace: Workspace,
  place: SeenMail,
  { stoppedBy }: { readonly stoppedBy: string | null },
): Promise<TakenIn | Refusal> {
  const incoming = await fetchedAgain(workspace, place);
  if (isRefusal(incoming)) return incoming;
  const { receiveBeside } = await import('../taking-in.ts');
  return receiveBeside(workspace, askedFor(incoming, stoppedBy));
}

/** The mail as an owner asks for it: the limit that it met does not stop it again. Pure. */
export const askedFor = (incoming: IncomingMail, stoppedBy: string | null): IncomingMail =>
  stoppedBy === null ? incoming : { ...incoming, fate: { again: [stoppedBy], asked: true } };
