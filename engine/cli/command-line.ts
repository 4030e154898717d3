import { Command } from 'commander';
import { packageVersion } from '../app/version.ts';
import type { ProcessSettings } from '../config/environment.ts';
import { withoutDirections } from '../mail/text/invisible.ts';
import { commandsFor } from './commands/index.ts';
import { createContext, type Stdin } from './context.ts';
import { type Act, type Command as CliCommand, type Group, register } from './define.ts';
import { isOk, type Output, reportFailure } from './report.ts';
import type { catchStrayErrors } from './stray-errors.ts';

/** Where a command line runs: what it reads, where it writes, and who looks after errors that nobody caught. */
export interface Surroundings {
  readonly settings: ProcessSettings;
  readonly stdin: Stdin;
  readonly watch: typeof catchStrayErrors;
  out(text: string): void;
  err(text: string): void;
}

/** Runs one command line (without node and script). Returns the exit code; never throws for a user's mistake. */
export async function runCommandLine(argv: readonly string[], around: Surroundings): Promise<number> {
  const json = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json');
  const help: string[] = [];
  const output: Output = {
    json,
    // Whatever is shown to people, words of others in it turn no line round. JSON tells them as they are.
    out: (text) => around.out(json ? text : withoutDirections(text)),
    err: (text) => around.err(withoutDirections(text)),
    help: () => help.join(''),
  };
  const { program, exitCode } = createProgram({
    output,
    around,
    commands: await commandsFor(argv),
    keepHelp: (text) => help.push(text),
  });
  if (argv.length === 0) {
    output.out(program.helpInformation());
    return 0;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode();
  } catch (error) {
    return reportFailure(error, output);
  }
}

function createProgram(options: {
  output: Output;
  around: Surroundings;
  commands: readonly (CliCommand | Group)[];
  keepHelp(text: string): void;
}): { program: Command; exitCode(): number } {
  const { commands, keepHelp } = options;
  const { json, out, err } = options.output;
  const { settings, stdin, watch } = options.around;
  const ended = { code: 0 };
  const program = new Command('epistle');
  // Subcommands inherit all this when they are made.
  program
    .description('A self-hosted gateway that gives every AI persona an email address')
    .version(packageVersion(), '-V, --version', 'print the version')
    .option('--workspace <dir>', 'the workspace (default: EPISTLE_WORKSPACE, else the current folder)')
    .option('--json', 'one JSON document on stdout')
    .helpCommand(true)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => (json ? keepHelp(text) : out(text)),
      writeErr: (text) => void (json || err(text)),
    });

  const act =
    (command: CliCommand): Act =>
    async (...given) => {
      const root = (program.opts<{ workspace?: string }>().workspace ?? settings.workspace) || process.cwd();
      const context = createContext({ root, json, settings, stdin, out, err, watch });
      try {
        const outcome = await command.run(context, given);
        if (!outcome) return;
        ended.code = outcome.exitCode;
        if (json) out(`${JSON.stringify({ ok: isOk(ended.code), ...outcome.data })}\n`);
        else if (outcome.text !== '') out(`${outcome.text}\n`);
      } finally {
        await context.close();
      }
    };
  for (const command of commands) register(program, command, act);
  return { program, exitCode: () => ended.code };
}
