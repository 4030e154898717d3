import { homedir } from 'node:os';
import { Command, CommanderError } from 'commander';
import { EngineError } from '#contract';
import { packageVersion } from '../app/version.ts';
import type { ProcessSettings } from '../config/environment.ts';
import { ConfigError, describeProblem } from '../config/problems/problem.ts';
import type { Problem } from '../config/types.ts';
import { type Called, calledAs, commandHere, hintsHere } from '../lib/as-called.ts';
import { forTerminal } from '../mail/text/invisible.ts';
import type { Stdin } from './command/context.ts';
import { type Command as CliCommand, type Group, type ParserAction, register } from './command/define.ts';
import { lastStarted, lastStartedFile } from './command/last-started.ts';
import type { catchStrayErrors } from './command/stray-errors.ts';
import { type FoundWorkspace, workspaceHere } from './command/which-workspace.ts';
import { overview, type Section, sectionAskedFor } from './commands/help.ts';
import { asListed, commandsFor, withPersonaNamed } from './commands/index.ts';

/** Where a command line runs: what it reads, where it writes, and who looks after errors that nobody caught. */
interface Surroundings {
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
    (command: CliCommand): ParserAction =>
    async (...found) => {
      const { root, fromMemory } = workspaceOf(command, given(), settings);
      if (fromMemory && !json && !command.withoutWorkspace) err(`This is about ${root}, which was started last.\n`);
      // Half of what a command loads: for whoever asks for the version, a help or an unknown command, that is nothing.
      const { createContext } = await import('./command/context.ts');
      const { beforeWork } = await import('./command/before-upgrade.ts');
      const context = createContext({ root, json, settings, called: called(), stdin, columns, out, err, watch });
      try {
        if (!command.withoutWorkspace) await beforeWork(context, command);
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

function workspaceOf({ name }: CliCommand, given: string | undefined, settings: ProcessSettings): FoundWorkspace {
  const named = given ?? settings.workspace;
  if (named) return { root: named, fromMemory: false };
  const home = homedir();
  return workspaceHere({
    folder: process.cwd(),
    home,
    makes: name === 'start',
    lastStarted: () => lastStarted(lastStartedFile({ stateHome: settings.stateHome, home })),
  });
}

interface Output {
  readonly json: boolean;
  out(text: string): void;
  err(text: string): void;
  /** The help or version text that was asked for, kept back because stdout belongs to one JSON document. */
  help(): string;
}

/** With the commands that its messages name as they are to be typed here. */
interface FailureOutput extends Output {
  hint(text: string): string;
}

/** Codes that are a usage or configuration matter. */
const USAGE_CODES = new Set([
  'usage',
  'config_invalid',
  'extension_invalid',
  'not_empty',
  'workspace_locked',
  'port_in_use',
]);
const CHECK_CODES = new Set(['not_found', 'not_running', 'not_pending']);
/** What the system refuses for a reason that the person can see and change. */
const SYSTEM_CODES = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EISDIR', 'EMFILE', 'ELOOP']);
const MAY_WRITE = 'see that this account may write into the data folder of the workspace';
/** The same, as SQLite says it: without a cause that somebody could mend. */
const DATABASE_CAUSES: Readonly<Record<string, string>> = {
  SQLITE_CANTOPEN: MAY_WRITE,
  SQLITE_READONLY: MAY_WRITE,
  SQLITE_FULL: 'the disk of the workspace is full',
};

/** 3 is no failure: something waits for somebody. */
const isOk = (exitCode: number): boolean => exitCode === 0 || exitCode === 3;

/** Says what went wrong, for people or as JSON. Returns the exit code; a bug also shows its stack on stderr. */
export function reportFailure(error: unknown, output: FailureOutput): number {
  if (error instanceof CommanderError) return reportUsage(error, output);
  if (error instanceof EngineError) {
    const problems = error instanceof ConfigError ? error.problems : [];
    say(output, error.code, error.message, problems);
    if (USAGE_CODES.has(error.code)) return 2;
    return CHECK_CODES.has(error.code) ? 1 : 5;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'internal';
  const message = error instanceof Error ? error.message : String(error);
  const cause = causeOf(code, error);
  say(output, code, cause === undefined ? message : `${message}; ${cause}`, []);
  if (cause === undefined && !SYSTEM_CODES.has(code) && error instanceof Error) output.err(`${error.stack}\n`);
  return 5;
}

function causeOf(code: string, error: unknown): string | undefined {
  if (Object.hasOwn(DATABASE_CAUSES, code)) return DATABASE_CAUSES[code];
  // On a disk that nobody may write to, a folder that would be made with those above it is said not to be there.
  const isMaking = code === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'mkdir';
  return isMaking ? 'nothing can be written there: is the disk read-only?' : undefined;
}

/** What somebody looks for who types a command of other programs. */
const INSTEAD: Readonly<Record<string, string>> = {
  search: '`epistle memory search` looks through what a persona has read, `epistle mail list` shows what came.',
  inbox: '`epistle mail list` shows the mail that came and what became of it.',
  approve: '`epistle approvals` shows what waits for you, `epistle approvals approve <id>` agrees to it.',
  health: '`epistle status` says how the gateway is, `epistle doctor` what is wrong.',
  remove:
    'A task is a file: delete personas/<id>/tasks/<task>.md. A persona: `epistle persona delete <id>`. A mailbox: `epistle mailbox remove <id>`.',
};

const unknownIn = (message: string): string => /'([a-z]+)'/.exec(message)?.[1] ?? '';

/** As Commander tells of it. A name that only looks alike is no advice where it is known what is meant. */
const withoutGuess = (text: string): string =>
  Object.hasOwn(INSTEAD, unknownIn(text)) ? text.replace(/^\(Did you mean.*\n?/m, '') : text;

function reportUsage(error: CommanderError, output: FailureOutput): number {
  // Help and version are answers, not mistakes.
  if (error.exitCode === 0) {
    const text = output.help().trimEnd();
    const answer = error.code === 'commander.version' ? { version: text } : { help: text };
    if (output.json) output.out(`${JSON.stringify({ ok: true, ...answer })}\n`);
    return 0;
  }
  const isMissing = error.code === 'commander.help';
  const message = isMissing ? 'a command is missing; see --help' : error.message.replace(/^error: /, '');
  // Commander has told people already, on stderr.
  if (output.json) say(output, 'usage', message, []);
  else {
    const name = error.code === 'commander.unknownCommand' ? unknownIn(message) : '';
    if (Object.hasOwn(INSTEAD, name)) output.err(output.hint(`${INSTEAD[name]}\n`));
  }
  return 2;
}

function say(output: FailureOutput, code: string, message: string, problems: readonly Problem[]): void {
  if (output.json) output.out(`${JSON.stringify({ ok: false, error: { code, message, problems } })}\n`);
  else
    output.err(
      output.hint([`epistle: ${message}`, ...problems.map((one) => `  ${describeProblem(one)}`), ''].join('\n')),
    );
}
