import { Readable } from 'node:stream';
import { runCommandLine } from '../../engine/cli/command-line.ts';
import { processSettings } from '../../engine/config/environment.ts';
import type { HostAnswer, HostRequest } from './commands.ts';

// Runs one command line after the other: loading the program costs far more than what a command does. Each has its own
// input and output, opens the workspace anew and closes it.
process.on('message', async ({ id, args, stdin, environment }: HostRequest) => {
  const told = { stdout: '', stderr: '' };
  const code = await runCommandLine(args, {
    settings: processSettings({ ...process.env, ...environment }),
    stdin: Readable.from([stdin]),
    // Here the process is nobody's: what nobody caught ends it, and with it the test.
    watch: () => ({ rejections: () => 0 }),
    out: (text) => {
      told.stdout += text;
    },
    err: (text) => {
      told.stderr += text;
    },
  });
  process.send?.({ id, code, ...told } satisfies HostAnswer);
});

process.on('disconnect', () => process.exit());
