import { afterEach, describe, expect, it } from 'vitest';
import { defineTool, type GenerateRequest, type GenerateResponse, type HarnessProviderAdapter } from '#contract';
import { inPlainWords } from '../../../../engine/models/models.ts';
import { fromWire } from '../../../../extensions/providers/openai/from-wire.ts';
import { makeRig, type Rig } from '../rig.ts';

const open: Rig[] = [];
afterEach(async () => {
  for (const rig of open.splice(0)) await rig.close();
});

const made: unknown[] = [];
const save = defineTool({
  description: 'Saves',
  risk: 'create',
  scope: 'files:create',
  input: { type: 'object', properties: { path: { type: 'string' } } },
  run: (args) => {
    made.push(args);
    return 'saved';
  },
});
const TOOLS = [{ name: 'save', description: '', inputSchema: save.input as { type: 'object' } }];

const says = (content: string): GenerateResponse =>
  fromWire(
    { choices: [{ finish_reason: 'stop', message: { content } }] },
    { name: 'main', model: 'm1', turn: 0, tools: TOOLS },
  );

async function answered(texts: readonly string[], rig: Partial<Parameters<typeof makeRig>[0]> = {}) {
  const queue = texts.map(says);
  const made = await makeRig({ tools: { save }, models: () => queue.shift() ?? says('No more.'), ...rig });
  open.push(made);
  return { ...(await made.answer()), requests: made.requests };
}

describe('a text that begins or ends within the thinking of a model', () => {
  it('is no answer: the model is told, and what it then says is sent', async () => {
    const { run, text, requests } = await answered(['<think>\nShe wants ZIRKON, so', 'The total is 42.']);
    expect(run).toMatchObject({ outcome: 'final', model_calls: 2 });
    expect(text).toBe('The total is 42.');
    expect(JSON.stringify(requests[1]?.messages)).toContain('was not sent');
  });

  it('is sent to nobody, also where the model never does better', async () => {
    const { run, text } = await answered(['<think>\nZIRKON', 'Well.\n<tool_call>\n{"name": "save", "argu ZIRKON']);
    expect(run).toMatchObject({ outcome: 'partial', code: 'unparsable' });
    expect(text).not.toContain('ZIRKON');
  });
});

describe('a raw call in a text', () => {
  const raw = '<tool_call>\n{"name": "save", "arguments": {"path": "a"}}\n</tool_call>';

  it('is made as any other', async () => {
    made.length = 0;
    const { run, text } = await answered([raw, 'It is saved.']);
    expect(run).toMatchObject({ outcome: 'final', tool_calls: 1 });
    expect([made, text?.split('\n')[0]]).toEqual([[{ path: 'a' }], 'It is saved.']);
  });

  it('is refused as any other', async () => {
    made.length = 0;
    const { run } = await answered([raw, 'I may not.'], { persona: { tools: { deny: ['save'] } } });
    expect([made, run.outcome]).toEqual([[], 'partial']);
  });
});

describe('an adapter that does not look', () => {
  const response: Awaited<ReturnType<HarnessProviderAdapter['generate']>> = {
    text: '',
    toolCalls: [],
    finish: 'stop',
    reportedCostUsd: null,
    usage: { input: 1, output: 1, cached: 0, cacheWrite: 0 },
    providerParts: { provider: 'own', model: 'm1', data: 'as it came' },
  };
  const request: GenerateRequest = {
    model: 'm1',
    system: [],
    messages: [],
    tools: TOOLS,
    cacheKey: '',
    input: { text: '' },
    toolChoice: 'auto',
    maxOutputTokens: null,
    temperature: null,
  };

  it('has its text read by the engine, and its own message not sent back', () => {
    const read = inPlainWords({ ...response, text: '<think>hm, so it is</think>\n\nYes.' }, request);
    expect(read).toMatchObject({ text: 'Yes.', markup: 'read', providerParts: { provider: '', data: null } });
    expect(inPlainWords({ ...response, text: '<think>hm' }, request)).toMatchObject({ text: '', whole: false });
    const plain = { ...response, text: 'Yes.' };
    expect(inPlainWords(plain, request)).toBe(plain);
  });
});
