import type { InferenceConfig, Persona, SystemConfig } from '../../config/types.ts';
import { type StageSettings, stageSettings } from '../../models/stage.ts';
import { parseTarget } from '../../models/targets.ts';
import type { Target } from '../../record/settings.ts';
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
