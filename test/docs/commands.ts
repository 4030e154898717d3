import { Command } from 'commander';
import { commandsFor } from '../../engine/cli/commands/index.ts';
import { register } from '../../engine/cli/define.ts';
import type { Page } from './markdown.ts';

/** Every command of the CLI by its words, such as `runs` and `runs show`. */
export async function commandNames(): Promise<ReadonlySet<string>> {
  const program = new Command('epistle');
  for (const command of await commandsFor([])) register(program, command, () => async () => {});
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

/** The longest beginning of the words that is a command; the rest are its arguments. */
export function knownPart(words: string, known: ReadonlySet<string>): string | undefined {
  const all = words.split(' ');
  for (let length = all.length; length > 0; length -= 1) {
    const part = all.slice(0, length).join(' ');
    if (known.has(part)) return part;
  }
  return undefined;
}
