import { EngineError } from '#contract';
import { describeProblem } from '../../config/problem.ts';
import { draftTask, type TaskDraft, writeTaskFile } from '../../config/tasks/task-writer.ts';
import { planByHand } from '../../dispatch/schedule/plan/plan-task.ts';
import { neverDue } from '../../lib/schedule/never-due.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import { personaNamed } from '../../queries/find-across.ts';
import { findTask, type ListedTask, listTasks, nextAtOf, taskShape, timeShape } from '../../queries/tasks/listing.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { TaskTimeStatus } from '../../storage/types/tasks.ts';

import type { CommandContext, Outcome, Register } from '../command.ts';
import { type ListOptions, limitOf, statusOf } from '../list-options.ts';
import { workUntilEnded } from '../submit/work-until-ended.ts';
import { table } from '../text/table.ts';
import { waitMsOf } from '../wait-option.ts';
import { registerNext } from './tasks-next.ts';

type AddOptions = Omit<TaskDraft, 'id' | 'prompt'> & { readonly prompt?: string; readonly disabled?: boolean };

const STATES = ['ran', 'skipped', 'missed', 'queued', 'failed'];

export const tasksCommand: Register = (program, act) => {
  const tasks = program.command('tasks').description('What personas do by themselves, and when');
  tasks
    .command('list')
    .description('Every task file, with when it is due next')
    .option('--persona <id>', 'of one persona')
    .action(act(list));
  tasks
    .command('show')
    .description('One task: what it says, when it is due, how it went')
    .argument('<id>', '<persona>/<task>')
    .action(act(show));
  tasks
    .command('add')
    .description('Write a task file; the prompt is read from stdin, or given with --prompt')
    .argument('<id>', '<persona>/<task>')
    .requiredOption('--schedule <text>', '"0 9 * * 1", "every 30m" or "at 2026-12-01T09:00"')
    .option('--prompt <text>', 'what is to be done')
    .option('--name <text>', 'the subject of its mail (default: the id)')
    .option('--timezone <zone>', 'default: the zone of the persona')
    .option('--deliver <who>', 'owner, none, or addresses with commas')
    .option('--missed <policy>', 'after a stop: latest, skip or all')
    .option('--max-age <duration>', 'what is older is not made up for')
    .option('--overlap <policy>', 'while it still runs: skip or queue')
    .option('--window <hours>', 'only between these, such as 08:00-12:00')
    .option('--thread <kind>', 'new, or sticky: one conversation')
    .option('--condition <call>', 'one read call that has to find something first')
    .option('--disabled', 'written, but not due until it says enabled: true')
    .action(act(add));
  tasks
    .command('run')
    .description('Run it now, besides its schedule')
    .argument('<id>', '<persona>/<task>')
    .option('--wait [seconds]', 'wait for its end')
    .action(act(runNow));
  registerNext(tasks, act);
  tasks
    .command('history')
    .description('What became of each due time, newest first')
    .argument('[id]', '<persona>/<task>')
    .option('--limit <n>', 'how many', '50')
    .option('--persona <id>', 'of one persona')
    .option('--status <state>', STATES.join(', '))
    .action(act(history));
  tasks
    .command('pause')
    .description('Skip its due times from now on')
    .argument('<id>', '<persona>/<task>')
    .option('--reason <text>', 'why', 'paused by its owner')
    .action(act((context, id: string, { reason }: { reason: string }) => setPaused(context, id, reason)));
  tasks
    .command('resume')
    .description('Run it again when it is due; what was skipped stays skipped')
    .argument('<id>', '<persona>/<task>')
    .action(act((context, id: string) => setPaused(context, id, null)));
};

async function list(context: CommandContext, options: { persona?: string }): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const now = workspace.clock.now();
  const found = await listTasks(workspace, options.persona);
  const tasks = found.map((one) => taskShape(one, now));
  return {
    data: { tasks, next: null },
    text: table(
      ['ID', 'SCHEDULE', 'ZONE', 'NEXT', 'STATE'],
      found.map((one, index) => {
        const shape = tasks[index];
        return [
          shape?.id ?? '',
          shape?.schedule ?? '',
          shape?.timezone ?? '',
          nextInWords(one, now),
          stateInWords(one),
        ];
      }),
      'No tasks; `epistle tasks add` makes one, and docs/schedule.md shows how to write one.',
    ),
  };
}

function nextInWords(one: ListedTask, now: number): string {
  const next = nextAtOf(one, now);
  return next === null || !one.entry.task ? '-' : localTime(one.entry.task.timezone, next);
}

function stateInWords({ entry, row }: ListedTask): string {
  if (entry.problems[0]) return `wrong: ${describeProblem(entry.problems[0])}`;
  if (!entry.task?.enabled) return 'disabled';
  if (row?.paused_reason) return `paused: ${row.paused_reason}`;
  return row && row.failures > 0 ? `failing (${row.failures} in a row)` : 'on';
}

async function show(context: CommandContext, name: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const now = workspace.clock.now();
  const found = await findTask(workspace, name);
  const { persona, entry, row } = found;
  const { task } = entry;
  const times = await timesOf(workspace, persona.id, entry.id, 10);
  const settings = task && {
    deliver: task.deliver,
    missed: task.missed,
    max_age: task.max_age,
    overlap: task.overlap,
    window: task.window,
    thread: task.thread,
    condition: task.condition && `/${task.condition.tool} ${JSON.stringify(task.condition.args)}`,
    model: row?.pinned ?? null,
    failures: row?.failures ?? 0,
    prompt: task.prompt,
  };
  const shape = { ...taskShape(found, now), ...settings, history: times.map((time) => timeShape(persona.id, time)) };
  const lines = Object.entries(settings ?? {}).filter(([key, value]) => key !== 'prompt' && value !== null);
  return {
    data: { task: shape },
    text: [
      `${shape.id}: ${stateInWords(found)}`,
      `  file: ${entry.file}`,
      ...(task ? [`  schedule: ${task.schedule} (${task.timezone})`, `  next: ${nextInWords(found, now)}`] : []),
      ...lines.map(([key, value]) => `  ${key}: ${String(value)}`),
      ...entry.problems.map((problem) => `  wrong: ${describeProblem(problem)}`),
      ...(task ? ['', task.prompt] : []),
      ...(times.length > 0 ? ['', historyTable(persona.id, times, task?.timezone ?? 'UTC')] : []),
    ].join('\n'),
  };
}

async function add(context: CommandContext, name: string, options: AddOptions): Promise<Outcome> {
  const workspace = context.open();
  const [personaName = '', id = '', ...rest] = name.split('/');
  if (id === '' || rest.length > 0) throw new EngineError('usage', `${name} is no task id; take <persona>/<task>`);
  const owner = personaNamed(workspace, personaName);
  if (owner.state !== 'ready') throw new EngineError('config_invalid', `the persona ${owner.id} has problems itself`);
  const { prompt: given, disabled, maxAge, ...front } = options as AddOptions & { maxAge?: string };
  const prompt = given ?? (await context.readBody());
  const { file, text, read } = draftTask(owner.id, owner.persona.timezone, {
    ...front,
    id,
    prompt,
    max_age: maxAge,
    enabled: disabled ? false : undefined,
  });
  if (!read.ok) throw new EngineError('config_invalid', read.problems.map(describeProblem).join('; '));
  const now = workspace.clock.now();
  const over = neverDue(read.task, now);
  if (over) throw new EngineError('config_invalid', `schedule: ${over}`);
  if (!writeTaskFile(workspace.root, owner.id, id, text, 'create')) {
    throw new EngineError('not_empty', `${file} is there already; edit it, or choose another id`);
  }
  const found = await findTask(workspace, `${owner.id}/${id}`);
  return {
    data: { task: taskShape(found, now), created: [file] },
    text: [`Wrote ${file}:`, '', text, `Next: ${nextInWords(found, now)}`].join('\n'),
  };
}

async function runNow(context: CommandContext, name: string, options: { wait?: string | boolean }): Promise<Outcome> {
  const waitMs = waitMsOf(options.wait);
  const workspace = context.open();
  const { announce, stores, clock, ids, live } = workspace;
  const { persona, entry } = await findTask(workspace, name);
  const { task } = entry;
  if (!task) throw new EngineError('config_invalid', entry.problems.map(describeProblem).join('; '));
  const now = clock.now();
  const configs = live.current();
  // A running gateway notices the announcement by itself.
  const settle = (store: Store) =>
    store.settleTask(task.id, now, (found) =>
      planByHand({
        task,
        persona,
        adminContact: configs.system.admin_contact,
        domain: configs.gateway.domain,
        recursion: configs.inference.recursion_depth,
        ids,
        now,
        found,
        held: true,
      }),
    );
  const [runId] = await announce(persona.id, now, () => stores.use(persona.id, settle));
  if (!runId) throw new EngineError('not_found', `${name} could not be run`);
  const ended = waitMs === null ? null : await workUntilEnded(workspace, persona.id, runId, waitMs);
  const data = { task: `${persona.id}/${task.id}`, run_id: runId, ...ended };
  if (ended === null) return { data, text: `Run ${runId} is queued; \`epistle runs show ${runId}\` tells of it.` };
  const exitCode = ended.status === 'waiting_approval' ? 3 : ended.status === 'done' ? 0 : 5;
  const text = ended.reply?.text ?? `${ended.status ?? 'unknown'}${ended.outcome ? ` (${ended.outcome})` : ''}`;
  return { data, text, exitCode };
}

async function history(context: CommandContext, name: string | undefined, options: ListOptions): Promise<Outcome> {
  statusOf(options, STATES);
  const limit = limitOf(options);
  const workspace = context.open({ tolerant: true });
  const one = name === undefined ? undefined : await historyOf(workspace, name);
  const { live } = workspace;
  const ids = one
    ? [one.persona]
    : options.persona
      ? [personaNamed(workspace, options.persona).id]
      : [...live.personas().all()].map(({ id }) => id);
  const found: { persona: string; time: TaskTimeStatus }[] = [];
  for (const persona of ids) {
    const times = await timesOf(workspace, persona, one?.task, options.status === undefined ? limit : 1000);
    found.push(...times.map((time) => ({ persona, time })));
  }
  found.sort((a, b) => b.time.due_at - a.time.due_at);
  const shapes = found
    .map(({ persona, time }) => timeShape(persona, time))
    .filter(({ state }) => options.status === undefined || state === options.status)
    .slice(0, limit);
  return {
    data: { history: shapes },
    text: table(
      ['DUE', 'TASK', 'STATE', 'CODE', 'DELIVERY', 'RUN'],
      shapes.map((one) => [
        one.due_at.slice(0, 19),
        one.task,
        one.state,
        one.code ?? '',
        one.delivery,
        one.run_id ?? '',
      ]),
      'Nothing was due yet.',
    ),
  };
}

/** Also of a task whose file is gone: what it did stays on record. */
async function historyOf(workspace: Awaited<ReturnType<CommandContext['open']>>, name: string) {
  const [persona = '', task = ''] = name.split('/');
  if (task !== '' && workspace.live.personas().get(persona)) {
    const times = await timesOf(workspace, persona, task, 1);
    if (times.length > 0) return { persona, task };
  }
  const found = await findTask(workspace, name);
  return { persona: found.persona.id, task: found.entry.id };
}

async function timesOf(
  { stores }: Awaited<ReturnType<CommandContext['open']>>,
  persona: string,
  task: string | undefined,
  limit: number,
) {
  return stores.exists(persona) ? stores.use(persona, (store) => store.taskTimes({ task, limit })) : [];
}

const historyTable = (persona: string, times: readonly TaskTimeStatus[], zone: string): string =>
  table(
    ['DUE', 'STATE', 'CODE', 'DELIVERY', 'RUN'],
    times.map((time) => {
      const { state, code, delivery, run_id } = timeShape(persona, time);
      return [localTime(zone, time.due_at), state, code ?? '', delivery, run_id ?? ''];
    }),
    '',
  );

async function setPaused(context: CommandContext, name: string, reason: string | null): Promise<Outcome> {
  const workspace = context.open();
  const { announce, stores, clock } = workspace;
  const { persona, entry, row } = await findTask(workspace, name);
  const id = `${persona.id}/${entry.id}`;
  if (!row)
    throw new EngineError('not_found', `no gateway has seen ${entry.file} yet; set enabled: false in it instead`);
  await announce(persona.id, clock.now(), () =>
    stores.use(persona.id, (store) => store.setTaskPaused(entry.id, reason, clock.now())),
  );
  const task = taskShape(await findTask(workspace, id), clock.now());
  return {
    data: { task },
    text: reason === null ? `${id} runs again; next: ${task.next_at ?? 'never'}.` : `${id} is paused: ${reason}.`,
  };
}
