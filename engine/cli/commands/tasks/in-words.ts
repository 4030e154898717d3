import { describeProblem } from '../../../config/problems/problem.ts';
import { localTime, systemZone } from '../../../lib/schedule/zone.ts';
import { timeShape } from '../../../queries/tasks/history.ts';
import { type ListedTask, nextAtOf } from '../../../queries/tasks/listing.ts';
import type { TaskTimeStatus } from '../../../storage/types/tasks.ts';
import { table } from '../../text/table.ts';

export function nextInWords(one: ListedTask, now: number): string {
  const next = nextAtOf(one, now);
  return next === null || !one.entry.task ? '-' : localTime(one.entry.task.timezone, next);
}

/** The same on the clock of this machine, where that is another one. */
export function nextHere(one: ListedTask, now: number): string {
  const next = nextAtOf(one, now);
  const zone = systemZone();
  if (next === null || !one.entry.task || one.entry.task.timezone === zone) return '';
  return `, here ${localTime(zone, next)}`;
}

export function stateInWords({ entry, row }: ListedTask): string {
  if (entry.problems[0]) return `wrong: ${describeProblem(entry.problems[0])}`;
  if (!entry.task?.enabled) return 'disabled';
  if (row?.paused_reason) return `paused: ${row.paused_reason}`;
  return row && row.failures > 0 ? `failing (${row.failures} in a row)` : 'on';
}

export const historyTable = (persona: string, times: readonly TaskTimeStatus[], zone: string): string =>
  table(
    ['DUE', 'STATE', 'CODE', 'DELIVERY', 'RUN'],
    times.map((time) => {
      const { state, code, delivery, run_id } = timeShape(persona, time);
      return [localTime(zone, time.due_at), state, code ?? '', delivery, run_id ?? ''];
    }),
    '',
  );
