import { processSettings } from '../config/environment.ts';
import { catchStrayErrors } from './command/stray-errors.ts';
import { runCommandLine } from './command-line.ts';

/** All that matters is on disk and said by then. */
const LINGER_MS = 500;

/** Runs the command line of this process (without node and script). Returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  // `epistle runs list | head` closes the pipe; that is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const code = await runCommandLine(argv, {
    settings: processSettings(),
    stdin: process.stdin,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    watch: catchStrayErrors,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
  // What an extension has left running must not hold a command that is done.
  setTimeout(() => process.exit(), LINGER_MS).unref();
  return code;
}
