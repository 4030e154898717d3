import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readJson } from '../../lib/json.ts';

/** What tells an editor, and `tsc`, where the types of extensions are; below the root of a workspace. */
export const TYPES_FILE = 'extensions/tsconfig.json';

const CONTRACT = fileURLToPath(new URL('../../contract/', import.meta.url));

const require = createRequire(import.meta.url);

/** Their folders in this installation, which another version or another machine has elsewhere. */
function placesOfTypes(root: string): { paths: Record<string, string[]>; node: string | null } {
  // A checkout has the sources, the package what is declared in them.
  const index = existsSync(join(CONTRACT, 'index.ts')) ? 'index.ts' : 'index.d.ts';
  const zod = dirname(require.resolve('zod/package.json'));
  return {
    paths: {
      'epistle/contract': [join(CONTRACT, index)],
      'epistle/contract/http': [join(CONTRACT, 'http', index)],
      zod: [join(zod, 'index.d.ts')],
      'zod/*': [join(zod, '*')],
    },
    node: nodeTypes(root),
  };
}

/** The workspace's own, or those of a checkout; the package has none. */
function nodeTypes(root: string): string | null {
  try {
    const paths = [join(root, 'extensions'), CONTRACT];
    return dirname(require.resolve('@types/node/package.json', { paths }));
  } catch {
    return null;
  }
}

const LIB = ['es2024', 'esnext.disposable'];

const names = z.array(z.string());

const settingsSchema = z.looseObject({
  compilerOptions: z
    .looseObject({
      paths: z.record(z.string(), z.unknown()).default({}),
      types: names.default([]),
      lib: names.default(LIB),
    })
    .prefault({}),
});

/** What stands in a new one; it is the author's to change. */
const FIRST = {
  target: 'es2024',
  lib: LIB,
  module: 'nodenext',
  strict: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  allowJs: true,
  noEmit: true,
  skipLibCheck: true,
};

/** The settings in the file, or those of a new one. Undefined: it is no JSON, such as one with comments, and stays. */
function settingsIn(path: string): z.output<typeof settingsSchema> | undefined {
  return existsSync(path)
    ? readJson(settingsSchema, readFileSync(path, 'utf8'))
    : settingsSchema.parse({ compilerOptions: FIRST });
}

/**
 * Lets an editor know the types of `epistle/contract` and `zod` in a workspace that has neither: as they are in the
 * version that this is. Other settings in the file stay. True: it was written; `onlyOld`: not where there is none.
 */
export function showTypes(root: string, { onlyOld = false }: { readonly onlyOld?: boolean } = {}): boolean {
  const path = join(root, TYPES_FILE);
  if (onlyOld && !existsSync(path)) return false;
  const settings = settingsIn(path);
  if (!settings) return false;
  const { paths, node } = placesOfTypes(root);
  const before = settings.compilerOptions;
  const compilerOptions = {
    ...before,
    // `fetch`, `URL` and the like are known from one of the two; with both, some have two meanings.
    lib: [...before.lib.filter((name) => name !== 'dom'), ...(node === null ? ['dom'] : [])],
    types: [...before.types.filter((name) => name !== 'node'), ...(node === null ? [] : ['node'])],
    typeRoots: node === null ? [] : [dirname(node)],
    paths: { ...before.paths, ...paths },
  };
  if (JSON.stringify(compilerOptions) === JSON.stringify(before)) return false;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...settings, compilerOptions }, null, 2)}\n`);
  return true;
}
