import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Import } from './rooms.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every text file below the folders, by its path from the root. */
export function sourcesIn(folders: readonly string[], endings: RegExp): Source[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && endings.test(entry.name))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .filter((path) => !path.split('/').includes('node_modules'))
        .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
    );
}

// `import … from 'x'`, `export … from 'x'`, `import 'x'`, `import('x')`, and `import('x')` in a type.
const IMPORT = /^\s*(import|export)(\s+type)?\b([^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** The imports of a file. Lines of comment are left out, since they may quote one. */
export function importsOf({ path, text }: Source): Import[] {
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
  return [...code.matchAll(IMPORT)].map((match) => {
    const specifier = match[4] ?? match[5] ?? '';
    return { from: path, specifier, to: target(path, specifier), isType: match[2] !== undefined };
  });
}

function target(path: string, specifier: string): string | undefined {
  const entry = /^(?:#|epistle\/)(contract(?:\/http)?)$/.exec(specifier)?.[1];
  if (entry !== undefined) return `engine/${entry}/index.ts`;
  return specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : undefined;
}

/** Circles in the graph, each as the files along it. Types are erased and close no circle at run time. */
export function cyclesIn(imports: readonly Import[]): string[] {
  const edges = new Map<string, string[]>();
  for (const { from, to, isType } of imports) {
    if (to !== undefined && !isType) edges.set(from, [...(edges.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file].join(' -> '));
    if (start >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return cycles;
}
