import type { Register } from '../command.ts';

/**
 * Every command, in the order of the help text. Each brings its own rooms along, so only what is asked for is loaded;
 * what works a mail (`app.ts`, the harness) a command loads when it comes to that, or each look would wait for it.
 */
const LOADERS: Readonly<Record<string, () => Promise<Register>>> = {
  init: async () => (await import('./init.ts')).initCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  start: async () => (await import('./start.ts')).startCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  send: async () => (await import('./send.ts')).sendCommand,
  deliver: async () => (await import('./deliver.ts')).deliverCommand,
  chat: async () => (await import('./chat.ts')).chatCommand,
  why: async () => (await import('./why.ts')).whyCommand,
  runs: async () => (await import('./runs.ts')).runsCommand,
  threads: async () => (await import('./threads.ts')).threadsCommand,
  tasks: async () => (await import('./tasks.ts')).tasksCommand,
  approvals: async () => (await import('./approvals.ts')).approvalsCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
  outbox: async () => (await import('./outbox.ts')).outboxCommand,
  deadletters: async () => (await import('./dead-letters.ts')).deadLettersCommand,
  persona: async () => (await import('./persona.ts')).personaCommand,
  mailbox: async () => (await import('./mailbox.ts')).mailboxCommand,
  providers: async () => (await import('./providers.ts')).providersCommand,
  extensions: async () => (await import('./extensions.ts')).extensionsCommand,
  usage: async () => (await import('./usage.ts')).usageCommand,
  version: async () => (await import('./version.ts')).versionCommand,
};

/** The one command that a command line names; all of them when it names none, for the help and the guess. */
export async function commandsFor(argv: readonly string[]): Promise<readonly Register[]> {
  const named = argv.find((word, index) => !word.startsWith('-') && argv[index - 1] !== '--workspace');
  const only = named !== undefined && Object.hasOwn(LOADERS, named) ? LOADERS[named] : undefined;
  return Promise.all((only ? [only] : Object.values(LOADERS)).map((load) => load()));
}
