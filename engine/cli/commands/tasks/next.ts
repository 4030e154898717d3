import { EngineError } from '#contract';
import { describeProblem } from '../../../config/problems/problem.ts';
import { iso } from '../../../lib/clock.ts';
import { localTime } from '../../../lib/schedule/zone.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { findTask, type ListedTask, listTasks } from '../../../queries/tasks/listing.ts';
import type { Occurrence } from '../../../queries/tasks/look-ahead.ts';
import { defineCommand } from '../../command/define.ts';
import { timeOf } from '../../command/time-option.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';
import { table } from '../../text/table.ts';

const DEFAULT_DAYS = 7;
const MOST_DAYS = 366;
/** More lines than these nobody reads; `--json` has them all. */
const MOST_LINES = 50;

/** Runs nothing and writes nothing: the same calculation as the schedule's own, looking ahead. */
export const next = defineCommand({
  name: 'tasks next',
  summary: 'What will run when, and about what it will cost',
  arguments: [['[id]', '<persona>/<task>']],
  options: {
    from: { flags: '--from <iso>', about: 'from this time on (default: now)' },
    days: { flags: '--days <n>', about: 'so many times 24 hours', fallback: String(DEFAULT_DAYS) },
  },
  async run({ open, json, note }, { args: [name], options }) {
    const days = daysOf(options.days);
    const workspace = open({ tolerant: true });
    const now = workspace.clock.now();
    const from = timeOf('--from', options.from) ?? now;
    const listed = name === undefined ? await listTasks(workspace) : [await findTask(workspace, name)];
    const problems = listed.flatMap(({ entry }) => entry.problems);
    if (name !== undefined && problems.length > 0) {
      const error = { code: 'config_invalid', message: problems.map(describeProblem).join('; '), problems };
      if (!json) note(`epistle: ${error.message}`);
      return { error };
    }
    const { lookAhead, isOn } = await import('../../../queries/tasks/look-ahead.ts');
    const ahead = await lookAhead(workspace, listed, { now, from, to: from + days * DAY_MS });
    for (const problem of name === undefined ? problems : []) note(`epistle: ${describeProblem(problem)}`);
    const [one, ...others] = listed;
    return { ...ahead, from, problems, off: one && others.length === 0 && !isOn(one) ? one : null };
  },
  json: (found) =>
    'error' in found
      ? found
      : {
          occurrences: found.shown.map(({ at, task, zone, usd }) => ({
            task,
            due_at: iso(at),
            local: localTime(zone, at),
            estimated_cost_usd: usd,
          })),
          from: iso(found.from),
          to: iso(found.until),
          problems: found.problems,
        },
  text: (found) =>
    'error' in found
      ? ''
      : [
          table(
            ['WHEN', 'TASK', 'ABOUT USD'],
            found.shown
              .slice(0, MOST_LINES)
              .map(({ at, task, usd }) => [atHere(at), task, usd === null ? 'unknown' : usd.toFixed(4)]),
            `Nothing will run before ${atHere(found.until)}.${whyNothing(found.off)}`,
          ),
          ...(found.shown.length > MOST_LINES ? [`… and ${found.shown.length - MOST_LINES} more`] : []),
          ...(found.shown.length > 0 ? ['', summary(found.shown, found.until), zoneLine()] : []),
        ].join('\n'),
  exitCode: (found) => ('error' in found ? 1 : 0),
});

/** `off`: the one task that was asked about, where it is not on. */
function whyNothing(off: ListedTask | null): string {
  if (off === null) return '';
  return off.row?.paused_reason ? ` It is paused: ${off.row.paused_reason}.` : ' It is not enabled.';
}

function summary(shown: readonly Occurrence[], end: number): string {
  const priced = shown.flatMap(({ usd }) => (usd === null ? [] : [usd]));
  const unknown = shown.length - priced.length;
  const usd = priced.reduce((sum, one) => sum + one, 0).toFixed(4);
  const runs = `${shown.length} ${shown.length === 1 ? 'run' : 'runs'} before ${atHere(end)}`;
  return `${runs}, about ${usd} USD${unknown > 0 ? ` and ${unknown} at an unknown price` : ''}`;
}

function daysOf(days: string): number {
  const count = Number(days);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_DAYS) return count;
  throw new EngineError('usage', `--days takes a whole number from 1 to ${MOST_DAYS}`);
}
