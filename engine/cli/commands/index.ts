import type { Command, Group } from '../define.ts';

/**
 * Every command, in the order of the help text. Each brings its own rooms along, so only what is asked for is loaded;
 * what works a mail (`app/worker.ts`, the harness) a command loads when it comes to that, or each look would wait for it.
 */
const LOADERS: Readonly<Record<string, () => Promise<Command | Group>>> = {
  init: async () => (await import('./set-up/init.ts')).init,
  demo: async () => (await import('./set-up/demo.ts')).demo,
  start: async () => (await import('./gateway/start.ts')).start,
  status: async () => (await import('./gateway/status.ts')).status,
  doctor: async () => (await import('./gateway/doctor.ts')).doctor,
  send: async () => (await import('./mail/send.ts')).send,
  deliver: async () => (await import('./mail/deliver.ts')).deliver,
  chat: async () => (await import('./mail/chat.ts')).chat,
  why: async () => (await import('./mail/why.ts')).why,
  runs: async () => (await import('./runs/index.ts')).runs,
  threads: async () => (await import('./mail/threads.ts')).threads,
  tasks: async () => (await import('./owner/tasks.ts')).tasks,
  approvals: async () => (await import('./owner/approvals.ts')).approvals,
  audit: async () => (await import('./owner/audit.ts')).audit,
  outbox: async () => (await import('./mail/outbox.ts')).outbox,
  memory: async () => (await import('./mail/memory.ts')).memory,
  deadletters: async () => (await import('./mail/dead-letters.ts')).deadLetters,
  persona: async () => (await import('./set-up/persona.ts')).persona,
  mailbox: async () => (await import('./set-up/mailbox.ts')).mailbox,
  providers: async () => (await import('./set-up/providers.ts')).providers,
  extensions: async () => (await import('./set-up/extensions.ts')).extensions,
  usage: async () => (await import('./owner/usage.ts')).usage,
  version: async () => (await import('./gateway/version.ts')).version,
};

/** The one command that a command line names; all of them when it names none, for the help and the guess. */
export async function commandsFor(argv: readonly string[]): Promise<readonly (Command | Group)[]> {
  const named = argv.find((word, index) => !word.startsWith('-') && argv[index - 1] !== '--workspace');
  const only = named !== undefined && Object.hasOwn(LOADERS, named) ? LOADERS[named] : undefined;
  return Promise.all((only ? [only] : Object.values(LOADERS)).map((load) => load()));
}
