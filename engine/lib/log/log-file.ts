import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
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
