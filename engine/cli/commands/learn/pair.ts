import { type Refusal, refusal } from '../../../actions/refusal.ts';
import { isWorkKind } from '../../../learning/kind.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import type { Workspace } from '../../../workspace.ts';

export const PERSONA = '<persona>';
export const KIND = ['<kind>', 'answer, triage, schedule, draft, research or task:<id>'] as const;

/** Whom a command is about, and what of; a refusal where there is no such kind. */
export function pairOf(
  workspace: Workspace,
  name: string,
  kind: string,
): { readonly id: string; readonly kind: string } | Refusal {
  const { id } = personaNamed(workspace, name);
  return isWorkKind(kind) ? { id, kind } : refusal('UNSUPPORTED_KIND', `${kind} is no kind of work: ${KIND[1]}`);
}
