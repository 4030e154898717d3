import type { AskedBelow } from '../../queries/explain/read.ts';

/** Of a run that has handed work on: what was asked for by those who work for it. */
export const helpersAskedLines = (asked: readonly AskedBelow[] = []): readonly string[] =>
  asked.map(
    ({ approval_id, run_id, tool, state, decided_by: by }) =>
      `${tool}  ${state}${by === null ? '' : ` by ${by}`}  approval ${approval_id}, run ${run_id}`,
  );
