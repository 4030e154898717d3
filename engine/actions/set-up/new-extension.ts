import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import type { ExtensionKind } from '../../config/types.ts';
import { KINDS, type KindFolder } from '../../extensions/loading/find.ts';
import { listExtension } from './extension-listing.ts';
import { type ModelServer, providerOf, scaffold } from './extension-scaffold.ts';
import { showTypes, TYPES_FILE } from './extension-types.ts';

export interface NewExtension {
  readonly kind: ExtensionKind;
  readonly name: string;
  /** Its folder, from the root of the workspace. */
  readonly path: string;
  /** Files that were written, from there too. */
  readonly created: readonly string[];
}

/**
 * Makes the folder of an extension that works as it stands, and lists it. Throws `usage` for a kind or name that there
 * cannot be, `not_empty` for a folder that is there.
 */
export function createExtension(
  root: string,
  { kind: kindName, name, server }: { kind: string; name: string; server: ModelServer | null },
): NewExtension {
  const { folder, kind } = kindNamed(kindName);
  if (server !== null && kind !== 'provider')
    throw new EngineError('usage', `--url is for a provider, not for a ${kind}`);
  const pattern = kind === 'tool' ? /^[a-z0-9_]{1,64}$/ : /^[a-z0-9_-]{1,64}$/;
  if (!pattern.test(name)) {
    throw new EngineError(
      'usage',
      `${JSON.stringify(name)} is no name for a ${kind}; take lower-case letters, digits and _`,
    );
  }
  const path = `extensions/${folder}/${name}`;
  if (existsSync(join(root, path))) throw new EngineError('not_empty', `${path} exists already; choose another name`);
  const files = server === null ? scaffold(kind, name) : providerOf(name, server);
  writeFolder(root, folder, name, files);
  listExtension(root, folder, name);
  const types = showTypes(root) ? [TYPES_FILE] : [];
  const created = [...Object.keys(files).map((file) => `${path}/${file}`), 'extensions/extensions.json', ...types];
  return { kind, name, path, created };
}

function kindNamed(given: string): { folder: KindFolder; kind: ExtensionKind } {
  const found = KINDS.find(({ folder, kind }) => given === folder || given === kind);
  if (!found) throw new EngineError('usage', `${given} is no kind; expected tool, provider, resolver or hook`);
  return found;
}

/** Renamed when it is whole: a running gateway looks at this folder. Names that begin with a dot are passed over. */
function writeFolder(root: string, folder: KindFolder, name: string, files: Readonly<Record<string, string>>): void {
  const parent = join(root, 'extensions', folder);
  mkdirSync(parent, { recursive: true });
  const staging = mkdtempSync(join(parent, '.new-'));
  try {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(staging, file), text);
    renameSync(staging, join(parent, name));
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw error;
  }
}
