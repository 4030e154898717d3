import type { Configs, Persona } from '../../config/types.ts';
import { refineSettings } from '../../learning/refine/model.ts';
import { learningOf } from '../../learning/settings.ts';
import { stageSettings } from '../../models/stage.ts';
import type { Switch } from '../../storage/types/approvals.ts';
import type { QueryPorts } from '../ports.ts';
import { type Check, fine } from './check.ts';

type Configured = Pick<Configs, 'inference' | 'system'>;

/** Whether a word of an owner would change it: what is off, and the weekly mail, which is named where it is on. Pure. */
export function switchable(
  persona: Persona,
  { inference, system }: Configured,
): Readonly<Record<Switch['switch'], boolean>> {
  const learning = learningOf(persona, system);
  return {
    recall: !(persona.memory.recall ?? system.memory.recall),
    facts: !persona.memory.facts,
    summarise: stageSettings(persona, inference, 'summarise') === null,
    learning: !learning.enabled,
    learning_more: learning.enabled && learning.mode_override === null && learning.max_mode === 'assisted',
    delegation: !persona.delegation.enabled,
    weekly_mail: true,
  };
}

interface Part {
  /** The line of `doctor --harness`. */
  readonly line: 'memory' | 'stages' | 'playbooks' | 'helpers';
  readonly name: string;
  isOn(persona: Persona, configs: Configured): boolean;
  /** What has to be set, behind `epistle config set persona/ID`. */
  readonly setting: string;
}

const PARTS: readonly Part[] = [
  {
    line: 'memory',
    name: 'recall of earlier mail',
    isOn: (persona, configs) => !switchable(persona, configs).recall,
    setting: 'memory.recall true',
  },
  {
    line: 'memory',
    name: 'what people ask to be remembered',
    isOn: ({ memory }) => memory.facts === true,
    setting: 'memory.facts true',
  },
  ...(['summarise', 'remember', 'refine', 'frame'] as const).map(
    (stage): Part => ({
      line: 'stages',
      name: stage,
      isOn: (persona, { inference, system }) =>
        stage === 'refine'
          ? refineSettings(persona, inference, system) !== null
          : stageSettings(persona, inference, stage) !== null,
      setting:
        stage === 'summarise'
          ? `inference.stages.${stage} '{}'`
          : `inference.stages.${stage} '{"provider": "PROVIDER", "model": "MODEL"}'`,
    }),
  ),
  {
    line: 'playbooks',
    name: 'learning',
    isOn: (persona, { system }) => learningOf(persona, system).enabled,
    setting: 'learning.enabled true',
  },
  {
    line: 'playbooks',
    name: 'more than advice',
    isOn: (persona, configs) => {
      const { enabled } = learningOf(persona, configs.system);
      return enabled && !switchable(persona, configs).learning_more;
    },
    setting: 'learning.max_mode policy',
  },
  {
    line: 'helpers',
    name: 'child runs',
    isOn: ({ delegation }) => delegation.enabled,
    setting: 'delegation.enabled true',
  },
];

/** One line each: what is on, what is off for whom, and how it is switched on. */
export function switchChecks({ live }: Pick<QueryPorts, 'live'>): Check[] {
  const configs = live.current();
  const personas = [...live.personas().all()].flatMap((one) => (one.state === 'ready' ? [one.persona] : []));
  return [...Map.groupBy(PARTS, ({ line }) => line)].map(([line, parts]) => {
    const said = parts.map(({ name, setting, isOn }) => {
      const off = personas.filter((persona) => !isOn(persona, configs)).map(({ id }) => id);
      if (off.length === 0) return `${name} on`;
      const whom =
        off.length === personas.length ? '' : ` for ${off.length > 3 ? `${off.length} personas` : off.join(', ')}`;
      const id = off.length === 1 ? off[0] : 'ID';
      return `${name} off${whom} (\`epistle config set persona/${id} ${setting}\`)`;
    });
    return fine(`harness:${line}`, said.join('; '));
  });
}

/** What is off for this persona, in words; empty: nothing is. Pure. */
export const offInWords = (persona: Persona, configs: Configured): readonly string[] =>
  PARTS.filter(({ isOn }) => !isOn(persona, configs)).map(({ name, line }) =>
    line === 'stages' ? `the stage ${name}` : name,
  );
