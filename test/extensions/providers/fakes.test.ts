import { describe, expect, it } from 'vitest';
import type { GenerateResponse, Json, ModelMessage, ToolResult } from '#contract';
import type { Turn } from '../../fakes/model-script.ts';
import { startFakeModel, type VendorName } from '../../fakes/model-server.ts';
import { adapterOf, never, requestTo, user } from './adapter.ts';

const WIRES: { wire: VendorName; provider: string; model?: string }[] = [
  { wire: 'openai', provider: 'openai' },
  { wire: 'openai-responses', provider: 'openai', model: 'gpt-6.1-sol' },
  { wire: 'anthropic', provider: 'anthropic' },
  { wire: 'gemini', provider: 'gemini' },
];

/** What a vendor would answer to an engine that does not keep the protocol: the fakes must be as strict. */
describe.each(WIRES)('a request that $wire would refuse', ({ wire, provider, model }) => {
  const request = (messages = [user('x')]) => requestTo(provider, { messages, ...(model !== undefined && { model }) });
  type Broken = (first: GenerateResponse) => { results?: ToolResult[]; parts?: (data: string) => string };

  async function outcomeOf(broken: Broken) {
    const script: Turn[] = [
      { thinking: 'Deep.', calls: [{ name: 'list_files' }, { name: 'read_file' }] },
      { text: 'ok' },
    ];
    const fake = await startFakeModel(wire, script);
    const adapter = await adapterOf(provider, { base_url: fake.baseUrl });
    const first = await adapter.generate(request(), never());
    const { results = answers(first), parts = (data: string) => data } = broken(first);
    const data: Json = JSON.parse(parts(JSON.stringify(first.providerParts.data)));
    const messages: ModelMessage[] = [
      user('x'),
      {
        role: 'assistant',
        text: first.text,
        toolCalls: first.toolCalls,
        providerParts: { ...first.providerParts, data },
      },
      { role: 'tool', results },
    ];
    const second = adapter.generate(request(messages), never());
    const outcome = await second.then(({ text }) => text).catch((error: unknown) => error);
    await fake.stop();
    return outcome;
  }

  const answers = (first: GenerateResponse): ToolResult[] =>
    first.toolCalls.map(({ id, name }) => ({ callId: id, name, content: '{"ok":true}', isError: false }));

  it('is accepted when it is right', async () => {
    expect(await outcomeOf(() => ({}))).toBe('ok');
  });

  it.each<[string, Broken]>([
    ['lacks the result of a call', (first) => ({ results: answers(first).slice(1) })],
    [
      'answers a call that was never made',
      (first) => ({ results: answers(first).map((result) => ({ ...result, callId: `${result.callId}x` })) }),
    ],
    [
      'alters the thinking or its signature',
      () => ({ parts: (data) => data.replaceAll(/Deep\.|c2lnbmF0dXJl|RGVlc/g, 'Xx') }),
    ],
  ])('is refused when it %s', async (_what, broken) => {
    expect(await outcomeOf(broken)).toMatchObject({ code: 'bad_request', retry: 'never' });
  });
});

describe('a scripted model', () => {
  it('can answer by what it is asked', async () => {
    const fake = await startFakeModel('gemini', ({ view }, count) => ({ text: `${count}: ${view.lastUser}` }));
    const adapter = await adapterOf('gemini', { base_url: fake.baseUrl });
    expect((await adapter.generate(requestTo('gemini', { messages: [user('one')] }), never())).text).toBe('1: one');
    await fake.stop();
  });
});
