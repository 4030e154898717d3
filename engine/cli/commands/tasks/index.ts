import { EngineError } from '#contract';
import { runTaskNow, setTaskPaused } from '../../../actions/tasks.ts';
import { describeProblem } from '../../../config/problems/problem.ts';
import { taskHistory, timeShape, timesOf } from '../../../queries/tasks/history.ts';
import { findTask, listTasks, taskShape } from '../../../queries/tasks/listing.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { limitOf, statusOf } from '../../command/page-options.ts';
import { waitMsOf } from '../../command/wait-option.ts';
import { workUntilEnded } from '../../submit/work-until-ended.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';
import { add } from './add.ts';
import { historyTable, nextInWords, scheduleInWords, stateInWords } from './in-words.ts';
import { next } from './next.ts';

const STATES = ['ran', 'skipped', 'missed', 'queued', 'failed'];

const list = defineCommand({
  name: 'tasks list',
  summary: 'Every task file, with when it is due next',
  options: { persona: { flags: '--persona <id>', about: 'of one persona' } },
  async run({ open }, { options }) {
    const workspace = open({ tolerant: true });
    const now = workspace.clock.now();
    return { found: await listTasks(workspace, options.persona), now };
  },
  json: ({ found, now }) => ({ tasks: found.map((one) => taskShape(one, now)), next: null }),
  times: true,
  rows: ({ found, now }) => found.map((one) => ({ one, now, shape: taskShape(one, now) })),
  columns: {
    ID: ({ shape }) => shape.id,
    SCHEDULE: ({ shape }) => scheduleInWords(shape),
    NEXT: ({ one, now }) => nextInWords(one, now),
    STATE: ({ one }) => stateInWords(one),
  },
  empty: 'No tasks; `epistle tasks add` makes one, and docs/schedule.md shows how to write one.',
});

const show = defineCommand({
  name: 'tasks show',
  summary: 'One task: what it says, when it is due, how it went',
  arguments: [['<id>', '<persona>/<task>']],
  async run({ open }, { args: [name] }) {
    const workspace = open({ tolerant: true });
    const now = workspace.clock.now();
    const found = await findTask(workspace, name);
    const { persona, entry, row } = found;
    const { task } = entry;
    const times = await timesOf(workspace, { persona: persona.id, task: entry.id, limit: 10 });
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
    return { found, now, times, settings };
  },
  json: ({ found, now, times, settings }) => ({
    task: {
      ...taskShape(found, now),
      ...settings,
      history: times.map((time) => timeShape(found.persona.id, time)),
    },
  }),
  text({ found, now, times, settings }) {
    const { persona, entry } = found;
    const { task } = entry;
    const lines = Object.entries(settings ?? {}).filter(([key, value]) => key !== 'prompt' && value !== null);
    return [
      `${persona.id}/${entry.id}: ${stateInWords(found)}`,
      `  file: ${entry.file}`,
      ...(task ? [`  schedule: ${task.schedule} (${task.timezone})`, `  next: ${nextInWords(found, now)}`] : []),
      ...lines.map(([key, value]) => `  ${key}: ${String(value)}`),
      ...entry.problems.map((problem) => `  wrong: ${describeProblem(problem)}`),
      ...(task ? ['', task.prompt] : []),
      ...(times.length > 0 ? ['', historyTable(persona.id, times)] : []),
      ...(task ? [zoneLine()] : []),
    ].join('\n');
  },
});

const run = defineCommand({
  name: 'tasks run',
  summary: 'Run it now, besides its schedule',
  arguments: [['<id>', '<persona>/<task>']],
  options: { wait: { flags: '--wait [seconds]', about: 'wait for its end (default: 600)' } },
  async run({ open }, { args: [name], options }) {
    const waitMs = waitMsOf(options.wait);
    const workspace = open();
    const { persona, entry } = await findTask(workspace, name);
    const { task } = entry;
    if (!task) throw new EngineError('config_invalid', entry.problems.map(describeProblem).join('; '));
    const runId = await runTaskNow(workspace, { persona, task, by: 'cli' });
    if (!runId) throw new EngineError('not_found', `${name} could not be run`);
    const ended = waitMs === null ? null : await workUntilEnded(workspace, persona.id, runId, waitMs);
    return { task: `${persona.id}/${task.id}`, run_id: runId, ended };
  },
  json: ({ ended, ...started }) => ({ ...started, ...ended }),
  text: ({ run_id, ended }, { hint }) =>
    ended === null
      ? hint(`Run ${run_id} is queued; \`epistle runs show ${run_id}\` tells of it.`)
      : (ended.reply?.text ?? `${ended.status ?? 'unknown'}${ended.outcome ? ` (${ended.outcome})` : ''}`),
  exitCode: ({ ended }) =>
    ended === null || ended.status === 'done' ? 0 : ended.status === 'waiting_approval' ? 3 : 5,
});

const history = defineCommand({
  name: 'tasks history',
  summary: 'What became of each due time, newest first',
  arguments: [['[id]', '<persona>/<task>']],
  options: {
    limit: { flags: '--limit <n>', about: 'how many', fallback: '50' },
    persona: { flags: '--persona <id>', about: 'of one persona' },
    status: { flags: '--status <state>', about: STATES.join(', ') },
  },
  async run({ open }, { args: [name], options: { limit, persona, status } }) {
    statusOf(status, STATES);
    const wanted = { name, persona, status, limit: limitOf(limit) };
    return { history: await taskHistory(open({ tolerant: true }), wanted) };
  },
  rows: (found) => found.history,
  times: true,
  columns: {
    DUE: (one) => atHere(one.due_at),
    TASK: (one) => one.task,
    STATE: (one) => one.state,
    CODE: (one) => one.code ?? '',
    DELIVERY: (one) => one.delivery,
    RUN: (one) => one.run_id ?? '',
  },
  empty: 'Nothing was due yet.',
});

async function paused(workspace: Workspace, name: string, reason: string | null) {
  const { persona, entry, row } = await findTask(workspace, name);
  const id = `${persona.id}/${entry.id}`;
  if (!row) {
    throw new EngineError('not_found', `no gateway has seen ${entry.file} yet; set enabled: false in it instead`);
  }
  await setTaskPaused(workspace, { personaId: persona.id, taskId: entry.id, reason, by: 'cli' });
  return { task: taskShape(await findTask(workspace, id), workspace.clock.now()) };
}

const pause = defineCommand({
  name: 'tasks pause',
  summary: 'Skip its due times from now on',
  arguments: [['<id>', '<persona>/<task>']],
  options: { reason: { flags: '--reason <text>', about: 'why', fallback: 'paused by its owner' } },
  async run({ open }, { args: [name], options: { reason } }) {
    return { ...(await paused(open(), name, reason)), reason };
  },
  json: ({ task }) => ({ task }),
  text: ({ task, reason }) => `${task.id} is paused: ${reason}.`,
});

const resume = defineCommand({
  name: 'tasks resume',
  summary: 'Run it again when it is due; what was skipped stays skipped',
  arguments: [['<id>', '<persona>/<task>']],
  run: ({ open }, { args: [name] }) => paused(open(), name, null),
  text: ({ task }) => `${task.id} runs again; next: ${task.next_at === null ? 'never' : atHere(task.next_at)}.`,
});

export const tasks: Group = {
  name: 'tasks',
  summary: 'What personas do by themselves, and when',
  commands: [list, show, add, run, next, history, pause, resume],
};
