import type { PersonaFile, SystemConfig } from '../config/types.ts';

export type LearningSettings = SystemConfig['learning'];

/** The persona's word counts before the workspace's, key by key. */
export const learningOf = (
  persona: Pick<PersonaFile, 'learning'>,
  system: Pick<SystemConfig, 'learning'>,
): LearningSettings => ({
  enabled: persona.learning.enabled ?? system.learning.enabled,
  auto_learn: persona.learning.auto_learn ?? system.learning.auto_learn,
  max_versions: persona.learning.max_versions ?? system.learning.max_versions,
  mode_override:
    persona.learning.mode_override === undefined ? system.learning.mode_override : persona.learning.mode_override,
  max_mode: persona.learning.max_mode ?? system.learning.max_mode,
  refinement_model:
    persona.learning.refinement_model === undefined
      ? system.learning.refinement_model
      : persona.learning.refinement_model,
});

/** What whoever would keep a version of a playbook hears where another one came first. */
export const KEPT_MEANWHILE = 'another version was kept meanwhile; look at it, and try again';
