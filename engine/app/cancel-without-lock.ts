import { type Cancelled, cancelRun } from '../actions/cancel-run.ts';
import type { Persona } from '../config/types.ts';
import { personaFiles } from '../storage/persona-files.ts';

import type { Workspace } from '../workspace.ts';

/** Ends a run without the workspace lock, beside a gateway that works or without one. */
export async function cancelWithoutLock(
  workspace: Workspace,
  { persona, id, by }: { persona: Persona; id: string; by: string },
): Promise<Cancelled> {
  const extensions = await workspace.extensions();
  const { announce, gateway, live, stores, ids, clock, dataDir, pass } = workspace;
  const deps = {
    configs: live.current,
    filesOf: (personaId: string) => personaFiles(dataDir, personaId),
    isOwnAddress: (address: string) => live.personas().byAddress(address) !== undefined,
    recursionSecret: await gateway.setting('recursion_secret', () => ids.random(32)),
    extensions: () => extensions,
    announce,
    clock,
    ids,
    pass,
  };
  return stores.use(persona.id, (store) => cancelRun(deps, { persona, store, id, by }));
}
