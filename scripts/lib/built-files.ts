import { z } from 'zod';

/** `new URL('./worker.ts', import.meta.url)` and `import.meta.resolve('./x.ts')` name modules outside an import. */
export const builtModule = (text: string): string =>
  text.replace(/((?:new URL|import\.meta\.resolve)\(\s*(['"])\.{1,2}\/[^'"\n]*)\.ts\2/g, '$1.js$2');

/** tsc leaves `.ts` in declarations, where it would point at sources that are not beside them. */
export const builtTypes = (text: string): string =>
  text.replace(/(from '\.{1,2}\/[^'\n]*|import\("\.[^"\n]*)\.ts/g, '$1.js');

const manifestSchema = z.looseObject({ entry: z.string().optional() });

/** A manifest whose `entry` names the built file. */
export function builtManifest(text: string): string {
  const manifest = manifestSchema.parse(JSON.parse(text));
  const entry = manifest.entry?.replace(/\.ts$/, '.js');
  return `${JSON.stringify(entry === undefined ? manifest : { ...manifest, entry }, null, 2)}\n`;
}

const packageSchema = z.looseObject({ name: z.string(), version: z.string() });

/** The contract's entries in dist/, by the end of their name. */
const ENTRIES = { contract: './engine/contract/index.js', 'contract/http': './engine/contract/http/index.js' };

/** What makes `#contract…` and `epistle/contract…` resolve inside dist/. */
export function builtPackage(text: string): string {
  const { name, version } = packageSchema.parse(JSON.parse(text));
  const named = (prefix: string) =>
    Object.fromEntries(Object.entries(ENTRIES).map(([key, path]) => [prefix + key, path]));
  return `${JSON.stringify({ name, version, type: 'module', imports: named('#'), exports: named('./') }, null, 2)}\n`;
}
