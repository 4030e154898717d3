import type { Configs, InferenceConfig, Persona, SystemConfig } from '../../config/types.ts';
import { type StageSettings, stageSettings } from '../../models/stage.ts';
import { parseTarget } from '../../models/targets.ts';
import { refineJob } from '../../record/jobs/job-kinds.ts';
import type { Target } from '../../record/settings.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { PlaybookOutcome } from '../../storage/types/learning/playbooks.ts';
import { learningOf } from '../settings.ts';

const MOST_TOKENS = 4096;

/**
 * By what playbooks are refined: `learning.refinement_model`, else the stage `refine`; null where neither names a model, and
 * then none is asked.
 */
export function refineSettings(
  persona: Persona,
  inference: Pick<InferenceConfig, 'stages'>,
  system: Pick<SystemConfig, 'learning'>,
): StageSettings | null {
  const stage = stageSettings(persona, inference, 'refine');
  const { refinement_model: named } = learningOf(persona, system);
  if (named === null && stage === null) return null;
  const most = Math.min(stage?.max_output_tokens ?? MOST_TOKENS, MOST_TOKENS);
  const chosen = named === null ? {} : { ...parseTarget(named), fallback: [] };
  return { ...stage, ...chosen, temperature: 0, max_output_tokens: most };
}

/** Parts of names by which vendors call their small models. */
const SMALL: ReadonlySet<string> = new Set([
  'nano',
  'lite',
  'haiku',
  'tiny',
  'micro',
  'small',
  '1b',
  '2b',
  '3b',
  '4b',
  '7b',
  '8b',
  '9b',
]);

/** A small model writes playbooks that are refused again and again. */
export const isWeak = ({ model }: Pick<Target, 'model'>): boolean =>
  model
    .toLowerCase()
    .split(/[^a-z0-9.]+/)
    .some((part) => SMALL.has(part));

/** A run after which its playbook may be made better; none where nothing is learned by itself, or no model is named for it. */
export function refinementAfter(
  { kind, run_id }: Pick<PlaybookOutcome, 'kind' | 'run_id'>,
  of: { readonly persona: Persona; readonly configs: Pick<Configs, 'inference' | 'system'>; readonly now: number },
): readonly NewJob[] {
  const { persona, configs, now } = of;
  const { enabled, auto_learn: isAuto } = learningOf(persona, configs.system);
  if (!enabled || !isAuto || refineSettings(persona, configs.inference, configs.system) === null) return [];
  return [refineJob({ kind, id: `refined:${run_id}`, run_id, asked_by: 'runs' }, now)];
}
