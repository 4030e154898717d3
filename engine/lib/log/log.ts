import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pino from 'pino';
import type { Log } from '#contract';
import { jsonObject, parseJson } from '../json.ts';
import { localTime, systemZone } from '../schedule/zone.ts';
import { MINUTE_MS } from '../time.ts';

type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const REDACTED = ['*.apiKey', '*.api_key', '*.password', '*.secret', '*.token', 'headers.authorization'];

interface Places {
  /** Gets what programs read. */
  readonly file?: { write(line: string): void } | null;
  /** Gets what people read; false: nobody does. By default it is stderr, so that stdout stays the command's own. */
  readonly shown?: { write(line: string): void } | false;
}

export function createLog(
  options: { readonly level: LogLevel; readonly format: 'pretty' | 'json' },
  { file = null, shown = pino.destination({ dest: 2, sync: true }) }: Places = {},
): Log {
  const asShown = (line: string) =>
    options.format === 'json' ? line : `${lineInWords(parseJson(jsonObject, line))}\n`;
  const stream = {
    write(line: string) {
      if (shown) shown.write(asShown(line));
      file?.write(line);
    },
  };
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: '[secret]' },
    },
    stream,
  );
}

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};

/** All other texts stand in quotes: a subject must not look like further fields, nor an error like further lines. */
const PLAIN = /^[^\s="\p{Cc}]{1,2000}$/u;

/** A line of the log for people: its time on the clock of this machine (without the day, unless `day`), its level, its message and its fields. */
export function lineInWords(line: Readonly<Record<string, unknown>>, { day = false } = {}): string {
  const { level, time, msg, ...fields } = line;
  const rest = Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value)}`)
    .join(' ');
  const instant = Date.parse(String(time));
  const here = Number.isNaN(instant) ? String(time) : localTime(systemZone(), instant).slice(0, 19).replace('T', ' ');
  const at = day ? here : here.slice(11);
  return `${at} ${String(level).padEnd(5)} ${msg ?? ''}${rest ? `  ${rest}` : ''}`;
}

const MAX_CHARS = 2000;

/**
 * For what strangers can have written into the log: of each message so many lines a minute, and no field longer than
 * 2,000 characters. How many were left out stands in the first line of the message after that.
 */
export function sparseLog(log: Log, now: () => number, perMinute = 20): Log {
  // Messages are the program's own words, so there are only so many.
  const counted = new Map<string, { since: number; lines: number }>();
  const sparsely = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    const at = now();
    const before = counted.get(message);
    const isFresh = !before || at - before.since >= MINUTE_MS || at < before.since;
    const lines = isFresh ? 1 : before.lines + 1;
    counted.set(message, { since: isFresh ? at : before.since, lines });
    if (lines > perMinute) return;
    const leftOut = isFresh && before ? Math.max(0, before.lines - perMinute) : 0;
    log[level]({ ...cut(fields), ...(leftOut > 0 ? { left_out: leftOut } : {}) }, message);
  };
  return {
    debug: sparsely('debug'),
    info: sparsely('info'),
    warn: sparsely('warn'),
    error: sparsely('error'),
    child: (fields) => sparseLog(log.child(fields), now, perMinute),
  };
}

const cut = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value.slice(0, MAX_CHARS) : value]),
  );

/** The newest lines of the log, one JSON object each, and those of before. */
export const logFiles = (dataDir: string): { readonly newest: string; readonly before: string } => ({
  newest: join(dataDir, 'log/gateway.jsonl'),
  before: join(dataDir, 'log/gateway.1.jsonl'),
});

/** Both files together have at most twice as much. */
const MAX_BYTES = 5_000_000;

/**
 * Appends lines to a file that is readable by its owner alone, and begins another when it is full; the one of before is kept,
 * older ones are not. The folder is made with the first line. Where nothing can be written, lines are lost: they are on
 * stderr, too, and a log is no reason to fail.
 */
export function createLogFile(
  { newest, before }: { readonly newest: string; readonly before: string },
  maxBytes = MAX_BYTES,
): { write(line: string): void } {
  const state: { fd: number | null; bytes: number } = { fd: null, bytes: 0 };
  const open = (): number => {
    mkdirSync(dirname(newest), { recursive: true, mode: 0o700 });
    const fd = openSync(newest, 'a+', 0o600);
    Object.assign(state, { fd, bytes: fstatSync(fd).size });
    if (!endsInLineEnd(fd, state.bytes)) writeSync(fd, '\n');
    return fd;
  };
  const close = (): void => {
    const { fd } = state;
    state.fd = null;
    if (fd !== null) closeSync(fd);
  };
  return {
    write(line) {
      try {
        const fd = state.fd ?? open();
        const written = writeSync(fd, line);
        state.bytes += written;
        if (written < Buffer.byteLength(line)) close();
        if (state.bytes < maxBytes) return;
        close();
        renameSync(newest, before);
      } catch {
        // A full disk fails each line anew: what is not closed would take up a place of the process each time.
        close();
      }
    },
  };
}

/** A gateway that was killed, or a full disk, may leave half a line, which would spoil the next one. */
function endsInLineEnd(fd: number, bytes: number): boolean {
  const last = Buffer.alloc(1);
  return bytes === 0 || readSync(fd, last, 0, 1, bytes - 1) === 0 || last[0] === 10;
}
