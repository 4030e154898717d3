import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A tool that changes something outside, once for each key, and takes a while before it does. */
export const EFFECT_TOOL = {
  'extensions/extensions.json': { tools: ['leave_mark'] },
  'extensions/tools/leave_mark/manifest.json': {
    name: 'leave_mark',
    kind: 'tool',
    api: 1,
    summary: 'Leaves a mark',
    entry: 'index.mjs',
  },
  'extensions/tools/leave_mark/index.mjs': `import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export default {
  description: 'Leaves a mark.', risk: 'write', scope: 'files:write',
  input: { type: 'object', properties: { key: { type: 'string' }, ms: { type: 'integer' } }, required: ['key', 'ms'] },
  run: async ({ key, ms }) => {
    appendFileSync(new URL('../../../marks', import.meta.url), key + '\\n');
    await sleep(ms);
    return { key };
  },
};`,
};

/** How often each key was marked. */
export function marksIn(root: string): ReadonlyMap<string, number> {
  const file = join(root, 'marks');
  const marks = new Map<string, number>();
  if (!existsSync(file)) return marks;
  for (const key of readFileSync(file, 'utf8').split('\n')) if (key !== '') marks.set(key, (marks.get(key) ?? 0) + 1);
  return marks;
}
