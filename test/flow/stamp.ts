import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a tool that writes down a name, for which owners are asked, and which a child run may have. */
export const STAMP = {
  'extensions/tools/stamp/manifest.json': { name: 'stamp', kind: 'tool', api: 1, summary: 'stamp', entry: 'index.mjs' },
  'extensions/tools/stamp/index.mjs': `
  import { appendFileSync } from 'node:fs';
  export default {
    description: 'Stamps a name', risk: 'write', scope: 'web:write', effect: 'unknown', uses: [],
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    run({ name }) {
      appendFileSync(new URL('stamps', import.meta.url), name + '\\n');
      return 'stamped ' + name;
    },
  };`,
};

/** What it has stamped, in the order of the alphabet. */
export function stampsIn(root: string): string[] {
  const file = join(root, 'extensions/tools/stamp/stamps');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').sort() : [];
}
