import type { Persona } from '../config/types.ts';
import { type Target, targetsFor } from '../harness/providers/targets.ts';
import type { Workspace } from '../workspace.ts';

/** The model that would read this persona's next mail. The extensions must have been loaded. */
export function targetOf({ live, environment, currentExtensions }: Workspace, persona: Persona): Target {
  const { providers } = currentExtensions();
  const [target] = targetsFor(persona, live.current().inference, {
    firstKeyed: environment.firstProvider,
    defaultModel: (provider) => providers.get(provider)?.defaultModel ?? 'default',
  });
  return target ?? { provider: 'offline', model: 'default' };
}

/** The same for a persona that names none. */
export function defaultProvider({ live, environment }: Workspace): string {
  return live.current().inference.provider ?? environment.firstProvider ?? 'offline';
}
