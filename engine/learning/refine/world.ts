import type { Persona, SecurityConfig } from '../../config/types.ts';
import type { RegisteredTool, Registry } from '../../extensions/types.ts';
import { factsOf } from '../../policy/surface.ts';
import { ceilingOf } from '../ceiling.ts';
import type { ToolWorld } from './candidate.ts';

/** The tools of a persona as far as a playbook is judged by them. */
export function toolWorldOf(
  persona: Persona,
  policy: SecurityConfig['tool_policy'],
  tools: Pick<Registry<RegisteredTool>, 'get' | 'all'>,
): ToolWorld {
  return {
    ceiling: ceilingOf(persona, policy, tools),
    changes: (tool) => tools.get(tool)?.definition.risk !== 'read',
    scopeOf(name) {
      const tool = tools.get(name);
      return tool === undefined ? null : factsOf(tool).scope;
    },
    names: tools.all().map(({ name }) => name),
  };
}
