import type { Persona } from '../config/types.ts';
import type { Target } from '../record/target.ts';
import { pricedTargetOf, type Workspace } from '../workspace.ts';

/** The model that would read this persona's next mail. The extensions must have been loaded. */
export const targetOf = (workspace: Workspace, persona: Persona): Target =>
  pricedTargetOf(workspace, persona, null).target;

/** The same for a persona that names none. */
export function defaultProvider({ live, environment }: Workspace): string {
  return live.current().inference.provider ?? environment.firstProvider ?? 'offline';
}
