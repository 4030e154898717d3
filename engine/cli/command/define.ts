import { type Command as Commander, Option } from 'commander';
import { isRefusal, type Refusal } from '../../actions/refusal.ts';
import { zoneLine } from '../text/local-time.ts';
import { table } from '../text/table.ts';
import type { CommandContext } from './context.ts';

/** 0 ok, 1 a check failed or not found, 2 usage or config, 3 waits for approval, 5 terminal failure. */
type ExitCode = 0 | 1 | 2 | 3 | 5;

/** `<id>` has to be given, `[id]` may be; with what it is where the name does not say so. */
export type Argument = string | readonly [name: string, about: string];

/** What somebody types after `epistle`, and what for. */
type Example = readonly [typed: string, about: string];

export interface Flag {
  /** `--limit <n>` takes a value, `--wait [seconds]` may, `--disabled` takes none. */
  readonly flags: string;
  readonly about: string;
  readonly fallback?: string;
  readonly required?: true;
  /** May be repeated. */
  readonly many?: true;
}

type NameOf<A> = A extends readonly [infer Name, string] ? Name : A;
type ArgumentValue<A> = NameOf<A> extends `<${string}` ? string : string | undefined;
type Always<F> = F extends { fallback: string } | { required: true } ? never : undefined;
type FlagValue<F> = F extends { many: true }
  ? readonly string[] | Always<F>
  : F extends { flags: `${string}<${string}` }
    ? string | Always<F>
    : F extends { flags: `${string}[${string}` }
      ? string | boolean | undefined
      : boolean | undefined;

type Flags = Readonly<Record<string, Flag>>;

/** What was given on the command line. */
interface Input<A extends readonly Argument[], O extends Flags> {
  readonly args: { readonly [Index in keyof A]: ArgumentValue<A[Index]> };
  readonly options: { readonly [Name in keyof O]: FlagValue<O[Name]> };
}

/** A table of the rows of a result, or `empty` where there are none. */
interface Listing<Result, Row> {
  rows?(result: Result): readonly Row[];
  /** By their heads. */
  readonly columns?: Readonly<Record<string, (row: Row) => string>>;
  readonly empty?: string;
  /** Below the table: what does not stand in a column. */
  below?(result: Result, hint: CommandContext['hint']): readonly string[];
  /** Some columns are times: it is said once whose clock they are by. */
  readonly times?: true;
}

interface Definition<A extends readonly Argument[], O extends Flags, Result extends object, Row>
  extends Listing<Result, Row> {
  /** All its words, such as `runs list`. */
  readonly name: string;
  readonly summary: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly examples?: readonly Example[];
  /** It works with no workspace, or with one that it makes: what the current folder holds is left alone. */
  readonly withoutWorkspace?: true;
  /** It opens no database, so it may be used while a gateway of an older version works: it is what ends that one. */
  readonly withoutDatabases?: true;
  /** Undefined: it has said everything itself. */
  run(context: CommandContext, input: Input<A, O>): Promise<Result | Refusal | undefined>;
  /** What `--json` prints of the result; all of it by default. */
  json?(result: Result): object;
  /** For people, where a table does not do. */
  text?(result: Result, context: CommandContext): string;
  /** 0 by default. */
  exitCode?(result: Result): ExitCode;
}

/** A command as the runner sees it. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly Argument[];
  readonly options: Flags;
  /** Shown below its help; of the commands that people use most. */
  readonly examples: readonly Example[];
  readonly withoutWorkspace: boolean;
  readonly withoutDatabases: boolean;
  /** It shows a table of rows. */
  readonly lists: boolean;
  /** Does it with what the parser found: its arguments, then its options. What is to be printed, or undefined where it has said everything itself. */
  run(context: CommandContext, given: readonly unknown[]): Promise<CommandOutcome | undefined>;
}

/** What a command hands back: one JSON document, the same thing for people, and how it went. */
export interface CommandOutcome {
  /** Where `ok` is missing, the exit code decides it. */
  readonly data: object;
  readonly text: string;
  readonly exitCode: ExitCode;
}

/** Commands whose names begin with the same word. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

/** A command from its parts; what it prints follows from its result. */
export function defineCommand<
  Result extends object,
  Row,
  const A extends readonly Argument[] = readonly [],
  const O extends Flags = Record<never, never>,
>(definition: Definition<A, O, Result, Row>): Command {
  const { name, summary, run, json, text, exitCode } = definition;
  const inWords = (result: Result, context: CommandContext): string =>
    text ? text(result, context) : tableOf(definition, result, context);
  return {
    name,
    summary,
    arguments: definition.arguments ?? [],
    options: definition.options ?? {},
    examples: definition.examples ?? [],
    withoutWorkspace: definition.withoutWorkspace ?? false,
    withoutDatabases: definition.withoutDatabases ?? false,
    lists: definition.rows !== undefined,
    async run(context, given) {
      const count = definition.arguments?.length ?? 0;
      // The parser has checked what was given against these very arguments and options.
      const input = { args: given.slice(0, count), options: given[count] } as unknown as Input<A, O>;
      const result = await run(context, input);
      if (result === undefined) return undefined;
      if (isRefusal(result)) return { data: result, text: context.hint(result.error.message), exitCode: 1 };
      return {
        data: json ? json(result) : result,
        text: context.json ? '' : inWords(result, context),
        exitCode: exitCode ? exitCode(result) : 0,
      };
    },
  };
}

function tableOf<Result, Row>(
  { rows, columns = {}, empty = '', times, below }: Listing<Result, Row>,
  result: Result,
  { hint, columns: most }: Pick<CommandContext, 'hint' | 'columns'>,
): string {
  const cells = Object.values(columns);
  const lines = (rows?.(result) ?? []).map((row) => cells.map((cell) => cell(row)));
  const shown = table(Object.keys(columns), lines, hint(empty), most);
  if (lines.length === 0) return [shown, ...(below?.(result, hint) ?? [])].join('\n');
  return [shown, ...(below?.(result, hint) ?? []), ...(times ? [zoneLine()] : [])].join('\n');
}

/** Adds a command, or all of a group, to the program. */
export function register(program: Commander, entry: Command | Group, shell: Shell): void {
  const isGroup = 'commands' in entry;
  const parent = isGroup ? program.command(entry.name).description(entry.summary) : program;
  for (const command of isGroup ? entry.commands : [entry]) add(parent, command, shell);
}

/** Called by the parser: each argument, then the options, then the parser's own command. */
export type ParserAction = (...given: unknown[]) => Promise<void>;

/** What commands are added to. */
interface Shell {
  /** Runs one, with errors reported in one way. */
  act(command: Command): ParserAction;
  /** A command as it is to be typed here; asked for when a help is shown. */
  typed(words: string): string;
}

function add(parent: Commander, command: Command, { act, typed }: Shell): void {
  const word = command.name.slice(command.name.lastIndexOf(' ') + 1);
  const added = parent.command(word).description(command.summary);
  for (const argument of command.arguments) {
    if (typeof argument === 'string') added.argument(argument);
    else added.argument(...argument);
  }
  for (const { flags, about, fallback, required, many } of Object.values(command.options)) {
    const option = new Option(flags, about).makeOptionMandatory(required === true);
    if (fallback !== undefined) option.default(fallback);
    if (many) option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
    added.addOption(option);
  }
  if (command.examples.length > 0) added.addHelpText('after', () => examplesIn(command.examples, typed));
  added.action(act(command));
}

const examplesIn = (examples: readonly Example[], typed: Shell['typed']): string =>
  ['', 'Examples:', ...examples.flatMap(([words, about]) => [`  ${typed(words)}`, `      ${about}`])].join('\n');
