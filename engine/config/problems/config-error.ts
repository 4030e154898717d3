import { EngineError } from '#contract';
import type { Problem } from '../types.ts';

/** Every problem of the configuration at once. */
export class ConfigError extends EngineError {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super('config_invalid', 'the configuration has problems');
    this.problems = problems;
  }
}
