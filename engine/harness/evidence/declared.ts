import { z } from 'zod';
import type { ToolCall, ToolSpec } from '#contract';
import type { Contract } from './contract.ts';

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

/** Few words: it is part of every request. */
export const ANSWER_TOOL: ToolSpec = {
  name: ANSWER,
  description:
    'End with your answer and what it rests on, in place of a plain final text; call it alone. [1] in the text points to ' +
    'the first of claims, then figures; a list of sources is put under it. Every number and quotation of a claim must ' +
    'stand in its evidence, or be one of the figures.',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      question: { type: 'boolean', description: 'true: you only ask the sender something' },
      claims: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            text: { type: 'string' },
            evidence: {
              type: 'array',
              items: { type: 'string' },
              description: 'Call ids, paths, URLs, attachment ids',
            },
            confidence: { enum: ['high', 'medium', 'low'] },
            limitations: { type: 'array', items: { type: 'string' } },
          },
          required: ['text', 'evidence'],
        },
      },
      figures: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            shown: { type: 'string', description: 'As in your text' },
            from: { type: 'string', description: 'As in evidence' },
            cells: { type: 'array', items: { type: 'string' }, description: '"C4", "C2:C9", "row/column", "column"' },
            formula: { type: 'string', description: 'Such as sum(C2:C9), "a/b" - "c/b", percent, count(column)' },
          },
          required: ['shown', 'from'],
        },
      },
    },
    required: ['text'],
  },
};

/**
 * The tools of a run with the one that ends it: where claims are wanted, and where there is something that they could
 * rest on. A run without tools goes to models that cannot call any, too.
 */
export const withAnswer = (tools: readonly ToolSpec[], { claims }: Pick<Contract, 'claims'>): readonly ToolSpec[] =>
  claims === 'required' || (claims === 'optional' && tools.length > 0)
    ? [...tools.filter(({ name }) => name !== ANSWER), ANSWER_TOOL]
    : tools;

export type ReadAnswer =
  | { readonly ok: true; readonly declared: Declared }
  | { readonly ok: false; readonly message: string };

/** The answer in a call of the tool; what is wrong with it is for the model. */
export function readAnswer(call: ToolCall): ReadAnswer {
  const given = call.arguments ?? parsed(call.rawArguments ?? '');
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
