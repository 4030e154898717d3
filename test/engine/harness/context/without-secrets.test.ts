import { expect, it } from 'vitest';
import type { ResolverInput } from '#contract';
import { createRegistry } from '../../../../engine/extensions/registry.ts';
import { resolveContext } from '../../../../engine/harness/context/pipeline.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { noKnowledge } from '../../../extensions/resolvers/input.ts';

const SECRET = 'Bearer abc';
const message: ResolverInput['message'] = {
  messageId: '<1@x.example>',
  subject: SECRET,
  from: SECRET,
  fromName: SECRET,
  to: [],
  cc: [],
  tier: 'member',
  receivedAt: '2026-11-21T12:00:00Z',
  writtenAt: null,
  pieces: [
    { kind: 'written', text: `new -----BEGIN PRIVATE KEY-----\nMIIE` },
    { kind: 'quoted', text: `MIIE -----END PRIVATE KEY----- ${SECRET}` },
    { kind: 'forwarded', text: SECRET },
  ],
  newText: `new -----BEGIN PRIVATE KEY-----\nMIIE`,
  quotedText: `MIIE -----END PRIVATE KEY----- ${SECRET}`,
  forwardedText: SECRET,
  attachments: [`[attachment a1] ${SECRET}.txt, text/plain, 1 bytes`],
  limitations: [SECRET],
  answers: SECRET,
};

it('gives no resolver a key to leak, whoever wrote the resolver', async () => {
  const seen: string[] = [];
  const curious = {
    definition: {
      async resolve(input: ResolverInput, { readFile }: { readFile(path: string): Promise<string | null> }) {
        seen.push(JSON.stringify(input.message), (await readFile('notes.md')) ?? '', String(await readFile('none.md')));
        return { slot: 'volatile' as const, text: input.message.newText };
      },
    },
    config: {},
    secrets: () => ({}),
  };
  const context = await resolveContext({
    calls: [{ name: 'curious', argument: null }],
    resolvers: createRegistry([
      { kind: 'resolver', name: 'curious', manifest: {}, log: silentLog, ...curious } as never,
    ]),
    input: {
      persona: { id: 'ada', name: 'Ada', address: 'ada@agents.localhost', timezone: 'UTC', owners: [] },
      thread: { id: 't', kind: 'thread', messageCount: 1, isPrivate: false },
      message,
      unusable: [],
      tools: [],
      limits: [],
      budgetTokens: 1000,
    },
    began: { at: 0, now: () => 0 },
    capabilities: {
      readFile: async (path) => (path === 'notes.md' ? `a note with ${SECRET}` : null),
      listFiles: async () => [],
      history: async () => ({ messages: [], omitted: 0 }),
      search: async () => [],
      knowledge: noKnowledge,
      threadMemory: async () => null,
    },
  });
  expect(seen.join('\n')).not.toMatch(/Bearer|MIIE\b.*BEGIN/);
  expect(seen[0]?.match(/\[REDACTED\]/g)).toHaveLength(13);
  expect(seen[1]).toBe('a note with [REDACTED]');
  expect(seen[2]).toBe('null');
  expect(context.metadata).toEqual(['new [REDACTED]']);
});
