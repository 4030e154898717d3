import { EngineError } from '#contract';
import type { Command, Group } from '../../command/define.ts';
import { defineCommand } from '../../command/define.ts';

type Entry = Command | Group;

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];
const isShell = (text: string): text is Shell => SHELLS.some((one) => one === text);

const GLOBAL = ['--workspace', '--json', '--help'];

/** One beginning of a command line, and what may come next. */
interface Place {
  /** Words of a command or group; empty at the start. */
  readonly after: string;
  readonly next: readonly { readonly word: string; readonly about: string }[];
}

/** Every place at which something can be completed. Pure. */
export function placesOf(entries: readonly Entry[]): Place[] {
  const commandPlace = ({ name, options }: Command): Place => ({
    after: name,
    next: [
      ...Object.values(options).map(({ flags, about }) => ({ word: flags.split(/[ [<]/)[0] ?? '', about })),
      ...GLOBAL.map((word) => ({ word, about: '' })),
    ],
  });
  return [
    { after: '', next: entries.map(({ name, summary }) => ({ word: name, about: summary })) },
    ...entries.flatMap((entry) =>
      'commands' in entry
        ? [
            {
              after: entry.name,
              next: entry.commands.map(({ name, summary }) => ({ word: lastWord(name), about: summary })),
            },
            ...entry.commands.map(commandPlace),
          ]
        : [commandPlace(entry)],
    ),
  ];
}

const lastWord = (name: string): string => name.slice(name.lastIndexOf(' ') + 1);

/** The script that a shell loads. Pure. */
export function completionScript(shell: Shell, entries: readonly Entry[]): string {
  const places = placesOf(entries);
  if (shell === 'fish') return fishScript(places);
  const cases = places
    .filter(({ after }) => after !== '')
    .map(({ after, next }) => `    '${after}') words='${next.map(({ word }) => word).join(' ')}' ;;`);
  const first = places[0]?.next.map(({ word }) => word).join(' ') ?? '';
  const body = [
    '_epistle() {',
    '  local word before="" words index',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    `    word="\${COMP_WORDS[index]}"`,
    '    [[ "$word" == -* ]] && { [[ "$word" == --workspace ]] && ((index++)); continue; }',
    `    [[ $(wc -w <<<"$before") -lt 2 ]] && before="\${before:+$before }$word"`,
    '  done',
    // What stands behind a command of one word is its argument.
    '  for ((index = 0; index < 2; index++)); do',
    '    case "$before" in',
    `    '') words='${first}' ;;`,
    ...cases,
    `    *) before="\${before%% *}"; continue ;;`,
    '    esac',
    '    break',
    '  done',
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _epistle epistle ./scripts/epistle',
    '',
  ].join('\n');
  return shell === 'bash' ? body : `autoload -U +X bashcompinit && bashcompinit\n${body}`;
}

function fishScript(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = places.flatMap(({ after, next }) => {
    const given = after.split(' ').filter((word) => word !== '');
    const seen = given.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    // A word that may follow ends the place at which it may.
    const plain = next.map(({ word }) => word).filter((word) => !word.startsWith('-'));
    const unseen = plain.length > 0 ? `not __fish_seen_subcommand_from ${plain.join(' ')}` : '';
    const condition = [seen, unseen].filter((one) => one !== '').join('; and ');
    return next.map(({ word, about }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c epistle -f -n ${quoted(condition)} ${what}${about === '' ? '' : ` -d ${quoted(about)}`}`;
    });
  });
  return `${[...new Set(lines)].join('\n')}\n`;
}

/** `entries`: every command, this one too; asked when the script is. */
export const completionOf = (entries: () => Promise<readonly Entry[]>): Command =>
  defineCommand({
    name: 'completion',
    withoutWorkspace: true,
    summary: 'Print what makes a shell complete commands and options, to be loaded by it',
    arguments: [['<shell>', `one of ${SHELLS.join(', ')}`]],
    async run(_context, { args: [shell] }) {
      if (!isShell(shell)) throw new EngineError('usage', `the shell is one of ${SHELLS.join(', ')}`);
      return { shell, script: completionScript(shell, await entries()) };
    },
    text: ({ script }) => script.trimEnd(),
  });
