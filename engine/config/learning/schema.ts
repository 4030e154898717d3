import { z } from 'zod';

const mode = z.enum(['none', 'assisted', 'filter', 'policy']);

/** What a persona learns: whether it does, how much of it is kept, and by which model. */
export const learningKeys = {
  enabled: z.boolean(),
  /** Playbooks are refined after runs, and not only on command. */
  auto_learn: z.boolean(),
  /** Of one kind of work. */
  max_versions: z.int().min(1).max(200),
  /** Null: as its runs have gone. */
  mode_override: mode.nullable(),
  /** However well its runs have gone; `mode_override` counts before it. */
  max_mode: mode,
  /** Null: that of the stage `refine`. */
  refinement_model: z
    .string()
    .max(300)
    .regex(/^[a-z0-9_-]+\/\S+$/, 'provider/model')
    .nullable(),
};

export const learningSchema = z.strictObject({
  enabled: learningKeys.enabled.default(false),
  auto_learn: learningKeys.auto_learn.default(true),
  max_versions: learningKeys.max_versions.default(20),
  mode_override: learningKeys.mode_override.default(null),
  max_mode: learningKeys.max_mode.default('policy'),
  refinement_model: learningKeys.refinement_model.default(null),
});
