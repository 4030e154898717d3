import { z } from 'zod';
import { EngineError, type GenerateResponse, type Json, type ToolCall, type Usage } from '#contract';
import {
  type AnsweredCall,
  billedFailure,
  isShallow,
  noAnswer,
  type PlainAnswer,
  plainAnswer,
  unknownOf,
} from '#contract/http';
import { makeCallId } from './call-ids.ts';

const count = z.number().nonnegative().nullish().catch(0);

const partSchema = z.looseObject({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  functionCall: z
    .looseObject({ id: z.string().min(1).optional().catch(undefined), name: z.string(), args: z.json().optional() })
    .nullish(),
});

const answerSchema = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        finishReason: z.string().nullish(),
        finishMessage: z.string().nullish(),
        content: z.looseObject({ role: z.string().nullish(), parts: z.array(partSchema).nullish() }).nullish(),
      }),
    )
    .nullish(),
  promptFeedback: z.looseObject({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z
    .looseObject({
      promptTokenCount: count,
      toolUsePromptTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: count,
    })
    .nullish()
    .catch(null),
});

type Answer = z.infer<typeof answerSchema>;
type Candidate = NonNullable<Answer['candidates']>[number];
type Part = z.infer<typeof partSchema>;

const REFUSALS = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
]);

/** The vendor gave up on a call that its own model wrote badly; the same question may well come out right. */
const BROKEN_CALLS = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE']);

/** Throws `unavailable` when the body is no answer. */
export function fromWire(body: unknown, options: AnsweredCall): GenerateResponse {
  const { data: answer } = answerSchema.safeParse(isShallow(body) ? body : undefined);
  const candidate = answer?.candidates?.[0];
  const blocked = (answer?.promptFeedback?.blockReason ?? null) !== null;
  if (!answer || (!candidate && !blocked)) throw billed(noAnswer(options, 'the answer has no candidate'), answer);
  const reason = candidate?.finishReason ?? '';
  if (BROKEN_CALLS.has(reason)) {
    throw billed(unparsable(options.name, `${reason} ${candidate?.finishMessage ?? ''}`.slice(0, 500)), answer);
  }
  const parts = candidate?.content?.parts ?? [];
  const refused = blocked || REFUSALS.has(reason);
  const said = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('');
  const idOf = (index: number) => makeCallId(options.turn, index);
  const plain = plainAnswer(said, callsOf(parts, options.turn), { ...options, idOf });
  const toolCalls = refused ? [] : plain.toolCalls;
  return {
    text: plain.text,
    toolCalls,
    markup: plain.markup,
    finish: refused ? 'refusal' : finishOf(reason, toolCalls.length),
    whole: plain.whole && reason === 'STOP',
    usage: usageOf(answer.usageMetadata),
    providerParts: { provider: options.name, model: options.model, data: verbatim(candidate, plain) },
    reportedCostUsd: null,
  };
}

function callsOf(parts: readonly Part[], turn: number): ToolCall[] {
  const calls = parts.flatMap((part) => part.functionCall ?? []);
  return calls.map(({ id = undefined, name, args }, index) => {
    const call = { id: id ?? makeCallId(turn, index), name };
    if (typeof args === 'string') return { ...call, arguments: undefined, rawArguments: args };
    return { ...call, arguments: args ?? {} };
  });
}

function finishOf(reason: string, calls: number): GenerateResponse['finish'] {
  if (reason === 'MAX_TOKENS') return 'length';
  if (calls > 0) return 'tool_calls';
  return reason === 'STOP' || reason === '' ? 'stop' : 'other';
}

/** Thinking is billed as output but counted apart. */
function usageOf(usage: Answer['usageMetadata']): Usage {
  const input = (usage?.promptTokenCount ?? 0) + (usage?.toolUsePromptTokenCount ?? 0);
  const output = (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0);
  return {
    input,
    output,
    ...unknownOf({ input, output }),
    cached: usage?.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
  };
}

/** Null when nothing can be sent back: an answer that consists of no parts would be refused. */
function verbatim(candidate: Candidate | undefined, plain: PlainAnswer): Json {
  const content = candidate?.content;
  if (!content?.parts?.length) return null;
  // Words of its own are put together anew; signatures stand on thoughts and on calls that the vendor has read.
  if (plain.markup !== 'none') {
    const kept = content.parts.filter(({ thought, text }) => thought === true || (text ?? null) === null);
    const hasMade = plain.toolCalls.length > 0 && !content.parts.some(({ functionCall }) => functionCall);
    if (hasMade || kept.length === 0) return null;
    const words = plain.text === '' ? [] : [{ text: plain.text }];
    const said: Json = JSON.parse(JSON.stringify({ ...content, role: 'model', parts: [...words, ...kept] }));
    return said;
  }
  const data: Json = JSON.parse(JSON.stringify({ ...content, role: 'model' }));
  return data;
}

/** With what the vendor says was used; of what it does not say nothing was. */
function billed(error: EngineError, answer: Answer | undefined): EngineError {
  const usage = usageOf(answer?.usageMetadata);
  return billedFailure(error, { begun: false, usage: usage.input > 0 || usage.output > 0 ? usage : null });
}

const unparsable = (name: string, why: string): EngineError =>
  new EngineError('unparsable', `${name}: ${why}`, { retry: { afterMs: 0 }, whose: 'request' });
