import { Command, CommanderError } from 'commander';
import { register } from '../../engine/cli/command/define.ts';
import { commandsFor } from '../../engine/cli/commands/index.ts';
import type { Page } from './markdown.ts';
import { typedIn } from './shell.ts';

/** Nothing is run. */
const PARSED = { act: () => async () => {}, typed: (words: string) => words };

/** Every command of the CLI by its words, such as `runs` and `runs show`. */
export async function commandNames(): Promise<ReadonlySet<string>> {
  const program = new Command('epistle');
  for (const command of await commandsFor([])) register(program, command, PARSED);
  const below = (command: Command, before: readonly string[]): string[] => {
    const words = [...before, command.name()];
    return [words.join(' '), ...command.commands.flatMap((each) => below(each, words))];
  };
  return new Set(program.commands.flatMap((each) => below(each, [])));
}

/** The commands that a page names after `epistle`, as far as their words go. */
export function commandsIn({ blocks, code }: Page): string[] {
  const lines = [...blocks.flatMap(({ text }) => text.split('\n')), ...code];
  return lines.flatMap((line) => {
    const [, rest] = /(?:^|\s)(?:\.\/scripts\/epistle|npx epistle|epistle) ([a-z].*)$/.exec(line) ?? [];
    if (rest === undefined) return [];
    const words = rest.split(/\s+/);
    const end = words.findIndex((word) => !/^[a-z]+$/.test(word));
    return [words.slice(0, end < 0 ? words.length : end).join(' ')];
  });
}

const CALLED = /(?:^|\s)(?:\.\/scripts\/epistle|npx epistle|epistle) (.*)$/;
/** Where a line goes on with something that is no word of the command. */
const NO_WORD = /^(?:[<>|;]|&&|…)/;
/** What a page may leave out: it names the command, and what is to be filled in stands elsewhere. */
const LEFT_OUT = new Set([
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
  'commander.optionMissingArgument',
  'commander.help',
]);

/** What the parser of the command line itself says against the commands of a page, their options and arguments included. */
export async function parserFaults({ blocks, code }: Page): Promise<string[]> {
  const commands = await commandsFor([]);
  const shell = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n'));
  const faults: string[] = [];
  for (const line of [...shell, ...code]) {
    const words = wordsOf(line);
    if (!/^[a-z]+$/.test(words[0] ?? '')) continue;
    const program = new Command('epistle').option('--workspace <dir>').option('--json').exitOverride();
    program.configureOutput({ writeOut: () => {}, writeErr: () => {} });
    for (const command of commands) register(program, command, PARSED);
    const fault = await program.parseAsync(words, { from: 'user' }).then(() => null, messageOf);
    if (fault !== null) faults.push(`${line}: ${fault}`);
  }
  return faults;
}

/** The words of the command that a line calls; none where it calls none. */
function wordsOf(line: string): readonly string[] {
  const words = typedIn(CALLED.exec(line)?.[1] ?? '', '~')[0]?.words ?? [];
  const end = words.findIndex((word) => NO_WORD.test(word));
  return words.slice(0, end < 0 ? words.length : end);
}

function messageOf(error: unknown): string | null {
  if (error instanceof CommanderError && LEFT_OUT.has(error.code)) return null;
  return error instanceof Error ? error.message : String(error);
}

/** The longest beginning of the words that is a command; the rest are its arguments. */
export function knownPart(words: string, known: ReadonlySet<string>): string | undefined {
  const all = words.split(' ');
  for (let length = all.length; length > 0; length -= 1) {
    const part = all.slice(0, length).join(' ');
    if (known.has(part)) return part;
  }
  return undefined;
}
