import { homedir } from 'node:os';
import { Command } from 'commander';
import { packageVersion } from '../app/version.ts';
import type { ProcessSettings } from '../config/environment.ts';
import { type Called, calledAs, commandHere, hintsHere } from '../lib/as-called.ts';
import { forTerminal } from '../mail/text/invisible.ts';
import type { Stdin } from './command/context.ts';
import { type Act, type Command as CliCommand, type Group, register } from './command/define.ts';
import { lastStarted, lastStartedFile } from './command/last-started.ts';
import type { catchStrayErrors } from './command/stray-errors.ts';
import { type Found, workspaceHere } from './command/which-workspace.ts';
import { overview, type Section, sectionAskedFor } from './commands/help.ts';
import { asListed, commandsFor, withPersonaNamed } from './commands/index.ts';
import { isOk, type Output, reportFailure, withoutGuess } from './report.ts';

/** Where a command line runs: what it reads, where it writes, and who looks after errors that nobody caught. */
export interface Surroundings {
  readonly settings: ProcessSettings;
  readonly stdin: Stdin;
  /** Width of the terminal that stdout is; undefined where it is none. */
  readonly columns?: number | undefined;
  readonly watch: typeof catchStrayErrors;
  out(text: string): void;
  err(text: string): void;
}

/** Runs one command line (without node and script). Returns the exit code; never throws for a user's mistake. */
export async function runCommandLine(typed: readonly string[], around: Surroundings): Promise<number> {
  const argv = asListed(typed);
  const json = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json');
  const section = sectionAskedFor(argv);
  const help: string[] = [];
  const output: Output = {
    json,
    // Whatever is shown to people, words of others in it turn no line round and command no terminal. JSON tells them as
    // they are.
    out: (text) => around.out(json ? text : forTerminal(text)),
    err: (text) => around.err(forTerminal(text)),
    help: () => help.join(''),
  };
  const commands = await commandsFor(section === null ? argv : []);
  const { program, exitCode, called } = createProgram({
    output,
    around,
    commands,
    section,
    keepHelp: (text) => help.push(text),
  });
  try {
    const asked =
      section === null ? withPersonaNamed(meant(argv, program), commands) : ['--help', ...(json ? ['--json'] : [])];
    await program.parseAsync([...asked], { from: 'user' });
    return exitCode();
  } catch (error) {
    return reportFailure(error, { ...output, hint: (text) => hintsHere(text, called()) });
  }
}

/** Pure. Help about a command that there is not is that command, which says so, instead of the help about everything. */
function meant(argv: readonly string[], { commands }: Command): readonly string[] {
  const [first, name = ''] = argv;
  const isUnknown = first === 'help' && name !== '' && !commands.some((one) => one.name() === name);
  return isUnknown ? argv.slice(1) : argv;
}

function createProgram(options: {
  output: Output;
  around: Surroundings;
  commands: readonly (CliCommand | Group)[];
  /** The part of the overview that is asked for; null: none is. */
  section: Section | null;
  keepHelp(text: string): void;
}): { program: Command; exitCode(): number; called(): Called } {
  const { commands, keepHelp } = options;
  const { json, out, err } = options.output;
  const { settings, stdin, columns, watch } = options.around;
  const ended = { code: 0 };
  const program = new Command('epistle');
  // Subcommands inherit all this when they are made.
  program
    .description('A self-hosted gateway that gives every AI persona an email address')
    .version(packageVersion(), '-V, --version', 'print the version')
    .option(
      '--workspace <dir>',
      'the workspace (default: EPISTLE_WORKSPACE, the current folder, the one started last, ~/epistle)',
    )
    .option('--json', 'one JSON document on stdout')
    .helpCommand(true)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => (json ? keepHelp(text) : out(text)),
      writeErr: (text) => void (json || err(text)),
      // As all that goes wrong is told.
      outputError: (text, write) => write(withoutGuess(text).replace(/^error: /, 'epistle: ')),
    });

  const given = () => program.opts<{ workspace?: string }>().workspace;
  const called = () => calledAs(settings.program, given());
  const act =
    (command: CliCommand): Act =>
    async (...found) => {
      const { root, fromMemory } = workspaceOf(command, given(), settings);
      if (fromMemory && !json && !command.withoutWorkspace) err(`This is about ${root}, which was started last.\n`);
      // Half of what a command loads: for whoever asks for the version, a help or an unknown command, that is nothing.
      const { createContext } = await import('./command/context.ts');
      const { beforeWork } = await import('./command/before-upgrade.ts');
      const context = createContext({ root, json, settings, called: called(), stdin, columns, out, err, watch });
      try {
        if (!command.withoutWorkspace) await beforeWork(context);
        const outcome = await command.run(context, found);
        if (!outcome) return;
        ended.code = outcome.exitCode;
        if (json) out(`${JSON.stringify({ ok: isOk(ended.code), ...outcome.data })}\n`);
        else if (outcome.text !== '') out(`${outcome.text}\n`);
      } finally {
        await context.close();
      }
    };
  for (const command of commands) register(program, command, { act, typed: (words) => commandHere(words, called()) });
  const { section } = options;
  if (section !== null)
    program.helpInformation = () => overview(section, commands, (words) => commandHere(words, called()));
  return { program, exitCode: () => ended.code, called };
}

function workspaceOf({ name }: CliCommand, given: string | undefined, settings: ProcessSettings): Found {
  const named = given ?? settings.workspace;
  if (named) return { root: named, fromMemory: false };
  const home = homedir();
  return workspaceHere({
    ...{ folder: process.cwd(), home, makes: name === 'start' },
    lastStarted: () => lastStarted(lastStartedFile({ stateHome: settings.stateHome, home })),
  });
}
