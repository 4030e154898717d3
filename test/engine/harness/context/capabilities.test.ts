import { expect, it } from 'vitest';
import type { ResolverCapabilityName, ResolverDefinition } from '#contract';
import { createRegistry } from '../../../../engine/extensions/registry.ts';
import { resolveContext } from '../../../../engine/harness/context/pipeline.ts';
import { inputOf, workspace } from '../../../extensions/resolvers/input.ts';

function resolve(definition: ResolverDefinition, asked?: readonly ResolverCapabilityName[]) {
  const manifest = {
    name: 'one',
    kind: 'resolver',
    api: 1,
    summary: 'one',
    entry: 'index.ts',
    secrets: {},
    config: {},
  };
  const registered = {
    name: 'one',
    definition,
    config: {},
    secrets: () => ({}),
    manifest: { ...manifest, capabilities: asked },
  };
  const { capabilities } = workspace({ 'a.md': 'A' });
  const found = [
    {
      message_id: '<m9@x.example>',
      thread_id: 't9',
      direction: 'in' as const,
      from: 'mia@x.example',
      subject: 'Lunch',
      date: '2026-11-20T12:00:00.000Z',
      snippet: 'with Bearer abcdefgh',
    },
  ];
  return resolveContext({
    calls: [{ name: 'one', argument: null }],
    resolvers: createRegistry([registered as never]),
    input: inputOf(),
    capabilities: { ...capabilities, search: async () => found },
    began: { at: 0, now: () => 0 },
  });
}

const keys: ResolverDefinition = {
  resolve: (_, given) => ({ slot: 'volatile', text: Object.keys(given).sort().join(' ') }),
};

it('hands a resolver what it always had, and search where its manifest asks for it', async () => {
  expect((await resolve(keys)).metadata).toEqual(['history listFiles readFile']);
  expect((await resolve(keys, ['search'])).metadata).toEqual(['history listFiles readFile search']);
});

it('hands one that says what it uses nothing else', async () => {
  expect((await resolve({ ...keys, uses: ['history'] }, ['history'])).metadata).toEqual(['history']);
});

const searching = (slot: 'stable' | 'volatile'): ResolverDefinition => ({
  uses: ['search'],
  resolve: async ({ message }, { search }) => ({
    slot,
    text: JSON.stringify(await search({ query: message.subject, limit: 3 })),
  }),
});

it('lets one search, with keys hidden', async () => {
  const { metadata } = await resolve(searching('volatile'), ['search']);
  expect(metadata[0]).toContain('<m9@x.example>');
  expect(metadata[0]).toContain('[REDACTED]');
  expect(metadata[0]).not.toContain('Bearer');
});

it('keeps what a search found out of the part of the prompt that is trusted', async () => {
  const context = await resolve(searching('stable'), ['search']);
  expect(context.systemSections).toEqual([]);
  expect(context.limitations).toEqual(['The context part "one" could not be loaded.']);
});
