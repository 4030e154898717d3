import { describe, expect, it } from 'vitest';
import { dueTimes, latestDueTimes, nextDue } from '../../../../engine/lib/schedule/due-times.ts';
import { anchored, parseSchedule, type Schedule } from '../../../../engine/lib/schedule/schedule.ts';
import { parseWindow } from '../../../../engine/lib/schedule/window.ts';
import { planDue } from '../../../../engine/tasks/plan-due.ts';
import { dueByHand, rowsByHand, type Situation, type Walk, walk } from './oracle.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Where and when clocks were changed, or were not; the first minute after the change, in UTC. */
const CHANGES = [
  ['Europe/Berlin', 'forward', '2026-03-29T01:00Z'],
  ['Europe/Berlin', 'back', '2026-10-25T01:00Z'],
  ['America/New_York', 'forward', '2026-03-08T07:00Z'],
  ['America/New_York', 'back', '2026-11-01T06:00Z'],
  ['Australia/Lord_Howe', 'forward half an hour', '2026-10-03T15:30Z'],
  ['Australia/Lord_Howe', 'back half an hour', '2026-04-04T15:00Z'],
  ['Pacific/Chatham', 'forward at 02:45', '2026-09-26T14:00Z'],
  ['Pacific/Chatham', 'back at 03:45', '2026-04-04T14:00Z'],
  ['America/Sao_Paulo', 'forward at midnight', '2018-11-04T03:00Z'],
  ['America/Sao_Paulo', 'back at midnight', '2018-02-18T02:00Z'],
  ['Pacific/Apia', 'forward a whole day', '2011-12-30T10:00Z'],
  ['Pacific/Apia', 'back', '2012-03-31T14:00Z'],
  ['Africa/Casablanca', 'back for Ramadan', '2024-03-10T02:00Z'],
  ['Africa/Casablanca', 'forward after Ramadan', '2024-04-14T02:00Z'],
  ['America/Nuuk', 'forward over midnight', '2026-03-29T01:00Z'],
  ['Antarctica/Troll', 'forward two hours', '2026-03-29T01:00Z'],
  ['Antarctica/Troll', 'back two hours', '2026-10-25T01:00Z'],
  ['Asia/Pyongyang', 'back half an hour for good', '2015-08-14T15:00Z'],
  ['Asia/Kathmandu', 'forward a quarter of an hour for good', '1985-12-31T18:30Z'],
  ['Asia/Kathmandu', 'not at all', '2026-06-15T18:15Z'],
  ['UTC', 'not at all', '2026-03-01T00:00Z'],
] as const;

const CRON = [
  '30 2 * * *',
  '*/20 1-3 * * *',
  '15,45 0,2,23 * * *',
  '0 0 * * *',
  '0 * * * *',
  '*/15 * * * *',
  '0 9 * * mon-fri',
  '50 23 L * *',
  '10 3 * * sun#1,0,7',
  '40 2 1-10 3,10 6',
] as const;
const EVERY = ['every 45m', 'every 7h', 'every 1d', 'every 30s'] as const;
const MISSED = ['latest', 'skip', 'all'] as const;
const WINDOWS = [null, '02:00-09:00', '22:00-02:30'] as const;
const DOWN_MS = [5000, 40 * MINUTE_MS, 5 * HOUR_MS, 30 * HOUR_MS, 75 * HOUR_MS] as const;
const EDITS = ['none', 'while it was down', 'after the last due time'] as const;

const read = (text: string, zone: string, anchor: number): Schedule => {
  const parsed = parseSchedule(text, zone);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.message}`);
  return anchored(parsed.schedule, anchor);
};

/** Times on the wall just before, within and after the change, as the digits of `at`. */
function atsAround(steps: Walk, change: number): string[] {
  const before = steps.minutes.findLast(({ at }) => at < change)?.wall ?? 0;
  const after = steps.minutes.find(({ at }) => at >= change)?.wall ?? 0;
  const middle = Math.floor((before + after) / 2 / MINUTE_MS) * MINUTE_MS;
  return [middle, before, after, after + 9 * HOUR_MS].map((wall) => `at ${new Date(wall).toISOString().slice(0, 16)}`);
}

/** When somebody looks: shortly after a due time, within the change, the next morning, two days on. */
function looksAt(steps: Walk, text: string, change: number, anchor: number): number[] {
  const first = dueByHand(steps, text, anchor).find((due) => due >= change - 30 * MINUTE_MS);
  const last = steps.minutes.at(-1)?.at ?? 0;
  return [
    first === undefined ? change : first + 3000,
    change + 25 * MINUTE_MS,
    change + 33 * HOUR_MS,
    last - MINUTE_MS,
  ];
}

const editedAt = (edit: (typeof EDITS)[number], now: number, downMs: number): number =>
  edit === 'none' ? 0 : edit === 'while it was down' ? now - Math.floor(downMs / 2) : now - 1;

/** Each zone and change with each schedule, look and policy; the other sides of the matrix take turns. */
function* situations(
  steps: Walk,
  change: number,
  seed: number,
): Generator<Situation & { lastDue: number; edit: number }> {
  const anchor = change - 80 * HOUR_MS + 7000;
  const texts = [...CRON, ...EVERY, ...atsAround(steps, change)];
  const looks = texts.flatMap((text) => looksAt(steps, text, change, anchor).map((now) => ({ text, now })));
  const asked = looks.flatMap((look) => MISSED.map((missed) => ({ ...look, missed })));
  for (const [index, { text, now, missed }] of asked.entries()) {
    const turn = seed + index;
    const downMs = DOWN_MS[turn % 5] ?? 0;
    const lastDue = now - downMs;
    const edit = editedAt(EDITS[turn % 13 < 3 ? turn % 13 : 0] ?? 'none', now, downMs);
    yield {
      text,
      anchor,
      now,
      missed,
      lastDue,
      edit,
      since: Math.max(lastDue, edit),
      maxAgeMs: turn % 7 === 0 ? 3 * HOUR_MS : 72 * HOUR_MS,
      window: WINDOWS[(turn % 17) % 4] ?? null,
      overlap: turn % 4 === 0 ? 'queue' : 'skip',
      running: turn % 11 === 0,
    };
  }
}

describe('due times and their fate, against a walk minute by minute', () => {
  const seen = { cases: 0, rows: 0, fates: new Map<string, number>() };

  it.each(CHANGES)('%s, clocks set %s', (zone, _way, text) => {
    const change = Date.parse(text);
    const steps = walk(zone, change - 80 * HOUR_MS, change + 57 * HOUR_MS);
    const wrong: unknown[] = [];
    for (const situation of situations(steps, change, seen.cases)) {
      const schedule = read(situation.text, zone, 0);
      const window = situation.window === null ? null : parseWindow(situation.window);
      const plan = planDue({ ...situation, schedule, zone, window, enabledSince: situation.edit });
      const rows = plan.rows.map(({ dueAt, state, code, count }) => `${dueAt} ${state} ${code} ${count}`);
      const expected = rowsByHand(steps, situation);
      if (rows.join() !== expected.join()) wrong.push({ situation, rows, expected });
      seen.cases += 1;
      for (const row of rows) {
        seen.rows += 1;
        const fate = row.split(' ').slice(1, 3).join(' ');
        seen.fates.set(fate, (seen.fates.get(fate) ?? 0) + 1);
      }
    }
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  it.each(CHANGES)('%s, clocks set %s: forwards, backwards and one by one they are the same', (zone, _way, text) => {
    const change = Date.parse(text);
    const [from, to] = [change - 50 * HOUR_MS, change + 50 * HOUR_MS];
    const steps = walk(zone, from, to);
    for (const words of [...CRON, ...EVERY.slice(0, 3), ...atsAround(steps, change)]) {
      const schedule = read(words, zone, from);
      const expected = dueByHand(steps, words, from).filter((due) => due > from && due <= to);
      expect({ words, due: dueTimes(schedule, zone, from, to) }).toEqual({ words, due: expected });
      expect({ words, due: latestDueTimes(schedule, zone, from, to) }).toEqual({ words, due: expected });
      const oneByOne = [from, ...expected.slice(0, -1)].map((after) => nextDue(schedule, zone, after));
      expect({ words, due: oneByOne.slice(0, expected.length) }).toEqual({ words, due: expected });
    }
  });

  it('are thousands of cases with every fate among them', () => {
    const fates = Object.fromEntries(seen.fates);
    process.stderr.write(`matrix: ${seen.cases} cases, ${seen.rows} rows, ${JSON.stringify(fates)}\n`);
    expect(seen.cases).toBeGreaterThan(600);
    expect(Object.keys(fates).sort()).toEqual([
      'missed late',
      'missed outside_window',
      'missed superseded',
      'missed too_many',
      'missed too_old',
      'queued null',
      'ran null',
      'skipped outside_window',
      'skipped overlap',
    ]);
  });
});
