import type { Command, Group } from '../command/define.ts';

type Entry = Command | Group;

/** What a person needs from day to day, in the order of a first week. */
const EVERY_DAY = [
  ...['setup', 'start', 'stop', 'status', 'doctor', 'logs', 'send', 'mail', 'why', 'approvals', 'persona'],
];

/** All else that is shown, by what it is for; `help` and the name of a group shows it. */
const GROUPS: Readonly<Record<string, { readonly about: string; readonly commands: readonly string[] }>> = {
  trouble: {
    about: 'when something is wrong',
    commands: ['outbox', 'senders', 'deadletters', 'runs', 'threads', 'audit', 'providers', 'restart'],
  },
  upkeep: {
    about: 'now and then',
    commands: [
      ...['mailbox', 'tasks', 'rules', 'memory', 'invitations', 'usage', 'config', 'backup', 'service', 'update'],
      ...['console', 'passkeys', 'uninstall', 'demo', 'chat'],
    ],
  },
  developers: {
    about: 'for those who build on it',
    commands: ['deliver', 'learn', 'extensions', 'completion'],
  },
};

/** In place of a summary that does not stand in a line. */
const IN_SHORT: Readonly<Record<string, string>> = {
  setup: 'From nothing to a mailbox whose mail is answered',
  start: 'Run the gateway: take in mail and answer it',
  stop: 'End the gateway of this workspace',
  logs: 'What the gateway has logged',
  send: 'Write a mail to a persona',
  restart: 'End the gateway and start it anew',
  console: 'A link to look at everything in a browser',
  update: 'Whether there is a newer version',
  uninstall: 'What there is of Epistle here, and how to remove it',
  demo: 'A guided show: no account, no key',
  chat: 'Write to a persona line by line',
  completion: 'Let a shell complete commands and options',
};

/** They work, and another says the same: `init` is a part of `setup`, and `version` is `--version`. */
export const NOT_SHOWN: readonly string[] = ['init', 'version'];

/** What of the help is asked for; null: this is another command line. */
export type Section = 'every day' | 'all' | string;

/** Pure. Which part of the overview a command line asks for; null where it asks for something else. */
export function sectionAskedFor(argv: readonly string[]): Section | null {
  const words = argv.filter((word) => word !== '--json');
  const [first, second] = words;
  if (words.length === 0) return 'every day';
  if (first !== 'help' && first !== '--help' && first !== '-h') return null;
  if (second === undefined) return 'every day';
  if (second === '--all') return 'all';
  return Object.hasOwn(GROUPS, second) ? second : null;
}

/** Pure. The overview of the commands. `typed`: a command as it is typed here. */
export function overview(section: Section, entries: readonly Entry[], typed: (words: string) => string): string {
  const group = Object.hasOwn(GROUPS, section) ? GROUPS[section] : undefined;
  const lines = (names: readonly string[]) => names.flatMap((name) => lineOf(entries.find((one) => one.name === name)));
  const all = section === 'all';
  return [
    `Usage: ${typed('<command>')} [options]`,
    ...(group === undefined
      ? ['Every day:', ...lines(EVERY_DAY)]
      : [`${sentence(group.about)}:`, ...lines(group.commands)]),
    ...(all
      ? Object.values(GROUPS).flatMap(({ about, commands }) => ['', `${sentence(about)}:`, ...lines(commands)])
      : []),
    ...(section === 'every day'
      ? [
          '',
          'More:',
          ...Object.entries(GROUPS).map(([name, { about }]) => row(`help ${name}`, about)),
          row('help --all', 'every command'),
        ]
      : []),
    '',
    row('<command> --help', 'what a command takes, with examples'),
    row('--workspace <dir>', 'another workspace than that of this folder'),
    row('--json', 'one JSON document on stdout'),
    row('--version', 'print the version'),
    '',
  ].join('\n');
}

const WIDTH = 19;
const row = (left: string, about: string): string => `  ${left.padEnd(WIDTH)}${about}`;
const sentence = (about: string): string => about.charAt(0).toUpperCase() + about.slice(1);

const lineOf = (entry: Entry | undefined): readonly string[] =>
  entry === undefined ? [] : [row(entry.name, IN_SHORT[entry.name] ?? entry.summary)];
