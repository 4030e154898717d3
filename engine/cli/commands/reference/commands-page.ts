import type { Argument, Command, Flag, Group } from '../../command/define.ts';

type Entry = Command | Group;

/** `docs/commands.md`, from what the commands declare of themselves. */
export const commandsPage = (entries: readonly Entry[]): string =>
  [
    '# Commands',
    '',
    'Made from what the commands declare; `epistle <command> --help` prints the same. In a checkout',
    '`epistle` is `./scripts/epistle`.',
    '',
    'Every command takes `--workspace <dir>` (default: `EPISTLE_WORKSPACE`, else the current folder where it is one, else',
    'the one that was started last, else `~/epistle`) and `--json` (one document on stdout, diagnostics on stderr, never a prompt). All of them work with the',
    'gateway running or not. The exit code is 0 when all is well, 1 when a check failed or something was not found, 2 for a',
    'mistake in the command or the configuration, 3 when something waits for an approval, 5 when work failed for good.',
    ...entries.flatMap(sectionOf),
    '',
  ].join('\n');

const sectionOf = (entry: Entry): string[] =>
  'commands' in entry
    ? ['', `## ${entry.name}`, '', `${entry.summary}.`, ...entry.commands.flatMap(commandOf)]
    : ['', `## ${entry.name}`, ...commandOf(entry)];

function commandOf({ name, summary, arguments: args, options, examples }: Command): string[] {
  const words = args.map((one) => nameOf(one)).join(' ');
  const described = [
    ...args.flatMap((one) => (typeof one === 'string' ? [] : [`- \`${one[0]}\`: ${one[1]}`])),
    ...Object.values(options).map(optionOf),
  ];
  return [
    '',
    `\`epistle ${name}${words === '' ? '' : ` ${words}`}\`: ${summary}.`,
    ...(described.length > 0 ? ['', ...described] : []),
    ...(examples.length > 0
      ? ['', 'For example:', '', ...examples.map(([typed, about]) => `- \`epistle ${typed}\`: ${about}`)]
      : []),
  ];
}

const nameOf = (argument: Argument): string => (typeof argument === 'string' ? argument : argument[0]);

function optionOf({ flags, about, fallback, required, many }: Flag): string {
  const notes = [
    ...(required ? ['required'] : []),
    ...(many ? ['may be repeated'] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
  ];
  return `- \`${flags}\`: ${about}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}
