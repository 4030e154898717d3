import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

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
    const fd = openSync(newest, 'a', 0o600);
    Object.assign(state, { fd, bytes: fstatSync(fd).size });
    return fd;
  };
  const close = (): void => {
    if (state.fd !== null) closeSync(state.fd);
    state.fd = null;
  };
  return {
    write(line) {
      try {
        const fd = state.fd ?? open();
        state.bytes += writeSync(fd, line);
        if (state.bytes < maxBytes) return;
        close();
        renameSync(newest, before);
      } catch {
        state.fd = null;
      }
    },
  };
}
