import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How the program was called, and on which workspace; null where a command without `--workspace` finds the same one. */
export interface Called {
  readonly program: string;
  readonly workspace: string | null;
}

/** In which `./scripts/epistle` is typed. */
const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

/** A workspace that is the folder in which the program is called needs no name. */
export function calledAs(program: string, given: string | undefined): Called {
  const folder = program.startsWith('./scripts/') ? CHECKOUT : process.cwd();
  return { program, workspace: given === undefined || relative(folder, given) === '' ? null : given };
}

/** For whoever reads a mail, in whatever folder: only a workspace that is found from everywhere needs no name. */
export function calledInMail(program: string, root: string, home: string): Called {
  const usual = program.startsWith('./scripts/') ? CHECKOUT : join(home, 'epistle');
  return { program, workspace: relative(usual, root) === '' ? null : root };
}

/**
 * Pure. A command as it is to be typed here: `runs list` becomes `./scripts/epistle runs list --workspace ../my-mail`. One
 * that names its own workspace keeps that: of two the last counts, and it would be done to the wrong one.
 */
export function commandHere(words: string, { program, workspace }: Called): string {
  if (/(?:^| )--workspace /.test(words)) return `${program} ${words}`;
  return `${program} ${words}${workspace === null ? '' : ` --workspace ${quoted(workspace)}`}`;
}

/** Pure. Hints name commands as `epistle …` in backticks; here they are as they have to be typed. */
export const hintsHere = (text: string, called: Called): string =>
  text.replaceAll(/`epistle ([^`\n]+)`/g, (_hint, words: string) => `\`${commandHere(words, called)}\``);

const quoted = (word: string): string => (/^[\w./~@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
