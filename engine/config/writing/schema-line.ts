import { existsSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

/** Where a workspace has the JSON Schemas of its files, for editors; below its root. The gateway reads none of them. */
export const SCHEMAS = 'configs/.schemas';

const schemaOf = (file: string): string =>
  `${SCHEMAS}/${file.startsWith('personas/') ? 'persona' : basename(file, '.json')}.json`;

/** What a file, named from the root, says under `$schema`. */
export function schemaPath(file: string): string {
  const path = posix.relative(dirname(file), schemaOf(file));
  return path.startsWith('../') ? path : `./${path}`;
}

/** The first key of a new file; none in a workspace that has no schemas. `isMade`: it is made at this moment, with schemas. */
export const schemaLine = (root: string, file: string, isMade = false): { readonly $schema?: string } =>
  isMade || existsSync(join(root, schemaOf(file))) ? { $schema: schemaPath(file) } : {};
