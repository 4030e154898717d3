import { readdirSync, realpathSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { manifestSchema } from '../../config/extension-schemas.ts';
import { readJsonFile } from '../../config/json-file.ts';
import { check } from '../../config/problems/issues.ts';
import { problem } from '../../config/problems/problem.ts';
import type { ExtensionKind, Manifest, Problem } from '../../config/types.ts';

/** Kinds as folders and lists name them. */
export const KINDS = [
  { folder: 'providers', kind: 'provider' },
  { folder: 'tools', kind: 'tool' },
  { folder: 'resolvers', kind: 'resolver' },
  { folder: 'hooks', kind: 'hook' },
] as const satisfies readonly { folder: string; kind: ExtensionKind }[];

export type KindFolder = (typeof KINDS)[number]['folder'];

export interface FoundExtension {
  readonly kind: ExtensionKind;
  readonly name: string;
  readonly source: 'bundled' | 'workspace';
  readonly path: string;
  /** `extensions/<kind>s/<name>`, as problems name it. */
  readonly shownPath: string;
  /** Null when it is wrong; `problems` says why. */
  readonly manifest: Manifest | null;
  /** Absolute; null for a provider with an `adapter`, and while the manifest is wrong. */
  readonly entry: string | null;
  readonly problems: readonly Problem[];
}

/** The extensions in `<folder>/{providers,tools,resolvers,hooks}/*`, each with its manifest checked. Imports nothing. */
export function findExtensions(folder: string, source: 'bundled' | 'workspace'): FoundExtension[] {
  return KINDS.flatMap(({ folder: kindFolder, kind }) =>
    namesIn(join(folder, kindFolder)).map((name) =>
      examine({
        kind,
        name,
        source,
        path: join(folder, kindFolder, name),
        shownPath: `extensions/${kindFolder}/${name}`,
      }),
    ),
  );
}

type Place = Pick<FoundExtension, 'kind' | 'name' | 'source' | 'path' | 'shownPath'>;

function examine(place: Place): FoundExtension {
  const file = `${place.shownPath}/manifest.json`;
  const wrong = (problems: readonly Problem[]): FoundExtension => ({ ...place, manifest: null, entry: null, problems });
  const read = readJsonFile(join(place.path, 'manifest.json'), file);
  if (read.state === 'absent') return wrong([problem({ file, code: 'not_found', message: 'is missing' })]);
  if (read.state === 'bad') return wrong([read.problem]);
  const checked = check(manifestSchema, read.value, file);
  if (!checked.ok) return wrong(checked.problems);
  const manifest = checked.value;
  const misplaced = placeProblems(manifest, place, file);
  if (misplaced.length > 0) return wrong(misplaced);
  if (manifest.kind === 'provider' && manifest.entry === undefined) {
    return { ...place, manifest, entry: null, problems: [] };
  }
  const entry = entryIn(place.path, manifest.entry ?? '');
  if (entry.ok) return { ...place, manifest, entry: entry.path, problems: [] };
  return wrong([problem({ file, key: 'entry', code: 'invalid_value', message: entry.message })]);
}

function placeProblems(manifest: Manifest, place: Place, file: string): Problem[] {
  const differs = (key: string, written: string, expected: string): Problem[] => {
    if (written === expected) return [];
    const message = `is "${written}", but the folder says "${expected}"`;
    return [problem({ file, key, code: 'invalid_value', message, expected })];
  };
  const problems = [...differs('kind', manifest.kind, place.kind), ...differs('name', manifest.name, place.name)];
  if (manifest.kind === 'provider' && (manifest.entry === undefined) === (manifest.adapter === undefined)) {
    const message = 'a provider has either an adapter or an entry';
    problems.push(problem({ file, key: 'entry', code: 'invalid_value', message, expected: 'one of adapter, entry' }));
  }
  return problems;
}

/** A manifest may name a file of its own folder, and no link out of it: what runs is what stands in the folder. */
function entryIn(folder: string, entry: string): { ok: true; path: string } | { ok: false; message: string } {
  if (!['.ts', '.js', '.mjs'].includes(extname(entry))) return { ok: false, message: 'is not a .ts, .js or .mjs file' };
  try {
    const path = realpathSync(join(folder, entry));
    if (!path.startsWith(realpathSync(folder) + sep)) return { ok: false, message: "leaves the extension's folder" };
    return statSync(path).isFile() ? { ok: true, path } : { ok: false, message: `${entry} is not a file` };
  } catch {
    return { ok: false, message: `${entry} does not exist` };
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !/^[._]|^node_modules$/.test(name))
      .filter((entry) => entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(folder, entry.name))))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
