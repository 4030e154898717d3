import { z } from 'zod';
import type { ToolCall, ToolSpec } from '#contract';
import { notJson } from '../lib/json.ts';
import type { Contract } from './settings.ts';

/** The name under which a model gives its answer together with what it rests on. */
export const ANSWER = 'answer';

const line = (most: number) => z.string().trim().min(1).max(most);
const oneOrMore = (most: number) =>
  z
    .union([z.string(), z.array(z.string()).max(20)])
    .transform((given) => [given].flat().map((id) => id.slice(0, most)));

const schema = z.object({
  text: z.string().max(200_000),
  question: z.boolean().default(false),
  claims: z
    .array(
      z.object({
        text: line(4000),
        evidence: oneOrMore(300).default([]),
        confidence: z.enum(['high', 'medium', 'low']).nullish(),
        limitations: z
          .union([z.string(), z.array(z.string())])
          .nullish()
          .transform((given) => [given ?? []].flat().filter((each) => each.trim() !== '')),
      }),
    )
    .max(60)
    .nullish()
    .transform((given) => given ?? []),
  figures: z
    .array(
      z.object({
        shown: z.union([z.string(), z.number()]).transform((given) => String(given).trim().slice(0, 1000)),
        from: oneOrMore(300),
        cells: z
          .union([z.string(), z.array(z.union([z.string(), z.number()])).max(200)])
          .nullish()
          .transform((given) => [given ?? []].flat().map(String)),
        formula: z
          .string()
          .max(1000)
          .nullish()
          .transform((given) => (given?.trim() ? given.trim() : null)),
      }),
    )
    .max(100)
    .nullish()
    .transform((given) => given ?? []),
});

export type Declared = z.infer<typeof schema>;

const STRING = { type: 'string' };
const listOf = (properties: object) => ({ type: 'array', items: { type: 'object', properties } });

/**
 * Few words, as it is part of every request: a question back and how sure a claim is are shown only where the contract
 * asks for something.
 */
const toolFor = (asks: boolean): ToolSpec => ({
  name: ANSWER,
  description:
    'End with text and its sources, where facts rest on data you read; else end in plain text. Call it alone. [1] in ' +
    'text is the first of claims, then figures. Numbers and quotations of a claim stand in its evidence (call ids, ' +
    'paths, URLs) or figures.',
  inputSchema: {
    type: 'object',
    properties: {
      text: STRING,
      ...(asks ? { question: { type: 'boolean', description: 'true: you only ask the sender something' } } : {}),
      claims: listOf({
        text: STRING,
        evidence: { type: 'array', items: STRING },
        ...(asks ? { confidence: { enum: ['high', 'medium', 'low'] } } : {}),
        limitations: STRING,
      }),
      figures: listOf({
        shown: STRING,
        from: { ...STRING, description: 'where you read it: call id, path or attachment id' },
        cells: { ...STRING, description: 'C4, C2:C9, row/column' },
        formula: { ...STRING, description: 'sum(C2:C9), "a/b" - "c/b"' },
      }),
    },
    required: ['text'],
  },
});
const [PLAIN, ASKED] = [toolFor(false), toolFor(true)];

/**
 * The tools of a run with the one that ends it: where claims are wanted, and where there is something that they could
 * rest on. A run without tools goes to models that cannot call any, too.
 */
export function withAnswer(tools: readonly ToolSpec[], { claims, effects, contract }: Contract): readonly ToolSpec[] {
  if (claims === 'off' || (claims === 'optional' && tools.length === 0)) return tools;
  const asks = claims === 'required' || effects.length > 0 || contract.length > 0;
  return [...tools.filter(({ name }) => name !== ANSWER), asks ? ASKED : PLAIN];
}

type ReadAnswer = { readonly ok: true; readonly declared: Declared } | { readonly ok: false; readonly message: string };

/** The answer in a call of the tool; what is wrong with it is for the model. */
export function readAnswer(call: ToolCall): ReadAnswer {
  const given = call.arguments ?? parsed(call.rawArguments ?? '');
  if (typeof given === 'string') return { ok: false, message: notJson(given) };
  const read = schema.safeParse(given);
  if (read.success) return { ok: true, declared: read.data };
  const [issue] = read.error.issues;
  return { ok: false, message: `${issue?.path.join('.') || 'arguments'}: ${issue?.message ?? 'cannot be read'}` };
}

/** Models wrap JSON in code fences now and then. */
function parsed(text: string): unknown {
  const open = text.indexOf('{');
  const close = text.lastIndexOf('}');
  try {
    return JSON.parse(text.slice(Math.max(0, open), close + 1)) as unknown;
  } catch {
    return text;
  }
}

/** The answer that a turn gives, where it is an answer and nothing else. */
export function answerIn(calls: readonly ToolCall[]): Declared | null {
  const [call] = calls;
  if (calls.length !== 1 || call?.name !== ANSWER) return null;
  const read = readAnswer(call);
  return read.ok ? read.declared : null;
}
