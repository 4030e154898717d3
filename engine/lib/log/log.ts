import pino from 'pino';
import type { Log } from '#contract';
import { jsonObject, parseJson } from '../json.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const REDACTED = ['*.apiKey', '*.api_key', '*.password', '*.secret', '*.token', 'headers.authorization'];

/** Logs to stderr, so that stdout stays the command's own. */
export function createLog(options: { level: LogLevel; format: 'pretty' | 'json' }): Log {
  const destination = pino.destination({ dest: 2, sync: true });
  const stream =
    options.format === 'json' ? destination : { write: (line: string) => void destination.write(pretty(line)) };
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

function pretty(line: string): string {
  const { level, time, msg, ...fields } = parseJson(jsonObject, line);
  const rest = Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value)}`)
    .join(' ');
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${msg ?? ''}${rest ? `  ${rest}` : ''}\n`;
}
