import { describe, expect, it } from 'vitest';
import { instantIn, localTime, offsetAt } from '../../engine/lib/schedule/zone.ts';
import { filesAt } from '../../scripts/lib/run-at-dates.ts';
import { readOptions } from '../../scripts/lib/test-options.ts';
import { DATES, type TestDate, ZONES } from './dates.ts';
import { readersOfClock, testFiles } from './reads-clock.ts';
import { shiftedEnvironment } from './shift.ts';

const instantOf = ({ at, zone }: TestDate): number => instantIn(zone, at, 'at');
const named = (date: TestDate, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: date.zone, ...options }).format(instantOf(date));
const HOUR_MS = 3_600_000;

describe('the dates at which tests are run', () => {
  it('are sixteen in four zones, four in each', () => {
    expect(DATES).toHaveLength(16);
    for (const zone of ZONES) expect(DATES.filter((date) => date.zone === zone)).toHaveLength(4);
    expect(DATES.filter(({ everyFile }) => everyFile)).toHaveLength(3);
  });

  it('have each weekday, the longest and the shortest names, 29 February and both ends of a year', () => {
    expect(new Set(DATES.map((date) => named(date, { weekday: 'long' })))).toHaveLength(7);
    const lengths = DATES.map((date) => named(date, { weekday: 'long', month: 'long' }).length);
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual(['Friday May'.length, 'Wednesday September'.length]);
    const minutes = DATES.map(({ at }) => at.slice(5, 16));
    for (const minute of ['02-29T23:59', '12-31T23:59', '01-01T00:00']) expect(minutes).toContain(minute);
  });

  it('have both changes of the clock, a minute later, north and south', () => {
    const changes = DATES.map((date) => {
      const [before, after] = [-1, 1].map((minutes) =>
        offsetAt(date.zone, instantOf(date) + (minutes * 2 + 1) * 60_000),
      );
      return ((after ?? 0) - (before ?? 0)) / HOUR_MS;
    });
    expect(changes.filter((change) => change === 1)).toHaveLength(2);
    expect(changes.filter((change) => change === -1)).toHaveLength(2);
  });

  it('are times that a clock there shows', () => {
    for (const date of DATES)
      expect(localTime(date.zone, instantOf(date)).slice(0, 16).replace(' ', 'T')).toBe(date.at.slice(0, 16));
  });
});

describe('the files that are run at them', () => {
  it('are all at three of them, and at each what reads a clock', () => {
    const [files, readers] = [['a', 'b'], new Set(['b'])];
    const plan = DATES.map(({ everyFile = false }) => filesAt({ everyFile }, { files, readers, rest: [] }));
    expect(plan.filter((chosen) => chosen.includes('a'))).toHaveLength(3);
    expect(plan.every((chosen) => chosen.includes('b'))).toBe(true);
  });

  it('are those that somebody names, with what is for Vitest', () => {
    const [files, readers] = [['test/a', 'test/b', 'test/c/b'], new Set(['test/b', 'test/c/b'])];
    expect(filesAt({ everyFile: false }, { files, readers, rest: ['/b', '--bail=1'] })).toEqual([
      ...['--bail=1', 'test/b', 'test/c/b'],
    ]);
    expect(filesAt({ everyFile: false }, { files, readers, rest: ['test/a', '--bail=1'] })).toEqual([]);
  });

  const source = (path: string, text: string) => ({ path, text });
  const readers = (...sources: { path: string; text: string }[]) => [
    ...readersOfClock(['test/a.test.ts'], sources).keys(),
  ];

  it.each([
    ['asks by itself', 'const now = Date.now();'],
    ['takes the clock of the system', "import { systemClock } from '../engine/lib/clock.ts';\nsystemClock();"],
    ['starts programs', "import { spawn } from 'node:child_process';"],
    ['loads somebody who asks', "import { b } from './b.ts';"],
    ['starts a thread that asks', "new Worker(new URL('./b.ts', import.meta.url));"],
  ])('read a clock where one %s', (_, text) => {
    expect(readers(source('test/a.test.ts', text), source('test/b.ts', 'export const b = new Date();'))).toEqual([
      'test/a.test.ts',
    ]);
  });

  it.each([
    ['is given a time', 'const then = new Date(0);'],
    ['needs the type of somebody who asks', "import type { b } from './b.ts';"],
  ])('do not where one %s', (_, text) => {
    expect(readers(source('test/a.test.ts', text), source('test/b.ts', 'export const b = new Date();'))).toEqual([]);
  });

  it('are known of this repository: what runs the gateway does, and not everything', () => {
    const tests = testFiles();
    const found = readersOfClock(tests);
    expect([...found.keys()]).toContain('test/flow/prompt.test.ts');
    expect(found.size).toBeGreaterThan(tests.filter((path) => path.startsWith('test/flow/')).length * 0.9);
    expect(found.has('test/engine/lib/text/digits.test.ts')).toBe(false);
    expect(found.size).toBeLessThan(tests.length * 0.6);
  });
});

describe('what the tests are told to do', () => {
  const read = (...args: string[]) => readOptions(args, new Date('2026-11-28T10:00:00Z'));

  it('is a date in a zone, or dates of the plan, and the rest is for Vitest', () => {
    const one = { number: null, at: '2028-02-29T23:59:30', zone: 'Pacific/Auckland', everyFile: true };
    for (const args of [
      ['--at', one.at, 'test/flow', '--zone', one.zone, '-t', 'name'],
      [`--at=${one.at}`, `--zone=${one.zone}`, 'test/flow', '-t', 'name'],
    ])
      expect(read(...args)).toEqual({ real: false, dates: [one], rest: ['test/flow', '-t', 'name'] });
    expect(read('--dates', 'test/flow', '--testTimeout=30000')).toMatchObject({
      dates: DATES.map(({ at }, place) => ({ number: place + 1, at })),
      rest: ['test/flow', '--testTimeout=30000'],
    });
    expect(read('--dates=2,16')).toMatchObject({ dates: [{ number: 2 }, { number: 16 }], rest: [] });
    expect(read('test/flow', '--coverage')).toEqual({ real: false, dates: null, rest: ['test/flow', '--coverage'] });
    expect(read('--real')).toEqual({ real: true, dates: null, rest: [] });
  });

  it('is only a zone: what its clocks show when those here show it now', () => {
    expect(read('--zone', 'Asia/Kathmandu')).toMatchObject({
      dates: [{ at: expect.stringMatching(/^2026-11-2\dT\d\d:00:00$/), zone: 'Asia/Kathmandu' }],
    });
  });

  it.each([
    [['--dates=17']],
    [['--dates=x']],
    [['--at']],
    [['--zone']],
    [['--real', '--dates']],
    [['--dates', '--at=2026-01-01']],
  ])('is wrong as %j', (args) => {
    expect(read(...args)).toEqual({ wrong: expect.any(String) });
  });
});

describe('the environment of another date', () => {
  const shifted = (at: string, zone: string, environment = {}) =>
    shiftedEnvironment({ at, zone }, environment, Date.parse('2026-11-28T10:00:00Z'), 'libfaketime');

  it('is ahead or behind by what lies between, and keeps what was there', () => {
    expect(shifted('2026-11-29T00:00:00', 'Pacific/Auckland')).toMatchObject({
      FAKETIME: '+3600',
      TESTS_SHIFTED_MS: '3600000',
    });
    expect(shifted('2026-11-28T10:00:00', 'Europe/Berlin')).toMatchObject({ FAKETIME: '-3600', TZ: 'Europe/Berlin' });
    expect(shifted('2026-11-28', 'Europe/Berlin', { NODE_OPTIONS: '--no-warnings' }).NODE_OPTIONS).toMatch(
      /^--no-warnings --require=/,
    );
  });

  it('is none where there is no such date or zone', () => {
    expect(() => shifted('2027-02-29', 'Europe/Berlin')).toThrow('2027-02-29');
    expect(() => shifted('2026-11-28', 'Europe/Nowhere')).toThrow('Europe/Nowhere');
  });
});
