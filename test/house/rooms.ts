/**
 * The rooms of the engine, from the ground up, and what each may import besides itself, node: modules and its packages.
 * A room imports only rooms above it in this list, so no two can need each other. A room within a room has its own row.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  lib: ['contract'],
  languages: ['contract', 'lib'],
  'config/journal': ['contract', 'lib'],
  config: ['contract', 'lib', 'languages', 'config/journal'],
  'config/writing': ['contract', 'lib', 'config', 'config/journal'],
  storage: ['contract', 'lib'],
  'storage/search': ['storage'],
  'storage/sqlite/database': ['contract', 'lib', 'storage'],
  'storage/sqlite/gateway': ['contract', 'lib', 'storage', 'storage/sqlite/database'],
  'storage/sqlite/persona/schema': ['contract', 'lib', 'storage'],
  'storage/sqlite/arriving': ['contract', 'lib', 'storage', 'storage/sqlite/database', 'storage/sqlite/persona/schema'],
  'storage/sqlite/repositories': [
    'contract',
    'lib',
    'storage',
    'storage/search',
    'storage/sqlite/database',
    'storage/sqlite/persona/schema',
    'storage/sqlite/arriving',
  ],
  'storage/sqlite/search': [
    'contract',
    'lib',
    'storage',
    'storage/search',
    'storage/sqlite/database',
    'storage/sqlite/persona/schema',
    'storage/sqlite/repositories',
  ],
  'storage/sqlite/learning': [
    'contract',
    'lib',
    'storage',
    'storage/sqlite/database',
    'storage/sqlite/persona/schema',
    'storage/sqlite/repositories',
  ],
  'storage/sqlite/persona': [
    'contract',
    'lib',
    'storage',
    'storage/search',
    'storage/sqlite/database',
    'storage/sqlite/persona/schema',
    'storage/sqlite/arriving',
    'storage/sqlite/repositories',
    'storage/sqlite/search',
    'storage/sqlite/learning',
  ],
  'storage/sqlite': ['contract', 'lib', 'storage', 'storage/sqlite/persona'],
  'mail/text': ['contract', 'lib'],
  'mail/html': ['contract', 'lib', 'mail/text'],
  'mail/charset': [],
  'mail/mime': ['contract', 'lib', 'mail/text', 'mail/charset'],
  'mail/approval': ['contract', 'lib', 'mail/text', 'mail/mime'],
  'mail/reading': ['contract', 'lib', 'mail/text', 'mail/html', 'mail/charset', 'mail/mime', 'mail/approval'],
  'mail/pieces': ['contract', 'lib', 'mail/text', 'mail/mime', 'mail/approval'],
  'mail/identity': ['contract', 'lib', 'mail/mime'],
  mail: ['contract', 'lib', 'mail/text', 'mail/charset', 'mail/mime', 'mail/reading', 'mail/identity'],
  calendar: ['contract', 'lib'],
  'documents/pdf/tables': [],
  documents: [
    'contract',
    'lib',
    'calendar',
    'mail/text',
    'mail/html',
    'mail/charset',
    'mail/mime',
    'mail/approval',
    'mail/reading',
    'documents/pdf/tables',
  ],
  tables: ['contract', 'lib', 'mail/html', 'mail/mime', 'documents'],
  mailbox: ['contract', 'lib'],
  'mailbox/oauth': ['contract', 'lib', 'mailbox'],
  'mailbox/oauth/servers': ['contract', 'lib', 'config', 'mailbox', 'mailbox/oauth'],
  extensions: ['contract', 'lib', 'config', 'mailbox', 'mailbox/oauth/servers'],
  record: ['contract', 'lib', 'storage', 'languages'],
  suspensions: ['contract', 'lib', 'storage', 'mail/text', 'mail/mime', 'mail/approval', 'languages', 'record'],
  'models/answers': ['contract'],
  models: ['contract', 'lib', 'storage', 'extensions', 'record', 'models/answers'],
  'memory/facts': ['mail/pieces', 'contract', 'lib', 'storage', 'storage/search', 'languages', 'record', 'models'],
  policy: [
    'contract',
    'lib',
    'storage',
    'mail/text',
    'mail/mime',
    'mail/pieces',
    'mail',
    'extensions',
    'record',
    'suspensions',
  ],
  'memory/rules': ['contract', 'lib', 'storage', 'languages', 'mail/mime', 'memory/facts', 'policy'],
  learning: ['contract', 'lib', 'storage', 'extensions', 'record', 'models', 'policy'],
  'tools/observe': ['contract', 'lib', 'storage', 'record', 'suspensions', 'policy'],
  'memory/recall': ['contract', 'lib', 'storage', 'storage/search', 'policy'],
  'memory/active': ['contract', 'lib', 'storage', 'record'],
  'memory/threads': ['contract', 'lib', 'storage', 'record', 'models', 'policy'],
  'tools/files': ['contract', 'lib', 'storage', 'languages'],
  'tools/documents': ['contract', 'lib', 'storage', 'calendar', 'documents'],
  'tools/knowledge': ['contract', 'lib', 'storage', 'tools/documents'],
  'tools/calendar': [
    'contract',
    'lib',
    'storage',
    'calendar',
    'mail/mime',
    'mail',
    'languages',
    'policy',
    'tools/documents',
  ],
  'tools/shell': ['contract', 'lib', 'tools/files'],
  'tools/web': ['contract', 'lib', 'mail/html'],
  'tools/capabilities': [
    'contract',
    'lib',
    'storage',
    'storage/search',
    'mail/mime',
    'mail/pieces',
    'mail',
    'documents',
    'tables',
    'languages',
    'record',
    'models',
    'memory/active',
    'memory/facts',
    'memory/rules',
    'policy',
    'tools/observe',
    'tools/calendar',
    'tools/documents',
    'tools/web',
  ],
  tools: [
    'contract',
    'lib',
    'storage',
    'mail/mime',
    'documents',
    'languages',
    'extensions',
    'record',
    'suspensions',
    'models',
    'memory/rules',
    'policy',
    'learning',
    'tools/observe',
    'tools/files',
    'tools/documents',
    'tools/knowledge',
    'tools/calendar',
    'tools/shell',
    'tools/web',
    'tools/capabilities',
  ],
  'harness/evidence': ['contract', 'lib', 'languages', 'extensions', 'record', 'policy'],
  'harness/hooks': ['contract', 'lib', 'storage', 'extensions', 'record', 'policy', 'tools/capabilities'],
  'harness/loop': [
    'contract',
    'lib',
    'storage',
    'languages',
    'record',
    'suspensions',
    'models/answers',
    'models',
    'policy',
    'learning',
    'tools/observe',
    'tools',
    'harness/evidence',
  ],
  'harness/respond': [
    'contract',
    'lib',
    'storage',
    'mail/text',
    'mail/mime',
    'mail/reading',
    'mail',
    'languages',
    'extensions',
    'record',
    'suspensions',
    'models',
    'policy',
    'tools/observe',
    'harness/evidence',
    'harness/hooks',
    'harness/loop',
  ],
  'harness/context': [
    'mail/pieces',
    'contract',
    'lib',
    'storage',
    'mail/mime',
    'mail',
    'extensions',
    'record',
    'models',
    'memory/facts',
    'memory/rules',
    'policy',
    'learning',
    'memory/recall',
    'memory/active',
    'memory/threads',
    'tools/documents',
    'tools/calendar',
    'tools/capabilities',
    'harness/evidence',
    'harness/respond',
  ],
  'harness/replay': [
    'contract',
    'lib',
    'storage',
    'mail/mime',
    'extensions',
    'record',
    'suspensions',
    'policy',
    'learning',
    'tools/observe',
    'tools',
    'harness/loop',
    'harness/respond',
    'harness/context',
  ],
  harness: [
    'contract',
    'lib',
    'storage',
    'documents',
    'languages',
    'extensions',
    'record',
    'suspensions',
    'models',
    'memory/facts',
    'policy',
    'learning',
    'memory/threads',
    'tools/files',
    'tools/documents',
    'tools/calendar',
    'tools/knowledge',
    'tools',
    'harness/evidence',
    'harness/loop',
    'harness/respond',
    'harness/context',
  ],
  tasks: ['contract', 'lib', 'storage'],
  actions: [
    'contract',
    'lib',
    'config',
    'config/writing',
    'storage',
    'extensions',
    'record',
    'suspensions',
    'learning',
    'memory/active',
    'memory/facts',
    'memory/threads',
    'tools',
    'harness',
    'tasks',
  ],
  intake: [
    'mail/pieces',
    'contract',
    'lib',
    'storage',
    'calendar',
    'mail/text',
    'mail/mime',
    'mail/approval',
    'mail/reading',
    'mail/identity',
    'mail',
    'documents',
    'languages',
    'record',
    'suspensions',
    'policy',
    'tools/calendar',
    'tools',
    'actions',
  ],
  dispatch: [
    'contract',
    'lib',
    'storage',
    'mail',
    'languages',
    'record',
    'models',
    'harness/respond',
    'harness',
    'tasks',
    'actions',
  ],
  gateway: ['contract', 'lib', 'storage', 'mail/mime', 'mailbox', 'intake'],
  'delivery/transport': ['contract', 'lib', 'mailbox'],
  delivery: [
    'mail/pieces',
    'contract',
    'lib',
    'storage',
    'mail/text',
    'mail/mime',
    'mail',
    'languages',
    'mailbox',
    'record',
    'suspensions',
    'delivery/transport',
  ],
  queries: [
    'mail/pieces',
    'contract',
    'lib',
    'config',
    'storage',
    'mail/mime',
    'mail/identity',
    'mailbox/oauth',
    'mailbox/oauth/servers',
    'extensions',
    'record',
    'suspensions',
    'policy',
    'learning',
    'memory/threads',
    'tools/calendar',
    'tools/capabilities',
    'harness/replay',
  ],
  'queries/gateway': [
    'contract',
    'lib',
    'config',
    'config/writing',
    'storage',
    'mailbox',
    'mailbox/oauth',
    'extensions',
    'record',
    'models',
    'gateway',
    'delivery',
    'queries',
  ],
  'queries/tasks': [
    'contract',
    'lib',
    'config',
    'storage',
    'models',
    'tools',
    'harness/context',
    'tasks',
    'queries',
    'queries/gateway',
  ],
  'queries/doctor': [
    'lib',
    'config',
    'storage',
    'mail/identity',
    'mailbox/oauth',
    'extensions',
    'record',
    'models',
    'learning',
    'harness/loop',
    'queries',
    'queries/gateway',
  ],
  console: ['contract', 'lib', 'storage', 'actions'],
  backup: [
    'contract',
    'lib',
    'config',
    'config/journal',
    'storage',
    'storage/sqlite/database',
    'storage/sqlite/gateway',
    'storage/sqlite/persona/schema',
    'storage/sqlite/persona',
    'storage/sqlite',
  ],
  service: ['lib'],
};

/** Where everything is put together: these may import every room. */
export const COMPOSITION: readonly string[] = ['app', 'cli', 'app.ts', 'workspace.ts'];

/**
 * The rooms inside the command line, from the ground up. Each may import every room of the engine; of the rooms of the
 * command line only these, so that no command needs the program that runs it.
 */
export const COMMAND_LINE: Readonly<Record<string, readonly string[]>> = {
  'cli/text': [],
  'cli/command': ['cli/text'],
  'cli/submit': [],
  'cli/trial': [],
  'cli/commands/backup': ['cli/text', 'cli/command'],
  'cli/commands/service': ['cli/command'],
  'cli/commands/mail': ['cli/text', 'cli/command', 'cli/submit'],
  'cli/commands/memory': ['cli/text', 'cli/command'],
  'cli/commands/owner': ['cli/text', 'cli/command'],
  'cli/commands/reference': ['cli/text', 'cli/command'],
  'cli/commands/runs': ['cli/text', 'cli/command'],
  'cli/commands/tasks': ['cli/text', 'cli/command', 'cli/submit'],
  'cli/commands/set-up': [
    'cli/text',
    'cli/command',
    'cli/submit',
    'cli/commands/mail',
    'cli/commands/reference',
    'cli/trial',
  ],
  'cli/commands/setup': ['cli/text', 'cli/command', 'cli/commands/set-up', 'cli/trial'],
  'cli/commands/mailbox': ['cli/text', 'cli/command', 'cli/commands/setup', 'cli/trial'],
  'cli/commands/gateway': ['cli/text', 'cli/command', 'cli/commands/set-up'],
};

export interface Import {
  /** The importing file, from the root of the repository. */
  readonly from: string;
  readonly specifier: string;
  /** The imported file from the root, for a relative import or the contract's name; else undefined. */
  readonly to: string | undefined;
  readonly isType: boolean;
}

const FROM_INNERMOST = Object.keys({ ...ROOMS, ...COMMAND_LINE }).sort((a, b) => b.length - a.length);

/** The innermost room of a file of the engine; of what is no room, the first folder or the file. */
export function roomOf(path: string): string {
  const inside = path.slice('engine/'.length);
  return FROM_INNERMOST.find((room) => inside.startsWith(`${room}/`)) ?? inside.split('/')[0] ?? '';
}

/** `extensions/tools/shell` of `extensions/tools/shell/run/index.ts`. */
const extensionOf = (path: string): string => path.split('/').slice(0, 3).join('/');

function contractViolation({ from, specifier, to }: Import): string | undefined {
  if (specifier === 'zod' || to?.startsWith('engine/contract/')) return undefined;
  // What adapters of model vendors share speaks HTTP itself.
  if (specifier.startsWith('node:') && from.startsWith('engine/contract/http/')) return undefined;
  return 'the contract imports zod and its own files';
}

function extensionViolation({ from, to }: Import): string | undefined {
  if (to === undefined || CONTRACT.includes(to) || extensionOf(to) === extensionOf(from)) return undefined;
  return 'an extension imports #contract, #contract/http, its own files and its packages';
}

/** What everybody else may import of the contract: what an extension is, and what adapters of model vendors share. */
const CONTRACT: readonly string[] = ['engine/contract/index.ts', 'engine/contract/http/index.ts'];

function engineViolation({ from, to, specifier, isType }: Import): string | undefined {
  if (to === undefined) return undefined;
  if (!to.startsWith('engine/')) return 'the engine imports nothing outside itself';
  const [room, target] = [roomOf(from), roomOf(to)];
  if (target === 'contract')
    return specifier.startsWith('#contract') ? undefined : 'the contract is imported as #contract';
  if (target === room || COMPOSITION.includes(room)) return undefined;
  const beside = COMMAND_LINE[room];
  if (beside)
    return roomIsOfCommandLine(target) && !beside.includes(target) ? `${room} may not import ${target}` : undefined;
  if (isType && to === 'engine/config/types.ts') return undefined;
  if (room === 'gateway' && target === 'dispatch' && to !== 'engine/intake/accept.ts') {
    return 'the gateway knows one door of dispatch: accept.ts';
  }
  return ROOMS[room]?.includes(target) ? undefined : `${room} may not import ${target}`;
}

const roomIsOfCommandLine = (room: string): boolean => room === 'cli' || Object.hasOwn(COMMAND_LINE, room);

/** Why an import breaks the table; undefined when it does not. */
export function violation(found: Import): string | undefined {
  if (found.from.startsWith('extensions/')) return extensionViolation(found);
  if (found.from.startsWith('engine/contract/')) return contractViolation(found);
  return engineViolation(found);
}
