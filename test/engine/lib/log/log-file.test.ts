import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogFile, logFiles } from '../../../../engine/lib/log/log.ts';
import { followLines, newestLines } from '../../../../engine/queries/gateway/upkeep/log-lines.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ALL = { since: undefined, persona: undefined, level: 'debug' } as const;
const line = (n: number, more: object = {}) =>
  `${JSON.stringify({ level: 'info', time: `2026-11-23T09:00:${String(n).padStart(2, '0')}.000Z`, n, ...more, msg: 'mail accepted' })}\n`;
const numbers = (lines: readonly { [key: string]: unknown }[]) => lines.map(({ n }) => n);

describe('the file of the log', () => {
  it('is bounded: a full one becomes the one of before, and only its owner reads either', () => {
    const files = logFiles(folder);
    const log = createLogFile(files, 300);
    for (let n = 0; n < 20; n += 1) log.write(line(n));
    const bytes = [files.newest, files.before].map((file) => (existsSync(file) ? statSync(file).size : 0));
    expect(Math.max(...bytes)).toBeLessThan(300 + line(19).length);
    for (const file of [files.before]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'log')).mode & 0o777).toBe(0o700);
    // The newest are there, in their order, across both files.
    expect(numbers(newestLines(folder, ALL, 4))).toEqual([16, 17, 18, 19]);
  });

  it('loses a line, and nothing else, where nothing can be written', () => {
    writeFileSync(join(folder, 'log'), 'a file');
    const log = createLogFile(logFiles(folder));
    log.write(line(1));
    rmSync(join(folder, 'log'));
    log.write(line(2));
    expect(readFileSync(logFiles(folder).newest, 'utf8')).toBe(line(2));
  });

  it.runIf(existsSync('/dev/full'))('holds no file open for each line that a full disk has no place for', () => {
    mkdirSync(join(folder, 'log'));
    symlinkSync('/dev/full', logFiles(folder).newest);
    const log = createLogFile(logFiles(folder));
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    for (let n = 0; n < 50; n += 1) log.write(line(n));
    expect(openFiles() - before).toBeLessThan(10);
  });

  it('begins a line of its own behind half a line that a killed gateway left', () => {
    const { newest } = logFiles(folder);
    createLogFile(logFiles(folder)).write('{"level":"info","ti');
    createLogFile(logFiles(folder)).write(line(2));
    expect(readFileSync(newest, 'utf8')).toBe(`{"level":"info","ti\n${line(2)}`);
    expect(numbers(newestLines(folder, ALL, 10))).toEqual([2]);
  });

  it('is read by what is asked for, and half a line in it is left out', () => {
    const log = createLogFile(logFiles(folder));
    log.write(line(1, { level: 'warn', persona: 'ada' }));
    log.write(line(2, { to: 'ada' }));
    log.write(line(3, { persona: 'ben', level: 'error' }));
    log.write('{"level":"info","ti\n');
    log.write('\n"text"\n');
    expect(numbers(newestLines(folder, ALL, 10))).toEqual([1, 2, 3]);
    expect(numbers(newestLines(folder, { ...ALL, persona: 'ada' }, 10))).toEqual([1, 2]);
    expect(numbers(newestLines(folder, { ...ALL, level: 'warn' }, 10))).toEqual([1, 3]);
    expect(numbers(newestLines(folder, { ...ALL, since: Date.parse('2026-11-23T09:00:02Z') }, 10))).toEqual([2, 3]);
    expect(numbers(newestLines(folder, ALL, 1))).toEqual([3]);
    expect(newestLines(join(folder, 'nowhere'), ALL, 1)).toEqual([]);
  });

  it('is followed from its end on, across a new file, and not by halves', () => {
    const files = logFiles(folder);
    const log = createLogFile(files, 300);
    const before = followLines(folder);
    log.write(line(1));
    expect(numbers(before.more())).toEqual([1]);
    const following = followLines(folder);
    expect(following.more()).toEqual([]);
    const seen: unknown[] = [];
    for (let n = 2; n < 12; n += 1) {
      log.write(line(n, { subject: 'grüße' }));
      seen.push(...numbers(following.more()));
    }
    expect(seen).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for (const one of [before, following]) one.close();
  });
});
