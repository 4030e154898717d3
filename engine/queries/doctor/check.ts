import type { Problem } from '../../config/types.ts';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  /** What to do; null when nothing has to be done. */
  readonly cure: string | null;
  /** The place in a file, where there is one. */
  readonly problem: Problem | null;
}

/** By which a reader of the text tells a warning: it is no failure, and there is something to do. */
export const WARNING = 'warning: ';

export const fine = (name: string, message: string): Check => ({ name, ok: true, message, cure: null, problem: null });

export const bad = (name: string, message: string, cure: string, problem: Problem | null = null): Check => ({
  name,
  ok: false,
  message,
  cure,
  problem,
});

/** Nothing that fails; somebody should know it. */
export const warn = (name: string, message: string): Check => fine(name, `${WARNING}${message}`);
