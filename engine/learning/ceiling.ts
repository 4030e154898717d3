import type { Persona, SecurityConfig } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { factsOf, narrowingFor, refusalOf } from '../policy/surface.ts';
import type { Playbook } from '../record/codec/playbook.ts';

/** Whether the persona may use a tool at all: what its grants and the gateway's policy leave to its owner. */
export type Ceiling = (tool: string) => boolean;

export function ceilingOf(
  persona: Persona,
  policy: SecurityConfig['tool_policy'],
  tools: Pick<Registry<RegisteredTool>, 'get'>,
): Ceiling {
  const narrowing = narrowingFor(persona, policy, { tier: 'owner', tellsBack: false });
  return (name) => {
    const tool = tools.get(name);
    return tool !== undefined && refusalOf(factsOf(tool), narrowing) === null;
  };
}

/** Tools that a playbook wants and the persona may not use: with one of these it is not taken. */
export function beyondCeiling(
  { steps, defaults }: Pick<Playbook, 'steps' | 'defaults'>,
  ceiling: Ceiling,
): readonly string[] {
  const wanted = new Set([...steps.map(({ tool }) => tool), ...Object.keys(defaults)]);
  return [...wanted].filter((tool) => !ceiling(tool));
}
