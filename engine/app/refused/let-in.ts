import { decideSender } from '../../actions/mail/decide-sender.ts';
import { isRefusal } from '../../actions/refusal.ts';
import { standingOf } from '../../mail/access.ts';
import { refusedMailOf } from '../../queries/mail/senders.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { retryKept, type TakesInFor } from './take-in-after-all.ts';

/** What came of letting somebody write. */
export interface LetIn {
  /** What was refused of them and is taken in now. */
  readonly taken: readonly SeenMail[];
  /** How much of theirs stays refused, since nothing proves who wrote it. */
  readonly unproven: number;
  /** Personas at which another rule counts before. */
  readonly denied: readonly string[];
}

/** Lets somebody write to these personas, and has answered what was refused of them and is kept. */
export async function letIn(
  here: TakesInFor,
  { sender, personas }: { readonly sender: string; readonly personas: readonly string[] },
): Promise<LetIn> {
  const { workspace, by } = here;
  for (const persona of personas) {
    await decideSender(workspace, { persona, sender, verdict: 'allow', by });
    workspace.live.lookAtPersona(persona);
  }
  const { waiting, unproven } = await refusedMailOf(workspace, sender, personas);
  const taken: SeenMail[] = [];
  for (const row of waiting) {
    const retried = await retryKept(here, row);
    if (!isRefusal(retried) && retried.isDone) taken.push(row);
  }
  return { taken, unproven: unproven.length, denied: stillDenied(workspace, sender, personas) };
}

function stillDenied({ live }: Workspace, sender: string, personas: readonly string[]): readonly string[] {
  const { gateway_access: gateway } = live.current().security;
  return personas.filter((id) => {
    const entry = live.personas().get(id);
    return entry?.state === 'ready' && standingOf(sender, entry.persona, gateway) === 'denied';
  });
}
