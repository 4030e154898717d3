import pino from 'pino';
import type { Log } from '#contract';
import { jsonObject, parseJson } from '../json.ts';
import { lineInWords } from './in-words.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const REDACTED = ['*.apiKey', '*.api_key', '*.password', '*.secret', '*.token', 'headers.authorization'];

interface Places {
  /** Gets what programs read. */
  readonly file?: { write(line: string): void } | null;
  readonly stderr?: boolean;
}

/** Logs to stderr, so that stdout stays the command's own. */
export function createLog(
  options: { readonly level: LogLevel; readonly format: 'pretty' | 'json' },
  { file = null, stderr = true }: Places = {},
): Log {
  const destination = pino.destination({ dest: 2, sync: true });
  const shown = (line: string) => (options.format === 'json' ? line : `${lineInWords(parseJson(jsonObject, line))}\n`);
  const stream = {
    write(line: string) {
      if (stderr) destination.write(shown(line));
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
