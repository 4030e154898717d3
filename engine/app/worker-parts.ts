import { createBatchedFsync } from '../storage/batched-fsync.ts';
import { type PersonaFiles, personaFiles } from '../storage/persona-files.ts';
import type { Workspace } from '../workspace.ts';

/** Files of personas; mails that are written at the same time share one flush. One for the whole process. */
export function filesFor({ dataDir }: Workspace): (personaId: string) => PersonaFiles {
  const writeMail = createBatchedFsync();
  return (personaId) => personaFiles(dataDir, personaId, writeMail);
}

export const isOwnAddressIn =
  ({ live }: Workspace) =>
  (address: string): boolean =>
    live.personas().byAddress(address) !== undefined;

/** The secret by which the gateway knows its own marks in mail; made at the first use. */
export const recursionSecretOf = ({ gateway, ids }: Workspace): Promise<string> =>
  gateway.setting('recursion_secret', () => ids.random(32));
