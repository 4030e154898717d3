import { Command, CommanderError } from 'commander';
import { EngineError } from '#contract';
import { processSettings } from '../config/environment.ts';
import { describeProblem } from '../config/problem.ts';
import { ConfigError } from '../workspace.ts';
import { type Act, createContext, type Outcome, type Register } from './command.ts';
import { commands } from './commands/index.ts';

/** Runs one command line (without node and script). Returns the exit code; never throws for a user's mistake. */
export async function main(argv: readonly string[]): Promise<number> {
  const out = (text: string) => void process.stdout.write(text);
  const err = (text: string) => void process.stderr.write(text);
  const json = argv.includes('--json');
  const settings = processSettings();
  let exitCode = 0;
  const program = new Command('epistle');
  program
    .description('A self-hosted gateway that gives every AI persona an email address')
    .option('--workspace <dir>', 'the workspace (default: EPISTLE_WORKSPACE, else the current folder)')
    .option('--json', 'one JSON document on stdout')
    .helpCommand(true)
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: (text) => !json && err(text) });

  const act: Act =
    (work) =>
    async (...args) => {
      const root = (program.opts<{ workspace?: string }>().workspace ?? settings.workspace) || process.cwd();
      const context = createContext({ root, json, settings, stdin: process.stdin, out, err });
      try {
        const outcome = await work(context, ...args);
        if (outcome) {
          out(render(outcome, json));
          exitCode = outcome.exitCode ?? 0;
        }
      } finally {
        await context.close();
      }
    };
  for (const register of commands satisfies readonly Register[]) register(program, act);
  // Subcommands take the two global options too, wherever they stand on the line.
  for (const command of allCommands(program)) {
    command.exitOverride().configureOutput({ writeOut: out, writeErr: (text) => !json && err(text) });
    if (command !== program) command.option('--json', 'one JSON document on stdout');
  }

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportFailure(error, json, out, err);
  }
}

function* allCommands(command: Command): Iterable<Command> {
  yield command;
  for (const inner of command.commands) yield* allCommands(inner);
}

function render({ data, text }: Outcome, json: boolean): string {
  if (json) return `${JSON.stringify({ ok: true, ...data })}\n`;
  return text === '' ? '' : `${text}\n`;
}

/** Codes that are a usage or configuration matter; `not_found` is 1, the rest is a failure. */
const USAGE_CODES = new Set([
  'usage',
  'config_invalid',
  'extension_invalid',
  'not_empty',
  'workspace_locked',
  'port_in_use',
]);

function reportFailure(
  error: unknown,
  json: boolean,
  out: (text: string) => void,
  err: (text: string) => void,
): number {
  if (error instanceof CommanderError) {
    // Help and version are answers, not mistakes.
    if (error.exitCode === 0) return 0;
    if (json) out(`${JSON.stringify({ ok: false, error: { code: 'usage', message: error.message, problems: [] } })}\n`);
    return 2;
  }
  if (!(error instanceof EngineError)) throw error;
  const problems = error instanceof ConfigError ? error.problems : [];
  if (json) out(`${JSON.stringify({ ok: false, error: { code: error.code, message: error.message, problems } })}\n`);
  else err([`epistle: ${error.message}`, ...problems.map((problem) => `  ${describeProblem(problem)}`), ''].join('\n'));
  if (USAGE_CODES.has(error.code)) return 2;
  return error.code === 'not_found' || error.code === 'not_running' ? 1 : 5;
}
