import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../../engine/lib/schedule/schedule.ts';
import { parseWindow } from '../../../engine/lib/schedule/window.ts';
import {
  type DueQuestion,
  MOST_COUNTED,
  MOST_ROWS,
  MOST_WAITING,
  planDue,
  planWaiting,
} from '../../../engine/tasks/plan-due.ts';

const at = (text: string): number => Date.parse(`2026-06-0${text}`);
const HOUR_MS = 3_600_000;

interface Asked extends Partial<Omit<DueQuestion, 'schedule' | 'window'>> {
  readonly text?: string;
  readonly window?: DueQuestion['window'];
}

/** A task of 09:00 UTC each day that was last looked at on the evening of 1 June 2026. */
function ask({ text = '0 9 * * *', zone = 'UTC', ...rest }: Asked) {
  const parsed = parseSchedule(text, zone);
  if (!parsed.ok) throw new Error(parsed.message);
  return planDue({
    schedule: parsed.schedule,
    zone,
    anchor: at('1T00:00Z'),
    lastDue: at('1T20:00Z'),
    enabledSince: at('1T00:00Z'),
    now: at('2T09:00Z'),
    missed: 'latest',
    maxAgeMs: 12 * HOUR_MS,
    window: null,
    overlap: 'skip',
    running: false,
    ...rest,
  });
}

const shown = (plan: ReturnType<typeof ask>): string[] =>
  plan.rows.map(({ dueAt, state, code }) =>
    [new Date(dueAt).toISOString().slice(8, 16), state, ...(code ? [code] : [])].join(' '),
  );

describe('a due time that has come', () => {
  it('is run, and the next one is known', () => {
    const plan = ask({});
    expect(shown(plan)).toEqual(['02T09:00 ran']);
    expect(plan.nextAt).toBe(at('3T09:00Z'));
    expect(plan.settledTo).toBe(at('2T09:00Z'));
  });

  it('is on time for a minute, whatever is thought of missed ones', () => {
    for (const missed of ['latest', 'skip', 'all'] as const) {
      expect(shown(ask({ missed, now: at('2T09:01Z') }))).toEqual(['02T09:00 ran']);
    }
    expect(shown(ask({ missed: 'skip', now: at('2T09:01:01Z') }))).toEqual(['02T09:00 missed late']);
  });

  it('is nothing yet a moment before', () => {
    expect(ask({ now: at('2T08:59:59.999Z') })).toEqual({
      rows: [],
      settledTo: at('2T08:59:59.999Z'),
      nextAt: at('2T09:00Z'),
    });
  });

  it('is skipped outside the window of the task', () => {
    const window = parseWindow('10:00-12:00');
    expect(shown(ask({ window }))).toEqual(['02T09:00 skipped outside_window']);
  });

  it('is judged by when it was due, so that a second of delay does not push it over the end of the window', () => {
    const window = parseWindow('08:00-09:00');
    expect(shown(ask({ window, now: at('2T09:00:40Z') }))).toEqual(['02T09:00 ran']);
  });

  it('waits, or is skipped, while the run before it goes on', () => {
    expect(shown(ask({ running: true }))).toEqual(['02T09:00 skipped overlap']);
    expect(shown(ask({ running: true, overlap: 'queue' }))).toEqual(['02T09:00 queued']);
    expect(shown(ask({ running: true, overlap: 'queue', waiting: MOST_WAITING }))).toEqual([
      '02T09:00 skipped queue_full',
    ]);
  });

  it('after a stall of half a minute runs once, and the rest overlap with it', () => {
    const stalled = { text: 'every 10s', lastDue: at('2T09:00:00Z'), now: at('2T09:00:31Z') };
    expect(ask(stalled).rows.map(({ state }) => state)).toEqual(['ran', 'skipped', 'skipped']);
    expect(ask({ ...stalled, overlap: 'queue' }).rows.map(({ state }) => state)).toEqual(['ran', 'queued', 'queued']);
  });
});

describe('after the gateway was down for three days', () => {
  const down = { now: at('5T08:00Z'), maxAgeMs: 96 * HOUR_MS } as const;

  it('latest runs the last one and names the others', () => {
    expect(shown(ask({ ...down, missed: 'latest' }))).toEqual([
      '02T09:00 missed superseded',
      '03T09:00 missed superseded',
      '04T09:00 ran',
    ]);
  });

  it('skip runs none', () => {
    expect(shown(ask({ ...down, missed: 'skip' }))).toEqual([
      '02T09:00 missed late',
      '03T09:00 missed late',
      '04T09:00 missed late',
    ]);
  });

  it('all runs each, one after the other, whatever is said about overlap', () => {
    expect(shown(ask({ ...down, missed: 'all' }))).toEqual(['02T09:00 ran', '03T09:00 queued', '04T09:00 queued']);
    expect(shown(ask({ ...down, missed: 'all', running: true }))).toEqual([
      '02T09:00 queued',
      '03T09:00 queued',
      '04T09:00 queued',
    ]);
  });

  it('max_age is stronger than latest and all', () => {
    expect(shown(ask({ ...down, missed: 'all', maxAgeMs: 48 * HOUR_MS }))).toEqual([
      '02T09:00 missed too_old',
      '03T09:00 ran',
      '04T09:00 queued',
    ]);
    expect(shown(ask({ ...down, missed: 'latest', maxAgeMs: HOUR_MS })).at(-1)).toBe('04T09:00 missed too_old');
  });

  it('the window is stronger than both: nothing comes at an odd hour', () => {
    const window = parseWindow('08:30-12:00');
    const odd = shown(ask({ ...down, missed: 'all', window }));
    expect(odd).toEqual(['02', '03', '04'].map((day) => `${day}T09:00 missed outside_window`));
    expect(shown(ask({ ...down, missed: 'latest', window, now: at('5T08:45Z') })).at(-1)).toBe('04T09:00 ran');
  });

  it('latest is content with one that is on time', () => {
    expect(shown(ask({ ...down, missed: 'latest', now: at('5T09:00:10Z') }))).toEqual([
      '02T09:00 missed superseded',
      '03T09:00 missed superseded',
      '04T09:00 missed superseded',
      '05T09:00 ran',
    ]);
  });

  it('a single time of long ago is named and never comes again', () => {
    const plan = ask({ ...down, text: 'at 2026-06-02T09:00', maxAgeMs: HOUR_MS });
    expect(shown(plan)).toEqual(['02T09:00 missed too_old']);
    expect(plan.nextAt).toBeNull();
  });
});

describe('after a year of every five seconds', () => {
  it.each(['latest', 'skip', 'all'] as const)('%s has a hundred rows, and one for all that came before', (missed) => {
    const plan = ask({ text: 'every 5s', missed, now: at('1T20:00Z') + 365 * 24 * HOUR_MS });
    expect(plan.rows).toHaveLength(MOST_ROWS + 1);
    expect(plan.rows[0]).toMatchObject({ state: 'missed', code: 'too_many', count: MOST_COUNTED });
    expect(plan.rows.filter(({ state }) => state === 'ran')).toHaveLength(1);
    expect(plan.rows.filter(({ state }) => state === 'queued').length).toBe(missed === 'all' ? MOST_ROWS - 1 : 0);
  });

  it('counts exactly what it can', () => {
    const plan = ask({ text: '*/5 * * * *', now: at('1T20:00Z') + 12 * HOUR_MS });
    expect(plan.rows).toHaveLength(MOST_ROWS + 1);
    expect(plan.rows[0]).toMatchObject({ code: 'too_many', count: 44 });
    expect(plan.rows.reduce((sum, { count }) => sum + count, 0)).toBe(144);
  });
});

describe('an edited schedule', () => {
  it('knows only due times after the edit', () => {
    expect(shown(ask({ enabledSince: at('4T00:00Z'), now: at('5T08:00Z'), maxAgeMs: 96 * HOUR_MS }))).toEqual([
      '04T09:00 ran',
    ]);
    expect(ask({ enabledSince: at('5T07:00Z'), now: at('5T08:00Z') }).rows).toEqual([]);
  });

  it('of a new task knows those since it was first seen', () => {
    expect(shown(ask({ lastDue: null, enabledSince: at('2T08:59Z') }))).toEqual(['02T09:00 ran']);
    expect(ask({ lastDue: null, enabledSince: at('2T09:00Z') }).rows).toEqual([]);
  });
});

describe('a clock that jumps', () => {
  it('decides nothing twice when it is set back', () => {
    const first = ask({ now: at('3T10:00Z') });
    const back = ask({ lastDue: first.settledTo, now: at('2T23:00Z') });
    expect(back).toEqual({ rows: [], settledTo: first.settledTo, nextAt: at('4T09:00Z') });
  });

  it('is not obeyed for a year when it was wrong by a year', () => {
    const wrong = ask({ now: at('1T20:00Z') + 365 * 24 * HOUR_MS });
    const right = ask({ lastDue: wrong.settledTo, now: at('2T08:00Z') });
    expect(right).toEqual({ rows: [], settledTo: at('2T08:00Z'), nextAt: at('2T09:00Z') });
    expect(shown(ask({ lastDue: right.settledTo }))).toEqual(['02T09:00 ran']);
  });
});

describe('a due time that waited for the run before it', () => {
  const waited = { zone: 'UTC', now: at('2T11:00Z'), maxAgeMs: 3 * HOUR_MS, window: null };

  it('is run when its turn comes, unless it is too old or its window is over', () => {
    const dueAt = at('2T09:00Z');
    expect(planWaiting(dueAt, waited)).toMatchObject({ state: 'ran', code: null });
    expect(planWaiting(dueAt, { ...waited, maxAgeMs: HOUR_MS })).toMatchObject({ state: 'missed', code: 'too_old' });
    expect(planWaiting(dueAt, { ...waited, window: parseWindow('08:00-10:00') })).toMatchObject({
      state: 'missed',
      code: 'outside_window',
    });
  });
});
