import { describe, expect, it } from 'vitest';
import { parseTask } from '../../../engine/config/tasks/task-file.ts';
import type { Persona } from '../../../engine/config/types.ts';
import type { FoundTask, TaskPlan, TaskState, TaskTime } from '../../../engine/storage/types/tasks.ts';
import { planByHand, planTask } from '../../../engine/tasks/plan-task.ts';

import { taskFile } from '../../flow/task-rig.ts';

const at = (time: string): number => Date.parse(`2026-11-23T${time}Z`);
const NOW = at('10:00:20');
const DAY_MS = 86_400_000;

function read(schedule: string, ...front: string[]) {
  const parsed = parseTask({
    id: 'brief',
    file: 'brief.md',
    text: taskFile(schedule, 'Go.', ...front),
    zone: 'UTC',
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.task;
}

interface Asked {
  readonly schedule?: string;
  readonly front?: readonly string[];
  /** Of the row that is there; null: there is none. */
  readonly row?: Partial<TaskState> | null;
  readonly running?: boolean;
  readonly waitingAt?: string;
  readonly held?: boolean;
  readonly now?: number;
}

/** A task of every full hour, last looked at at half past nine, now that it is ten o'clock. */
function optionsOf({
  schedule = '0 * * * *',
  front = [],
  row = {},
  running = false,
  waitingAt,
  held = false,
  now = NOW,
}: Asked) {
  const task = read(schedule, ...front);
  const numbers = { next: 0 };
  const before: TaskState = {
    task: 'brief',
    file_sha256: task.sha256,
    schedule_key: task.scheduleKey,
    anchor_at: at('08:30:00'),
    settled_to: at('09:30:00'),
    next_at: at('10:00:00'),
    paused_reason: null,
    failures: 0,
    incident_at: null,
    told_at: null,
    thread_id: null,
    pinned: 'steady/m',
    updated_at: at('09:30:00'),
  };
  const waiting: TaskTime | undefined =
    waitingAt === undefined
      ? undefined
      : {
          task: 'brief',
          due_at: at(waitingAt),
          decision: 'wait',
          code: null,
          count: 1,
          run_id: null,
          snapshot: null,
          decided_at: at(waitingAt),
        };
  const found: FoundTask = {
    row: row === null ? undefined : { ...before, ...row },
    running,
    waiting,
    waitingCount: waiting ? 1 : 0,
    last: undefined,
  };
  const persona = { id: 'ada', name: 'Ada', address: 'ada@agents.localhost', owners: ['o@example.com'] } as Persona;
  const nextId = () => `id-${++numbers.next}`;
  const ids = { next: nextId, random: nextId } as Parameters<typeof planTask>[0]['ids'];
  return { task, persona, adminContact: null, domain: 'x.example', recursion: 3, ids, now, found, held };
}

const plan = (asked: Asked): TaskPlan => planTask(optionsOf(asked)) as TaskPlan;
const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().slice(11, 19));
/** `10:00:00 run`, and of the one that waited the same. */
const shown = ({ times, settleWaiting }: TaskPlan) => ({
  times: times.map(({ dueAt, decision, code, run }) =>
    [time(dueAt), decision, code, ...(run === null ? [] : [run.snapshot.deliver.join()])].filter(Boolean).join(' '),
  ),
  waited:
    settleWaiting && [time(settleWaiting.dueAt), settleWaiting.decision, settleWaiting.code].filter(Boolean).join(' '),
});
const RAN = '10:00:00 run o@example.com';

describe('what is written of a task when it is looked at', () => {
  const cases: readonly [string, Asked, { times: string[]; waited: string | null }][] = [
    ['due', {}, { times: [RAN], waited: null }],
    ['never seen before: due from now on', { row: null }, { times: [], waited: null }],
    ['rescheduled: due from now on', { row: { schedule_key: 'another' } }, { times: [], waited: null }],
    [
      'new, at a time that came before anybody had seen the file',
      { row: null, schedule: 'at 2026-11-23T10:00:19' },
      { times: ['10:00:19 run o@example.com'], waited: null },
    ],
    [
      'new, at a time that was over long before',
      { row: null, schedule: 'at 2026-11-23T09:59' },
      { times: [], waited: null },
    ],
    ['with another prompt: due as before', { row: { file_sha256: 'another' } }, { times: [RAN], waited: null }],
    ['of a held persona: nothing is decided', { held: true, waitingAt: '09:00:00' }, { times: [], waited: null }],
    ['switched off', { front: ['enabled: false'] }, { times: [], waited: null }],
    [
      'paused: what waits goes on waiting',
      { row: { paused_reason: 'failed' }, waitingAt: '09:00:00' },
      { times: ['10:00:00 skipped paused'], waited: null },
    ],
    ['still running', { running: true }, { times: ['10:00:00 skipped overlap'], waited: null }],
    [
      'still running, `overlap: queue`',
      { running: true, front: ['overlap: queue'] },
      { times: ['10:00:00 wait'], waited: null },
    ],
    [
      'over, and one waits for it',
      { waitingAt: '09:00:00', front: ['overlap: queue'] },
      { times: ['10:00:00 wait'], waited: '09:00:00 run' },
    ],
    [
      'over, and the one that waits is too old by now',
      { waitingAt: '09:00:00', front: ['overlap: queue', 'max_age: 30m'] },
      { times: ['10:00:00 wait'], waited: '09:00:00 missed too_old' },
    ],
    [
      'outside its window',
      { waitingAt: '09:00:00', front: ['overlap: queue', 'window: 08:00-09:30'] },
      { times: ['10:00:00 skipped outside_window'], waited: '09:00:00 missed outside_window' },
    ],
  ];
  it.each(cases)('%s', (_what, asked, expected) => {
    expect(shown(plan(asked))).toEqual(expected);
  });

  it('is nothing where its schedule cannot be read', () => {
    const options = optionsOf({});
    expect(planTask({ ...options, task: { ...options.task, schedule: 'often' } })).toBeNull();
  });
});

describe('what is kept of a task', () => {
  const rows: readonly [string, Asked, Partial<Record<keyof TaskState, unknown>>][] = [
    [
      'how far it is settled, and when it is due next',
      {},
      { settled_to: NOW, next_at: at('11:00:00'), anchor_at: at('08:30:00') },
    ],
    [
      'of a new one, from when it counts',
      { row: null },
      { anchor_at: NOW, settled_to: NOW, next_at: at('11:00:00'), pinned: null },
    ],
    ['of a rescheduled one, from when it counts', { row: { schedule_key: 'k' } }, { anchor_at: NOW, settled_to: NOW }],
    ['its model, while its file is the same', {}, { pinned: 'steady/m' }],
    ['its model no longer, when its file was edited', { row: { file_sha256: 'f' } }, { pinned: null }],
    [
      'of a held one what was settled before, so that it is judged later',
      { held: true },
      { settled_to: at('09:30:00'), next_at: at('10:00:00') },
    ],
    ['of one that is off, that it is never due', { front: ['enabled: false'] }, { next_at: null }],
    [
      'why it is paused, and since when it fails',
      { row: { paused_reason: 'p', incident_at: 5, told_at: 6 } },
      { paused_reason: 'p', incident_at: 5, told_at: 6 },
    ],
    ['a thread no longer, when it is not sticky', { row: { thread_id: 't' } }, { thread_id: null }],
  ];
  it.each(rows)('is %s', (_what, asked, expected) => {
    expect(plan(asked).row).toMatchObject(expected);
  });

  it('is one thread of a sticky one, for all its runs', () => {
    const both = plan({ front: ['thread: sticky', 'overlap: queue'], waitingAt: '09:00:00' });
    const made = both.settleWaiting?.run;
    expect(made?.newThread?.id).toBe(both.row.thread_id);
    const later = plan({ front: ['thread: sticky'], row: { thread_id: 'old' } });
    expect(later.times[0]?.run).toMatchObject({ newThread: null, run: { thread_id: 'old' } });
    expect(later.row.thread_id).toBe('old');
  });

  it('is forgotten beyond now when the clock was ahead by more than a day and came back', () => {
    expect(plan({ row: { settled_to: NOW + 2 * DAY_MS } }).forgetAfter).toBe(NOW);
    expect(plan({ row: { settled_to: NOW + DAY_MS / 2 } }).forgetAfter).toBeNull();
    expect(plan({}).forgetAfter).toBeNull();
  });
});

describe('a run by hand', () => {
  it.each([
    ['when nothing is due', { now: at('09:45:00') }],
    ['of a paused task', { row: { paused_reason: 'failed' } }],
    ['of one that is off', { front: ['enabled: false'] }],
    ['besides one that runs', { running: true }],
  ])('is made %s, at a due time of its own, and settles nothing else', (_when, asked: Asked) => {
    const made = planByHand(optionsOf(asked)) as TaskPlan;
    expect(made.times).toMatchObject([{ dueAt: asked.now ?? NOW, decision: 'run', code: 'by_hand' }]);
    expect(made.row.settled_to).toBe(at('09:30:00'));
    expect(made.settleWaiting).toBeNull();
  });
});
