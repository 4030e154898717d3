import Database from 'better-sqlite3';

interface Expected {
  readonly id: string;
  readonly everyMs: number;
  /** Every due time has to have had its run. */
  readonly complete: boolean;
}

interface Found {
  readonly due: number;
  readonly runs: number;
  readonly doubled: number;
  readonly lost: number;
  readonly tasks: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly problems: readonly string[];
}

/** What the rows say, held against what every `everyMs` in (from, to] must have left behind. */
export function readTimes(
  file: string,
  expected: readonly Expected[],
  { from, to }: { from: number; to: number },
): Found {
  const db = new Database(file, { readonly: true });
  try {
    const found = expected.map((task) => readTask(db, task, { from, to }));
    const sum = (key: 'due' | 'runs' | 'doubled' | 'lost') => found.reduce((total, task) => total + task[key], 0);
    return {
      due: sum('due'),
      runs: sum('runs'),
      doubled: sum('doubled'),
      lost: sum('lost'),
      tasks: Object.fromEntries(found.map(({ id, counts }) => [id, counts])),
      problems: found.flatMap(({ id, problems }) => problems.map((problem) => `${id}: ${problem}`)),
    };
  } finally {
    db.close();
  }
}

function readTask(
  db: Database.Database,
  { id, everyMs, complete }: Expected,
  { from, to }: { from: number; to: number },
) {
  const rows = db.prepare<[string], Row>(ROWS).all(id);
  const made = db.prepare<[string], Made>(MADE).all(id);
  const due = new Set<number>();
  for (let at = from + everyMs; at <= to; at += everyMs) due.add(at);
  const recorded = new Set(rows.filter(({ code }) => code !== 'too_many').map(({ due_at }) => due_at));
  const lost = [...due].filter((at) => !recorded.has(at));
  const strange = rows.map(({ due_at }) => due_at).filter((at) => !due.has(at));
  const doubled = made.filter(({ times }) => times > 1).map(({ due_at }) => due_at);
  const withRun = rows.filter(({ run_id }) => run_id !== null);
  const unfinished = withRun.filter(({ ends }) => ends !== 1);
  const count = (decision: string) => rows.filter((row) => row.decision === decision).length;
  const problems = [
    lost.length > 0 && `no row for ${iso(lost)}`,
    strange.length > 0 && `never due at ${iso(strange)}`,
    doubled.length > 0 && `several runs for ${iso(doubled)}`,
    unfinished.length > 0 && `${unfinished.length} runs did not end exactly once`,
    made.length !== withRun.length && `${made.length} runs for ${withRun.length} rows`,
    count('wait') > 0 && `${count('wait')} due times still wait`,
    complete && count('run') !== due.size && `${count('run')} of ${due.size} were run`,
  ].filter((problem) => problem !== false);
  return {
    id,
    problems,
    due: due.size,
    runs: made.length,
    lost: lost.length,
    doubled: doubled.length + unfinished.filter(({ ends }) => ends > 1).length,
    counts: { due: due.size, run: count('run'), skipped: count('skipped'), missed: count('missed') },
  };
}

const iso = (times: readonly number[]): string =>
  times
    .slice(0, 5)
    .map((at) => new Date(at).toISOString())
    .join(', ');

interface Row {
  readonly due_at: number;
  readonly decision: string;
  readonly code: string | null;
  readonly run_id: string | null;
  /** How often its run says that it ended. */
  readonly ends: number;
}

const ROWS = `select due_at, decision, code, run_id, (
    select count(*) from run_events e where e.run_id = t.run_id and e.type = 'run_ended') as ends
  from task_times t where task = ? order by due_at`;

interface Made {
  readonly due_at: number;
  readonly times: number;
}

/** From the runs' own first events, which know nothing of the rows. */
const MADE = `select json_extract(payload_json, '$.due_at') as due_at, count(*) as times from run_events
  where type = 'run_queued' and json_extract(payload_json, '$.task') = ? group by 1`;
