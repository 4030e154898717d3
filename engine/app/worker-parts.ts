import { createBatchedFsync } from '../storage/batched-fsync.ts';
import { type PersonaFiles, personaFiles } from '../storage/persona-files.ts';
import type { Workspace } from '../workspace.ts';

/** Personas whose paths are kept: each mail asks for them several times. */
const MAX_KEPT = 1000;

/** Files of personas; mails that are written at the same time share one flush. One for the whole process. */
export function filesFor({ dataDir }: Workspace): (personaId: string) => PersonaFiles {
  const writeMail = createBatchedFsync();
  const kept = new Map<string, PersonaFiles>();
  return (personaId) => {
    const known = kept.get(personaId);
    if (known) return known;
    if (kept.size >= MAX_KEPT) kept.clear();
    const files = personaFiles(dataDir, personaId, writeMail);
    kept.set(personaId, files);
    return files;
  };
}

export const isOwnAddressIn =
  ({ live }: Workspace) =>
  (address: string): boolean =>
    live.personas().byAddress(address) !== undefined;

/** The secret by which the gateway knows its own marks in mail; made at the first use. */
export const recursionSecretOf = ({ gateway, ids }: Workspace): Promise<string> =>
  gateway.setting('recursion_secret', () => ids.random(32));
