import { beginRun } from './begin-run.ts';
import { MARK } from './processes.ts';

/** For a run that `scripts/test` has not begun; each project of it asks for one. */
export default function setup(): void {
  if (process.env[MARK] === undefined) Object.assign(process.env, beginRun(process.env).environment);
}
