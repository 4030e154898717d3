import type { Command, Group } from '../command/define.ts';

/**
 * Every command, in the order of the help text. Each brings its own rooms along, so only what is asked for is loaded;
 * what works a mail (`app/worker.ts`, the harness) a command loads when it comes to that, or each look would wait for it.
 */
const LOADERS: Readonly<Record<string, () => Promise<Command | Group>>> = {
  setup: async () => (await import('./setup/index.ts')).setup,
  init: async () => (await import('./set-up/init.ts')).init,
  demo: async () => (await import('./set-up/demo.ts')).demo,
  start: async () => (await import('./gateway/start.ts')).start,
  stop: async () => (await import('./gateway/stop.ts')).stop,
  restart: async () => (await import('./gateway/restart.ts')).restart,
  status: async () => (await import('./gateway/status.ts')).status,
  console: async () => (await import('./gateway/console.ts')).console,
  passkeys: async () => (await import('./gateway/passkeys.ts')).passkeys,
  doctor: async () => (await import('./gateway/doctor.ts')).doctor,
  logs: async () => (await import('./gateway/logs.ts')).logs,
  send: async () => (await import('./mail/send.ts')).send,
  deliver: async () => (await import('./mail/deliver.ts')).deliver,
  chat: async () => (await import('./mail/chat.ts')).chat,
  mail: async () => (await import('./mail/received.ts')).mail,
  senders: async () => (await import('./mail/senders.ts')).senders,
  why: async () => (await import('./mail/why.ts')).why,
  runs: async () => (await import('./runs/index.ts')).runs,
  threads: async () => (await import('./mail/threads.ts')).threads,
  tasks: async () => (await import('./tasks/index.ts')).tasks,
  approvals: async () => (await import('./owner/approvals.ts')).approvals,
  invitations: async () => (await import('./mail/invitations.ts')).invitations,
  audit: async () => (await import('./owner/audit.ts')).audit,
  outbox: async () => (await import('./mail/outbox.ts')).outbox,
  memory: async () => (await import('./memory/index.ts')).memory,
  rules: async () => (await import('./memory/rules.ts')).rules,
  learn: async () => (await import('./learn/index.ts')).learn,
  deadletters: async () => (await import('./mail/dead-letters.ts')).deadLetters,
  persona: async () => (await import('./set-up/persona.ts')).persona,
  mailbox: async () => (await import('./mailbox/index.ts')).mailbox,
  providers: async () => (await import('./set-up/providers.ts')).providers,
  extensions: async () => (await import('./set-up/extensions.ts')).extensions,
  usage: async () => (await import('./owner/usage.ts')).usage,
  backup: async () => (await import('./backup/index.ts')).backup,
  service: async () => (await import('./service/index.ts')).service,
  uninstall: async () => (await import('./service/uninstall.ts')).uninstall,
  update: async () => (await import('./service/update.ts')).update,
  config: async () => (await import('./reference/config.ts')).config,
  completion: async () => (await import('./reference/completion.ts')).completionOf(() => commandsFor([])),
  version: async () => (await import('./gateway/version.ts')).version,
};

/** Groups are plural or singular as their commands read best; who types the other means the same. */
const ALSO: Readonly<Record<string, string>> = {
  run: 'runs',
  thread: 'threads',
  task: 'tasks',
  approval: 'approvals',
  sender: 'senders',
  mails: 'mail',
  invitation: 'invitations',
  provider: 'providers',
  extension: 'extensions',
  deadletter: 'deadletters',
  passkey: 'passkeys',
  personas: 'persona',
  mailboxes: 'mailbox',
  backups: 'backup',
};

/** The command line with the name of its command as it is listed. */
export function asListed(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((word, index) => !word.startsWith('-') && argv[index - 1] !== '--workspace');
  const named = argv[at];
  const listed = named !== undefined && Object.hasOwn(ALSO, named) ? ALSO[named] : undefined;
  return listed === undefined ? argv : argv.with(at, listed);
}

/** The one command that a command line names; all of them when it names none, for the help and the guess; none for the version. */
export async function commandsFor(argv: readonly string[]): Promise<readonly (Command | Group)[]> {
  const named = argv.find((word, index) => !word.startsWith('-') && argv[index - 1] !== '--workspace');
  if (named === undefined && argv.some((word) => word === '--version' || word === '-V')) return [];
  const only = named !== undefined && Object.hasOwn(LOADERS, named) ? LOADERS[named] : undefined;
  return Promise.all((only ? [only] : Object.values(LOADERS)).map((load) => load()));
}

/**
 * Pure. One way to name a persona everywhere: `--persona ada` where a command takes it as an argument, and the other way
 * round. `entries`: the command or group of this command line, alone.
 */
export function withPersonaNamed(argv: readonly string[], entries: readonly (Command | Group)[]): readonly string[] {
  const [entry, ...others] = entries;
  const at = argv.findIndex((word, index) => !word.startsWith('-') && argv[index - 1] !== '--workspace');
  if (entry === undefined || others.length > 0 || argv.includes('--')) return argv;
  const end = 'commands' in entry ? at + 2 : at + 1;
  const name = argv.slice(at, end).join(' ');
  const command = 'commands' in entry ? entry.commands.find((one) => one.name === name) : entry;
  if (!command) return argv;
  const [first] = command.arguments.map((one) => (typeof one === 'string' ? one : one[0]).slice(1, -1));
  const takesFirst = first === 'persona' || (name.startsWith('persona ') && first === 'id');
  const hasOption = Object.hasOwn(command.options, 'persona');
  const given = argv.indexOf('--persona', end);
  const value = argv[given + 1];
  if (takesFirst && !hasOption && given > 0 && value !== undefined) {
    return [...argv.slice(0, end), value, ...argv.slice(end, given), ...argv.slice(given + 2)];
  }
  const word = argv[end];
  // Only where a word in this place could mean nothing else.
  if (hasOption && command.arguments.length === 0 && given < 0 && word !== undefined && !word.startsWith('-')) {
    return [...argv.slice(0, end), '--persona', word, ...argv.slice(end + 1)];
  }
  return argv;
}
