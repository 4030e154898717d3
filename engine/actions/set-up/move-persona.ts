import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import { assertFree } from './persona-folder.ts';

interface Places {
  readonly root: string;
  readonly dataDir: string;
}

/**
 * Gives a persona another id: its files and all that it keeps go along. Nobody may work on the workspace meanwhile. The
 * folder of the persona is moved last: broken off before that, the same call goes on where it was. Throws `usage` for what
 * is no id, `not_empty` where the new one has something already.
 */
export async function renamePersona(
  { root, dataDir, gateway }: Places & { readonly gateway: Pick<GatewayStore, 'renamePersona'> },
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  assertFree({ root }, to);
  const [files, kept] = [join(root, 'personas'), join(dataDir, 'personas')];
  if (existsSync(join(kept, from))) {
    if (existsSync(join(kept, to))) {
      throw new EngineError('not_empty', `${join(kept, to)} is of an earlier persona ${to}; move it away first`);
    }
    renameSync(join(kept, from), join(kept, to));
  }
  await gateway.renamePersona(from, to);
  renameSync(join(files, from), join(files, to));
}

/**
 * Takes a persona away: what it kept first, or moved to `keepIn` of the workspace, then its files. Nobody may work on the
 * workspace meanwhile. Returns where its things lie now, from the workspace; null: nowhere.
 */
export function deletePersona({ root, dataDir }: Places, id: string, keepIn: string | null): string | null {
  const places = [
    { name: 'data', path: join(dataDir, 'personas', id) },
    { name: 'persona', path: join(root, 'personas', id) },
  ].filter(({ path }) => existsSync(path));
  const target = keepIn === null ? null : join(root, keepIn);
  if (target !== null) mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const { name, path } of places) {
    if (target === null) rmSync(path, { recursive: true });
    else renameSync(path, join(target, name));
  }
  return keepIn;
}
