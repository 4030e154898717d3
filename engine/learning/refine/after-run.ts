import type { Configs, Persona } from '../../config/types.ts';
import { refineJob } from '../../record/jobs/job-kinds.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { PlaybookOutcome } from '../../storage/types/learning/playbooks.ts';
import { learningOf } from '../settings.ts';
import { refineSettings } from './model.ts';

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
