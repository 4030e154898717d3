import type { Json, ModelMessage, Risk, ToolResult } from '#contract';
import { anyJson, readJson } from '../../lib/json.ts';
import { factsByFields, type ResultFacts } from '../../record/result-facts.ts';
import { nameOfResult } from './cited.ts';

/** One result of the run as something that an answer can rest on. */
export interface Evidence {
  /** The vendor's call id. */
  readonly id: string;
  /** By which the model was told to cite it: `t3`. */
  readonly cite?: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly code: string | null;
  /** Null for a tool that nobody knows any more: it may have changed something. */
  readonly risk: Risk | null;
  readonly result: Json;
  /** As the model saw it. */
  readonly content: string;
  readonly ref: string | null;
  /** Where it comes from, as the result says: a path, a URL; the tool's name where it says nothing. */
  readonly source: string;
  readonly observedAt: number | null;
  /** What the call was made with, where the vendor's text was JSON. */
  readonly args?: Json;
  readonly facts: ResultFacts;
}

/** All words and numbers of a result, one to a line: in JSON an escape would hang on to what follows it. */
export function textOf(value: Json): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value)
    .map((inner) => textOf(inner as Json))
    .join('\n');
}

const SOURCE_KEYS = ['url', 'path', 'message_id', 'name', 'ref', 'id'];

/** The run's results in the order in which they came. What is no JSON of ours is kept as text. */
export function evidenceOf(
  messages: readonly ModelMessage[],
  riskOf: (tool: string) => Risk | null,
  /** What tools declared of their results, by call. */
  declared: ReadonlyMap<string, ResultFacts> = new Map(),
): readonly Evidence[] {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  const asked = new Map(calls.map(({ id, arguments: args }) => [id, args]));
  return results.map((result, index) => {
    const args = asked.get(result.callId);
    return {
      ...itemOf(result, riskOf(result.name), declared.get(result.callId)),
      cite: nameOfResult(index),
      ...(args === undefined ? {} : { args }),
    };
  });
}

function codeOf(seen: { readonly [key: string]: Json }): string {
  const { code } = objectOf(seen.error ?? null);
  return typeof code === 'string' ? code : 'tool_failed';
}

function itemOf(
  { callId, name, content, isError }: ToolResult,
  risk: Risk | null,
  facts: ResultFacts | undefined,
): Evidence {
  const seen = objectOf(parse(content));
  const { source = null, observed_at = null, ref = null, result = null } = seen;
  return {
    id: callId,
    tool: name,
    ok: !isError,
    code: isError ? codeOf(seen) : null,
    risk,
    result,
    content,
    ref: typeof ref === 'string' ? ref : null,
    source: sourceName(objectOf(source)) ?? name,
    observedAt: typeof observed_at === 'string' ? Date.parse(observed_at) || null : null,
    facts: facts ?? factsByFields(result),
  };
}

function sourceName(source: { readonly [key: string]: Json }): string | null {
  const named = SOURCE_KEYS.map((key) => source[key]).find((value) => typeof value === 'string');
  return typeof named === 'string' ? named : null;
}

const objectOf = (value: Json): { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })
    : {};

function parse(content: string): Json {
  const value = readJson(anyJson, content);
  return value === undefined ? content : value;
}

/** As a person would name it: the last part of a path or of an address. */
export function nameOfSource({ source, tool }: Pick<Evidence, 'source' | 'tool'>): string {
  const url = URL.canParse(source) ? new URL(source) : null;
  if (url && /^https?:$/.test(url.protocol)) return url.host;
  return /^[0-9a-f]{64}$/.test(source) ? tool : (source.split('/').findLast((part) => part !== '') ?? source);
}
