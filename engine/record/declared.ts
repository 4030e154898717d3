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

/** What models fill in where there is nothing to name. */
const NOTHING: ReadonlySet<string> = new Set(
  'none nothing no null n/a - — nichts keine rien aucun nada ninguno niente niets geen nic なし 无'.split(' '),
);

/** Names, as a list or in one text. */
const names = z
  .union([z.string(), z.array(z.string()).max(50)])
  .nullish()
  .transform((given) =>
    [given ?? []]
      .flat()
      .flatMap((one) => one.split(','))
      .map((one) =>
        one
          .replace(/["'[\]]/g, '')
          .trim()
          .slice(0, 300),
      )
      .filter((one) => one !== '' && !NOTHING.has(one.toLowerCase())),
  );

const schema = z.object({
  text: z.string().max(200_000),
  question: z.boolean().default(false),
  /** What it says that it has done: calls, tools or scopes. */
  did: names,
  /** What was asked for, and is not done; the text says so. */
  not_done: names,
  claims: z
    .array(
      z.object({
        text: line(4000),
        evidence: oneOrMore(300).default([]),
        confidence: z.enum(['high', 'medium', 'low']).nullish(),
        /** Of those that the answer has to make. */
        point: z
          .string()
          .nullish()
          .transform((given) => given?.trim() || null),
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

/** Few words, as it is part of every request. */
const specFor = (points: readonly string[]): ToolSpec => ({
  name: ANSWER,
  description:
    'End with text and its sources, where facts rest on data you read; else plain text. Call it alone. [1] is ' +
    'the first of claims, then figures. Numbers and quotes of a claim stand in its evidence or figures.',
  inputSchema: {
    type: 'object',
    properties: {
      text: STRING,
      question: { type: 'boolean', description: 'only asks' },
      did: STRING,
      not_done: STRING,
      claims: listOf({
        text: STRING,
        evidence: { type: 'array', items: STRING, description: 't3, t3.r12.c4, m7, mail, path' },
        confidence: { enum: ['high', 'medium', 'low'] },
        limitations: STRING,
        ...(points.length === 0 ? {} : { point: { enum: points } }),
      }),
      figures: listOf({
        shown: STRING,
        from: { ...STRING, description: 'as evidence' },
        cells: { ...STRING, description: 'C4, C2:C9, row/column' },
        formula: { ...STRING, description: 'sum(C2:C9), t3.C4 - t3.D4' },
      }),
    },
    required: ['text'],
  },
});

/** One for each list of points, so that what is known of a list of tools is found out once for all runs. */
const specs = new Map([['', specFor([])]]);
const MAX_SPECS = 100;

function specOf(points: readonly string[]): ToolSpec {
  const key = points.join('\n');
  const spec = specs.get(key) ?? specFor(points);
  if (specs.size < MAX_SPECS) specs.set(key, spec);
  return spec;
}

/**
 * The tools of a run with the one that ends it: where claims are wanted, and where there is something that they could
 * rest on. A run without tools goes to models that cannot call any, too.
 */
export function withAnswer(tools: readonly ToolSpec[], { claims, contract }: Contract): readonly ToolSpec[] {
  const points = pointsIn(contract);
  if (claims === 'off' || (claims === 'optional' && points.length === 0 && tools.length === 0)) return tools;
  return [...tools.filter(({ name }) => name !== ANSWER), specOf(points)];
}

/** In the contract of a run: a point that its answer has to make, beside tools and scopes that have to bring something. */
const POINT = 'point:';
export const asPoint = (point: string): string => `${POINT}${point}`;
export const pointIn = (kind: string): string | null => (kind.startsWith(POINT) ? kind.slice(POINT.length) : null);
export const pointsIn = (kinds: readonly string[]): readonly string[] => kinds.flatMap((kind) => pointIn(kind) ?? []);

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
