import type { ContentPart, Json, ModelMessage, ToolCall, ToolResult } from '#contract';
import { sha256 } from '../../lib/ids.ts';
import type { FitRules, Plainness } from './rules.ts';
import { wireName } from './tools.ts';

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

interface MessageFitting {
  readonly rules: Pick<FitRules, 'max_id' | 'max_name' | 'user_after_result'>;
  readonly plain: Plainness;
  /** Names on the wire by the tools' own. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * The messages as chat templates and vendors take them: whole characters, names and ids that are taken, the same id in a
 * call and in its result, roles that alternate beginning with a user. What is right already stays the very same object.
 */
export function fitMessages(messages: readonly ModelMessage[], fitting: MessageFitting): readonly ModelMessage[] {
  const fitted = withFittingIds(messages.map(wellFormed), fitting).map((message) => withNames(message, fitting));
  const turns = alternating(fitted, fitting);
  return turns.length === messages.length && turns.every((turn, at) => turn === messages[at]) ? messages : turns;
}

/** What a message is without half characters; a vendor's JSON reader refuses those. */
const whole = new WeakMap<ModelMessage, ModelMessage>();
/** Half of a pair, as JSON.stringify writes it. */
const HALF = /\\ud[89a-f][0-9a-f]{2}/;

function wellFormed(message: ModelMessage): ModelMessage {
  const known = whole.get(message);
  if (known) return known;
  const isImage = message.role === 'user' && message.content.some(({ type }) => type === 'image');
  const text = JSON.stringify(isImage ? message.content.filter(({ type }) => type === 'text') : message);
  const fitted = HALF.test(text) ? (mapStrings(message, wholeText) as ModelMessage) : message;
  whole.set(message, fitted);
  return fitted;
}

/** Texts that are JSON themselves, which chat templates read. */
const JSON_TEXTS: ReadonlySet<string> = new Set(['arguments', 'rawArguments', 'content', 'output']);
const ESCAPED = /\\ud[89ab][0-9a-f]{2}(\\ud[c-f][0-9a-f]{2})?|\\ud[c-f][0-9a-f]{2}/gi;

const wholeText = (text: string, key: string): string =>
  JSON_TEXTS.has(key)
    ? text.toWellFormed().replace(ESCAPED, (found: string, low?: string) => (low === undefined ? '\\ufffd' : found))
    : text.toWellFormed();

function mapStrings(value: unknown, change: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return change(value, key);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name, '$key'), mapStrings(inner, change, name)]),
  );
}

const ID = /^[a-zA-Z0-9_-]+$/;
const ID_KEYS: ReadonlySet<string> = new Set(['id', 'call_id', 'tool_use_id', 'tool_call_id']);

/**
 * Ids of another vendor are made to fit; those in a vendor's own message go back as it gave them, which it may read
 * something from, unless it has refused the request. A result has the id of its call.
 */
function withFittingIds(messages: readonly ModelMessage[], { rules, plain }: MessageFitting): readonly ModelMessage[] {
  const taken = new Set<string>();
  let ids = new Map<string, string>();
  return messages.map((message, turn) => {
    if (message.role === 'tool') return withResultIds(message, ids);
    if (message.role === 'user') return message;
    const isOwn = message.providerParts !== undefined && plain === 0;
    ids = new Map();
    for (const { id } of message.toolCalls) {
      const fits = isOwn || (ID.test(id) && id.length <= rules.max_id && !taken.has(id));
      if (!fits) ids.set(id, `call_${sha256(`${turn} ${id}`).slice(0, 24)}`);
      taken.add(ids.get(id) ?? id);
    }
    return ids.size === 0 ? message : withCallIds(message, ids);
  });
}

const withResultIds = (
  message: Extract<ModelMessage, { role: 'tool' }>,
  ids: ReadonlyMap<string, string>,
): ModelMessage =>
  message.results.some(({ callId }) => ids.has(callId))
    ? { role: 'tool', results: message.results.map((one) => ({ ...one, callId: ids.get(one.callId) ?? one.callId })) }
    : message;

function withCallIds(message: Assistant, ids: ReadonlyMap<string, string>): Assistant {
  const toolCalls = message.toolCalls.map((call) => ({ ...call, id: ids.get(call.id) ?? call.id }));
  return changed(message, toolCalls, (text, key) => (ID_KEYS.has(key) ? (ids.get(text) ?? text) : text));
}

function changed(
  message: Assistant,
  toolCalls: readonly ToolCall[],
  change: (text: string, key: string) => string,
): Assistant {
  const { providerParts: parts } = message;
  if (parts === undefined) return { ...message, toolCalls };
  return { ...message, toolCalls, providerParts: { ...parts, data: mapStrings(parts.data, change) as Json } };
}

/** Also names that no tool has: a model that made one up is told so, and has to be able to read it. */
function withNames(message: ModelMessage, { rules, names }: MessageFitting): ModelMessage {
  const wire = (name: string) => names.get(name) ?? wireName(name, rules.max_name);
  if (message.role === 'tool') {
    if (message.results.every(({ name }) => wire(name) === name)) return message;
    return { role: 'tool', results: message.results.map((one): ToolResult => ({ ...one, name: wire(one.name) })) };
  }
  if (message.role === 'user' || message.toolCalls.every(({ name }) => wire(name) === name)) return message;
  const known = new Map(message.toolCalls.map(({ name }) => [name, wire(name)]));
  const toolCalls = message.toolCalls.map((call) => ({ ...call, name: wire(call.name) }));
  return changed(message, toolCalls, (text, key) => (key === 'name' ? (known.get(text) ?? text) : text));
}

const BEGIN: ModelMessage = {
  role: 'user',
  content: [{ type: 'text', text: '(The thread begins with your own mail.)' }],
};
const GO_ON: ModelMessage = { role: 'user', content: [{ type: 'text', text: '(Go on.)' }] };

function alternating(messages: readonly ModelMessage[], { rules, plain }: MessageFitting): ModelMessage[] {
  const intoResults = plain > 0 || !rules.user_after_result;
  const turns: ModelMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last === undefined && message.role === 'assistant') turns.push(BEGIN, message);
    else if (last?.role === 'user' && message.role === 'user')
      turns[turns.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
    else if (last?.role === 'assistant' && message.role === 'assistant') turns.push(GO_ON, message);
    else if (last?.role === 'tool' && message.role === 'user' && intoResults && last.results.length > 0)
      turns.splice(-1, 1, ...saidInResult(last, message.content));
    else turns.push(message);
  }
  return turns;
}

/** What is said behind results, as part of the last of them: some templates know no user there. */
function saidInResult(
  message: Extract<ModelMessage, { role: 'tool' }>,
  content: readonly ContentPart[],
): ModelMessage[] {
  const said = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const pictures = content.filter(({ type }) => type === 'image');
  const results = message.results.map((one, at) =>
    at === message.results.length - 1 ? { ...one, content: [one.content, ...said].join('\n\n') } : one,
  );
  return [{ role: 'tool', results }, ...(pictures.length > 0 ? [{ role: 'user' as const, content: pictures }] : [])];
}
