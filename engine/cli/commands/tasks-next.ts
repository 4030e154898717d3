import type { Command } from 'commander';
import { EngineError } from '#contract';
import { describeProblem } from '../../config/problem.ts';
import { iso } from '../../lib/clock.ts';
import { previewRuns } from '../../lib/schedule/preview.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import { anchorOf, findTask, type ListedTask, listTasks } from '../../queries/tasks/listing.ts';
import type { Workspace } from '../../workspace.ts';
import type { Act, CommandContext, Outcome } from '../command.ts';
import { table } from '../text/table.ts';
import { timeOf } from './usage.ts';

interface NextOptions {
  readonly from?: string;
  readonly days?: string;
}

interface Occurrence {
  readonly at: number;
  readonly task: string;
  readonly zone: string;
  readonly usd: number | null;
}

const DEFAULT_DAYS = 7;
const MOST_DAYS = 366;
/** Somebody reads this, and a task may be due every five seconds. */
const MOST_OCCURRENCES = 10_000;
const DAY_MS = 86_400_000;

export function registerNext(tasks: Command, act: Act): void {
  tasks
    .command('next')
    .description('What will run when, and about what it will cost')
    .argument('[id]', '<persona>/<task>')
    .option('--from <iso>', 'from this time on (default: now)')
    .option('--days <n>', 'so many times 24 hours', String(DEFAULT_DAYS))
    .action(act(next));
}

/** Runs nothing and writes nothing: the same calculation as the schedule's own, looking ahead. */
async function next(context: CommandContext, name: string | undefined, options: NextOptions): Promise<Outcome> {
  const days = daysOf(options);
  const workspace = context.open({ tolerant: true });
  const now = workspace.clock.now();
  const from = timeOf('--from', options.from) ?? now;
  const listed = name === undefined ? await listTasks(workspace) : [await findTask(workspace, name)];
  const problems = listed.flatMap(({ entry }) => entry.problems);
  if (name !== undefined && problems.length > 0) {
    const error = { code: 'config_invalid', message: problems.map(describeProblem).join('; '), problems };
    if (!context.json) context.note(`epistle: ${error.message}`);
    return { data: { error }, text: '', exitCode: 1 };
  }
  const { shown, until } = await lookAhead(workspace, listed, { now, from, to: from + days * DAY_MS });
  const occurrences = shown.map(({ at, task, zone, usd }) => ({
    task,
    due_at: iso(at),
    local: localTime(zone, at),
    estimated_cost_usd: usd,
  }));
  for (const problem of name === undefined ? problems : []) context.note(`epistle: ${describeProblem(problem)}`);
  return {
    data: { occurrences, from: iso(from), to: iso(until), problems },
    text: [
      table(
        ['WHEN', 'TASK', 'ABOUT USD'],
        shown.map(({ at, task, zone, usd }) => [localTime(zone, at), task, usd === null ? 'unknown' : usd.toFixed(4)]),
        `Nothing will run before ${iso(until)}.${whyNothing(listed)}`,
      ),
      ...(shown.length > 0 ? ['', summary(shown, until)] : []),
    ].join('\n'),
  };
}

/** All their runs in [from, to), or up to `until` when there would be too many. */
async function lookAhead(
  workspace: Workspace,
  listed: readonly ListedTask[],
  { now, from, to }: { now: number; from: number; to: number },
): Promise<{ shown: readonly Occurrence[]; until: number }> {
  const { costPerRun } = await import('../../queries/tasks/cost.ts');
  const found: Occurrence[] = [];
  let until = to;
  for (const one of listed.filter(isOn)) {
    const { task } = one.entry;
    if (!task) continue;
    const ahead = previewRuns(task, { anchor: anchorOf(one, now), from, to: until, limit: MOST_OCCURRENCES });
    until = Math.min(until, ahead.until);
    const usd = ahead.runs.length > 0 ? await costPerRun(workspace, one) : null;
    const id = `${one.persona.id}/${one.entry.id}`;
    for (const at of ahead.runs) found.push({ at, task: id, zone: task.timezone, usd });
  }
  const sorted = found
    .filter(({ at }) => at < until)
    .sort((one, other) => one.at - other.at || one.task.localeCompare(other.task));
  const [first] = sorted.slice(MOST_OCCURRENCES);
  // Cut between two moments, so that what is shown is complete up to there.
  return first ? { shown: sorted.filter(({ at }) => at < first.at), until: first.at } : { shown: sorted, until };
}

const isOn = ({ entry, row }: ListedTask): boolean => entry.task?.enabled === true && !row?.paused_reason;

function whyNothing(listed: readonly ListedTask[]): string {
  const [one, ...others] = listed;
  if (!one || others.length > 0 || isOn(one)) return '';
  return one.row?.paused_reason ? ` It is paused: ${one.row.paused_reason}.` : ' It is not enabled.';
}

function summary(shown: readonly Occurrence[], end: number): string {
  const priced = shown.flatMap(({ usd }) => (usd === null ? [] : [usd]));
  const unknown = shown.length - priced.length;
  const usd = priced.reduce((sum, one) => sum + one, 0).toFixed(4);
  const runs = `${shown.length} ${shown.length === 1 ? 'run' : 'runs'} before ${iso(end)}`;
  return `${runs}, about ${usd} USD${unknown > 0 ? ` and ${unknown} at an unknown price` : ''}`;
}

function daysOf({ days }: NextOptions): number {
  const count = Number(days ?? DEFAULT_DAYS);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_DAYS) return count;
  throw new EngineError('usage', `--days takes a whole number from 1 to ${MOST_DAYS}`);
}
