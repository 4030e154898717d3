import { Readable } from 'node:stream';
import { runCommandLine } from '../../engine/cli/command-line.ts';
import { processSettings } from '../../engine/config/environment.ts';
import type { CommandEnd, CommandLine } from './commands.ts';
import { answerQuestions } from './host.ts';

// Runs one command line after the other: loading the program costs far more than what a command does. Each has its own
// input and output, opens the workspace anew and closes it.
answerQuestions<CommandLine, CommandEnd>(async ({ args, stdin, environment }) => {
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
  return { code, ...told };
});
