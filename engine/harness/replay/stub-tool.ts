import type { Asks, Risk } from '#contract';
import { FOLDERS } from '../../extensions/tool-sources.ts';
import type { RegisteredTool } from '../../extensions/types.ts';

/** What stands for a tool in a replay: it is never run, and only its name, its risk and what it asks are known. */
export function stubOf(
  name: string,
  { risk, asks, isUnknown }: { risk: Risk; asks?: Asks; isUnknown: boolean },
): RegisteredTool {
  return {
    name,
    source: FOLDERS,
    manifest: { name, secrets: {}, capabilities: [] },
    definition: {
      description: '',
      risk: 'read',
      scope: 'files:read',
      input: {},
      ...(asks === undefined ? {} : { asks }),
      effect: isUnknown ? 'unknown' : risk === 'read' ? 'none' : 'idempotent',
    },
    call: async () => null,
    config: null,
    secrets: () => ({}),
    inputSchema: {},
    validate: (value) => ({ ok: true, value }),
    validateOutput: (value) => ({ ok: true, value }),
    ready: () => null,
  };
}
