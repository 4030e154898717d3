import type { KnowledgeCapability, ResolverCapabilities, ResolverInput, ResolverMessage } from '#contract';

export const MESSAGE: ResolverMessage = {
  messageId: '<m1@example.com>',
  subject: 'Lunch',
  from: 'you@example.com',
  fromName: 'You',
  to: ['ada@agents.localhost'],
  cc: [],
  tier: 'owner',
  receivedAt: '2026-11-21T22:21:00.000Z',
  writtenAt: '2026-11-21T22:20:00.000Z',
  pieces: [{ kind: 'written', text: 'When do we meet?' }],
  newText: 'When do we meet?',
  quotedText: '',
  forwardedText: '',
  attachments: [],
  limitations: [],
  answers: null,
};

/** Where a test names only texts, they are its pieces. */
const withPieces = (message: ResolverMessage, pieces: ResolverMessage['pieces'] | undefined): ResolverMessage => ({
  ...message,
  pieces:
    pieces ??
    (
      [
        { kind: 'written', text: message.newText },
        { kind: 'forwarded', text: message.forwardedText },
        { kind: 'quoted', text: message.quotedText },
      ] as const
    ).filter(({ text }) => text !== ''),
});

/** An empty folder. */
export const noKnowledge: KnowledgeCapability = {
  whole: async () => ({ texts: [], files: 0, characters: 0, unread: [], unreadable: [] }),
  find: async () => [],
  read: async () => ({ sections: [], gone: [] }),
};

type Given = Partial<Omit<ResolverInput, 'message' | 'thread'>> & {
  message?: Partial<ResolverMessage>;
  thread?: Partial<ResolverInput['thread']>;
};

export function inputOf({ message, thread, ...given }: Given = {}): ResolverInput {
  return {
    argument: null,
    persona: {
      id: 'ada',
      name: 'Ada',
      address: 'ada@agents.localhost',
      timezone: 'Europe/Berlin',
      owners: ['you@example.com'],
    },
    thread: { id: 't1', kind: 'thread', messageCount: 1, isPrivate: false, ...thread },
    message: withPieces({ ...MESSAGE, ...message }, message?.pieces),
    unusable: [],
    tools: [],
    limits: [],
    budgetTokens: 20_000,
    config: {},
    secrets: {},
    ...given,
  };
}

/** A workspace as a map of paths; `asked` keeps which were read. */
export function workspace(
  files: Readonly<Record<string, string>>,
  history: { omitted?: number; memory?: string } = {},
) {
  const asked: string[] = [];
  const budgets: number[] = [];
  const capabilities: ResolverCapabilities = {
    async readFile(path) {
      asked.push(path);
      return files[path] ?? null;
    },
    async listFiles(path) {
      const inside = Object.keys(files).filter((name) => name.startsWith(`${path}/`));
      return inside.map((name) => name.slice(path.length + 1));
    },
    async history(budgetTokens) {
      budgets.push(budgetTokens);
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'earlier' }] }];
      return { messages, omitted: history.omitted ?? 0 };
    },
    search: async () => [],
    knowledge: noKnowledge,
    threadMemory: async () => history.memory ?? null,
  };
  return { asked, budgets, capabilities };
}
