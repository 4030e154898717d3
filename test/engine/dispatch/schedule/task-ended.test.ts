import { describe, expect, it } from 'vitest';
import { decideTaskEnd, PAUSE_AFTER } from '../../../../engine/dispatch/schedule/task-ended.ts';
import type { TaskState, TaskTimeStatus } from '../../../../engine/storage/types/tasks.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;

const row = (change: Partial<TaskState> = {}): TaskState => ({
  task: 'brief',
  file_sha256: 'f',
  schedule_key: 'k',
  anchor_at: 0,
  settled_to: NOON,
  next_at: null,
  paused_reason: null,
  failures: 0,
  incident_at: null,
  told_at: null,
  thread_id: null,
  pinned: null,
  updated_at: NOON,
  ...change,
});

const time = (change: Partial<TaskTimeStatus> = {}): TaskTimeStatus => ({
  task: 'brief',
  due_at: NOON,
  decision: 'run',
  code: null,
  count: 1,
  run_id: 'r',
  snapshot: {
    task: 'brief',
    name: 'Brief',
    due_at: NOON,
    timezone: 'Europe/Berlin',
    file_sha256: '',
    prompt_sha256: '',
    deliver: [],
    sticky: false,
    condition: null,
    pinned: null,
    previous: null,
  },
  decided_at: NOON,
  outcome: 'final',
  cost_usd: 0,
  run_status: 'done',
  run_code: null,
  mail_state: null,
  ...change,
});

const failed = time({ run_status: 'failed', outcome: 'failed', run_code: 'auth' });
const decide = (before: TaskState, ended: TaskTimeStatus, of: 'run' | 'mail' = 'run', now = NOON) => {
  const { patch, jobs } = decideTaskEnd({ row: before, time: ended, meant: 'steady/m' }, of, now);
  return {
    patch,
    told: jobs.map(({ payload }) => String(JSON.parse(payload).subject)),
    ids: jobs.map(({ id }) => id),
  };
};

describe('the end of a task’s run', () => {
  it('that went well pins the model that it was meant for, once', () => {
    expect(decide(row(), time())).toMatchObject({ patch: { failures: 0, pinned: 'steady/m' }, told: [] });
    expect(decide(row({ pinned: 'old/m' }), time()).patch).not.toHaveProperty('pinned');
    expect(decide(row(), failed).patch).not.toHaveProperty('pinned');
  });

  it('that failed begins an incident, of which owners hear once', () => {
    const first = decide(row(), failed);
    expect(first).toMatchObject({
      patch: { failures: 1, incident_at: NOON, told_at: NOON },
      told: ['Task failed: Brief'],
    });
    expect(decide(row(first.patch), failed, 'run', NOON + 5 * HOUR)).toMatchObject({
      patch: { failures: 2 },
      told: [],
    });
  });

  it('tells why in words, whichever of its limits it met', () => {
    const why = (change: Partial<TaskTimeStatus>) =>
      decideTaskEnd({ row: row(), time: time(change), meant: null }, 'run', NOON).jobs.map(
        ({ payload }) => String(JSON.parse(payload).text).split('\n')[0],
      );
    const partly = (code: string) => why({ outcome: 'partial', run_code: code });
    expect(partly('max_tool_turns')).toEqual([
      '"Brief" failed (Sat 21 Nov, 13:00): it took more steps than one mail may take.',
    ]);
    expect(partly('budget')[0]).toContain('the budget for this work is used up');
    // The same code of a model that did not answer, and of work that took too long.
    expect(partly('timeout')[0]).toContain('it took longer than one mail may take');
    expect(why({ outcome: 'failed', run_status: 'failed', run_code: 'timeout' })[0]).toContain(
      'the model service did not answer in time',
    );
  });

  it('that goes well after an incident ends it, and says so if its begin was told', () => {
    const told = row({ failures: 2, incident_at: NOON, told_at: NOON });
    expect(decide(told, time())).toMatchObject({
      patch: { failures: 0, incident_at: null },
      told: ['Task works again: Brief'],
    });
    // Nothing is left to be done, so it names no command.
    const { jobs } = decideTaskEnd({ row: told, time: time(), meant: null }, 'run', NOON);
    expect(JSON.parse(jobs[0]?.payload ?? '').text).toBe('"Brief" works again.');
    const untold = row({ failures: 1, incident_at: NOON, told_at: NOON - HOUR });
    expect(decide(untold, time())).toMatchObject({ patch: { incident_at: null }, told: [] });
  });

  it('does not flood owners when it comes and goes', () => {
    const soon = row({ told_at: NOON - HOUR + 1 });
    expect(decide(soon, failed).told).toEqual([]);
    expect(decide(row({ ...soon, told_at: NOON - HOUR }), failed).told).toEqual(['Task failed: Brief']);
    // Untold at its begin, it is told as soon as it has gone on for long enough.
    const later = row({ failures: 1, incident_at: NOON, told_at: NOON - HOUR + 1 });
    expect(decide(later, failed, 'run', NOON + 1).told).toEqual(['Task failed: Brief']);
  });

  it(`pauses the task at the ${PAUSE_AFTER}th failure in a row and tells its owners`, () => {
    const before = row({ failures: PAUSE_AFTER - 1, incident_at: NOON, told_at: NOON });
    expect(decide(before, failed)).toMatchObject({
      patch: { failures: PAUSE_AFTER, paused_reason: 'failed 5 times in a row (auth)' },
      told: ['Task paused: Brief'],
    });
    const already = row({ ...before, paused_reason: 'paused by its owner' });
    expect(decide(already, failed)).toMatchObject({ patch: { failures: PAUSE_AFTER }, told: [] });
  });

  it('that was cancelled, or is none yet, counts for nothing', () => {
    expect(decide(row(), time({ run_status: 'cancelled', outcome: 'cancelled' }))).toMatchObject({
      patch: {},
      told: [],
    });
    expect(decide(row(), time({ run_status: 'waiting_approval' }))).toMatchObject({ told: [] });
  });

  it('whose answer is a partial is a failure: an owner who sees nothing but green would trust it', () => {
    const partial = time({ outcome: 'partial', run_code: 'timeout', mail_state: 'queued' });
    expect(decide(row(), partial).patch).toMatchObject({ failures: 1 });
    expect(decide(row({ failures: 1 }), { ...partial, mail_state: 'sent' }, 'mail').patch).toEqual({});
  });
});

describe('the fate of a task’s mail', () => {
  it('is waited for before a good run counts as one', () => {
    expect(decide(row({ failures: 2 }), time({ mail_state: 'queued' })).patch).not.toHaveProperty('failures');
    expect(decide(row({ failures: 2 }), time({ mail_state: 'sent' }), 'mail').patch).toMatchObject({ failures: 0 });
  });

  it('is a failure of its own when it reaches nobody', () => {
    const lost = decide(row(), time({ mail_state: 'failed' }), 'mail');
    expect(lost).toMatchObject({ patch: { failures: 1 }, told: ['Task failed: Brief'] });
  });
});
