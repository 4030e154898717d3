import type { Asks, Risk } from '#contract';
import type { RegisteredTool } from '../../extensions/types.ts';

/** What stands for a tool in a replay: it is never run, and only its name, its risk and what it asks are known. */
export function stubOf(
  name: string,
  { risk, asks, isUnknown }: { risk: Risk; asks?: Asks; isUnknown: boolean },
): RegisteredTool {
  return {
    name,
    manifest: {
      name,
      kind: 'tool',
      api: 1,
      summary: name,
      entry: 'index.js',
      secrets: {},
      config: {},
      capabilities: [],
    },
    definition: {
      description: '',
      risk: 'read',
      scope: 'files:read',
      input: {},
      ...(asks === undefined ? {} : { asks }),
      effect: isUnknown ? 'unknown' : risk === 'read' ? 'none' : 'idempotent',
      run: () => null,
    },
    config: null,
    secrets: () => ({}),
    inputSchema: {},
    validate: (value) => ({ ok: true, value }),
    validateOutput: (value) => ({ ok: true, value }),
    ready: () => null,
  };
}
