import { EngineError } from '#contract';
import type { Problem } from '../types.ts';

/** A problem with the parts that do not apply left out. */
export const problem = (
  parts: Pick<Problem, 'file' | 'code' | 'message'> & Partial<Pick<Problem, 'key' | 'expected' | 'nearest'>>,
): Problem => ({ key: '', expected: null, nearest: null, ...parts });

/** One line per problem: where, what, and the cure. */
export const describeProblem = ({ file, key, message }: Problem): string =>
  key ? `${file}: ${key}: ${message}` : `${file}: ${message}`;

/** `a, b or c`, cut after twelve. */
export function listed(names: readonly string[]): string {
  const shown = names.length > 12 ? [...names.slice(0, 12), '…'] : names;
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

export const didYouMean = (nearest: string | null): string => (nearest === null ? '' : `; did you mean "${nearest}"?`);

/** Every problem of the configuration at once. */
export class ConfigError extends EngineError {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super('config_invalid', 'the configuration has problems');
    this.problems = problems;
  }
}
