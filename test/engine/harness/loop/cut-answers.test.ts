import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineTool, type GenerateResponse } from '#contract';
import { goneOnWith } from '../../../../engine/record/gone-on.ts';
import { fromWire as fromAnthropic } from '../../../../extensions/providers/anthropic/from-wire.ts';
import { fromWire as fromGemini } from '../../../../extensions/providers/gemini/from-wire.ts';
import { fromWire as fromChat } from '../../../../extensions/providers/openai/from-wire.ts';
import { responseFromWire } from '../../../../extensions/providers/openai/response-from-wire.ts';
import { SIZE } from '../../../size.ts';
import { makeRig, type Rig } from '../rig.ts';

const ABOUT = { name: 'main', model: 'm1', turn: 0 };
const CUT = SIZE >= 20 ? 500 : 60;

/** Ends that no vendor calls a good one: those that they name, and words that nobody knows. */
const badEnd = fc.oneof(
  fc.constantFrom('length', 'max_tokens', 'MAX_TOKENS', 'error', 'abort', 'insufficient_system_resource', 'pause_turn'),
  fc.constantFrom('model_context_window_exceeded', 'OTHER', 'cancelled', 'incomplete', 'eos-token', 'STOPPED', ''),
  fc.string({ minLength: 3, maxLength: 12 }).map((text) => `x${text}`),
);
const argument = fc.record({ path: fc.string({ maxLength: 12 }), content: fc.string({ maxLength: 40 }) });
const calls = fc.array(argument, { minLength: 1, maxLength: 3 });
const text = fc.string({ maxLength: 30 });

type Cut = { end: string | null; given: readonly { path: string; content: string }[]; text: string };

/** The same answer in each wire form, with arguments that can be parsed. */
const WIRES: readonly ((cut: Cut) => GenerateResponse)[] = [
  ({ end, given, text: content }) => {
    const tool_calls = given.map((args, index) => ({
      id: `c${index}`,
      type: 'function',
      function: { name: 'save', arguments: JSON.stringify(args) },
    }));
    return fromChat({ choices: [{ finish_reason: end, message: { content, tool_calls } }] }, ABOUT);
  },
  ({ end, given, text: said }) => {
    const output = [
      { type: 'message', content: [{ type: 'output_text', text: said }] },
      ...given.map((args, index) => ({
        type: 'function_call',
        call_id: `c${index}`,
        name: 'save',
        arguments: JSON.stringify(args),
      })),
    ];
    const status = end === null ? null : 'incomplete';
    return responseFromWire({ status, incomplete_details: { reason: end }, output }, ABOUT);
  },
  ({ end, given, text: said }) => {
    const content = [
      { type: 'text', text: said },
      ...given.map((input, index) => ({ type: 'tool_use', id: `c${index}`, name: 'save', input })),
    ];
    return fromAnthropic({ content, stop_reason: end }, ABOUT);
  },
  ({ end, given, text: said }) => {
    const parts = [{ text: said }, ...given.map((args) => ({ functionCall: { name: 'save', args } }))];
    return fromGemini({ candidates: [{ ...(end === null ? {} : { finishReason: end }), content: { parts } }] }, ABOUT);
  },
];
const anyCut = fc
  .record({ wire: fc.nat({ max: WIRES.length - 1 }), end: fc.option(badEnd, { freq: 6 }), given: calls, text })
  .map(({ wire, ...cut }) => WIRES[wire]?.(cut));

describe('an answer that is not whole', () => {
  const made: string[] = [];
  const queue: GenerateResponse[] = [];
  let rig: Rig;
  const asked = { mails: 0 };
  /** Each of somebody else, and an hour later: so many mails at once would be a loop. */
  const ask = () => {
    rig.time.now += 3_600_000;
    asked.mails += 1;
    return rig.answer({ from: `m${asked.mails}@member.example` });
  };
  beforeAll(async () => {
    const save = defineTool({
      description: 'Saves',
      risk: 'create',
      scope: 'files:create',
      input: { type: 'object' },
      run: () => {
        made.push('save');
        return 'saved';
      },
    });
    rig = await makeRig({ tools: { save }, models: () => queue.shift() ?? { text: 'That is all.' } });
  });
  afterAll(() => rig.close());

  it(`has none of its calls made, however it ended and in whatever wire form: ${CUT} answers`, async () => {
    const answers = fc.sample(anyCut, { numRuns: CUT, seed: 29_11_2026 }).flatMap((one) => one ?? []);
    expect(answers.map(({ whole }) => whole)).toEqual(Array.from({ length: CUT }, () => false));
    const refused = answers.filter(({ finish }) => finish === 'refusal').length;
    queue.push(...answers);
    for (let mail = 0; queue.length > 0 && mail <= CUT; mail += 1) await ask();
    expect([queue.length, made.length, refused]).toEqual([0, 0, 0]);
  });

  it('is made as it was meant when it is whole', async () => {
    queue.push({ ...complete, toolCalls: [{ id: 'c1', name: 'save', arguments: {} }], finish: 'tool_calls' });
    await ask();
    expect(made).toEqual(['save']);
  });

  it('is gone on with where it ended, and is one text', async () => {
    queue.push(
      { ...complete, text: 'The offer comes on Mon', finish: 'length' },
      { ...complete, text: 'day, at nine.' },
    );
    const { run, text: sent } = await ask();
    expect(run).toMatchObject({ outcome: 'final', model_calls: 2 });
    expect(sent).toBe('The offer comes on Monday, at nine.');
  });

  it.each([
    ['Run:\n```sh\nls -', 'l\n```\nIt lists all.', 'Run:\n```sh\nls -l\n```\nIt lists all.'],
    ['Run:\n```sh\nls -l', '```', 'Run:\n```sh\nls -l\n```'],
    ['Run:\n```sh\nls -l', '', 'Run:\n```sh\nls -l\n```'],
    ['Run:\n```sh\nls -l', 'Run:\n```sh\nls -l', 'Run:\n```sh\nls -l\n```'],
    ['| a | b |\n|---|---|\n| 1 | tw', 'o |', '| a | b |\n|---|---|\n| 1 | two |'],
  ])(
    'is gone on with where it ends within code or a row, though its vendor calls it whole: %j, %j',
    async (...said) => {
      const [first, next, whole] = said;
      queue.push({ ...complete, text: first }, { ...complete, text: next });
      const { run, text: sent } = await ask();
      expect(run).toMatchObject({ outcome: 'final', code: null, model_calls: 2 });
      expect(sent).toBe(whole);
    },
  );

  it('is sent with its fence closed where it stays open', async () => {
    queue.push(
      ...['```sh\none\n', 'two\n', 'three'].map((part) => ({ ...complete, text: part })),
      ...[{ ...complete, text: 'Never asked for.' }],
    );
    const { run, text: sent } = await ask();
    expect(run).toMatchObject({ outcome: 'partial', code: 'cut_off', model_calls: 3 });
    expect(sent).toBe('This answer is not complete: it broke off while it was written.\n\n```sh\none\ntwo\nthree\n```');
    queue.length = 0;
  });
});

const complete: GenerateResponse = {
  text: '',
  toolCalls: [],
  finish: 'stop',
  reportedCostUsd: null,
  usage: { input: 1, output: 1, cached: 0, cacheWrite: 0 },
  providerParts: { provider: 'main', model: 'm1', data: null },
};

describe('a text that is gone on with', () => {
  it.each([
    ['The offer comes on Mon', 'day.', 'The offer comes on Monday.'],
    ['The offer comes on Mon', 'comes on Monday.', 'The offer comes on Monday.'],
    ['The offer comes on Mon', 'The offer comes on Monday.', 'The offer comes on Monday.'],
    ['', 'All of it.', 'All of it.'],
  ])('%j and %j are %j', (before, next, whole) => {
    expect(goneOnWith(before, next)).toBe(whole);
  });
});
