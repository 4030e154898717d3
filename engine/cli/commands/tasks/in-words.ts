import { describeProblem } from '../../../config/problems/problem.ts';
import { systemZone } from '../../../lib/schedule/zone.ts';
import { timeShape } from '../../../queries/tasks/history.ts';
import { type ListedTask, nextAtOf } from '../../../queries/tasks/listing.ts';
import type { TaskTimeStatus } from '../../../storage/types/tasks.ts';
import { atHere } from '../../text/local-time.ts';
import { table } from '../../text/table.ts';

export function nextInWords(one: ListedTask, now: number): string {
  const next = nextAtOf(one, now);
  return next === null || !one.entry.task ? '-' : atHere(next);
}

/** When it is due, with the zone of its own where that is another one than this machine's. */
export function scheduleInWords({ schedule, timezone }: { schedule: string | null; timezone: string | null }): string {
  const isElsewhere = timezone !== null && schedule !== null && timezone !== systemZone();
  return `${schedule ?? ''}${isElsewhere ? ` (${timezone})` : ''}`;
}

export function stateInWords({ entry, row }: ListedTask): string {
  if (entry.problems[0]) return `wrong: ${describeProblem(entry.problems[0])}`;
  if (!entry.task?.enabled) return 'disabled';
  if (row?.paused_reason) return `paused: ${row.paused_reason}`;
  return row && row.failures > 0 ? `failing (${row.failures} in a row)` : 'on';
}

export const historyTable = (persona: string, times: readonly TaskTimeStatus[]): string =>
  table(
    ['DUE', 'STATE', 'CODE', 'DELIVERY', 'RUN'],
    times.map((time) => {
      const { state, code, delivery, run_id } = timeShape(persona, time);
      return [atHere(time.due_at), state, code ?? '', delivery, run_id ?? ''];
    }),
    '',
  );
