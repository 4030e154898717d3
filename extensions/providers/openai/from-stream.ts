import { eventsIn, fieldOf } from '#contract/http';

type Part = Record<string, unknown>;

const isObject = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Part[] => (Array.isArray(value) ? value.filter(isObject) : []);

export interface Collected {
  /** In the shape of an unstreamed answer, or of a failure. */
  readonly answer: unknown;
  /** Something of an answer had come. */
  readonly begun: boolean;
}

/**
 * What a stream of events adds up to: a chat completion, or an answer of the Responses API. Undefined for a text that is
 * no stream. One that ends early has no reason for its end, and so is not whole.
 */
export function collected(text: string): Collected | undefined {
  const events = listOf([...eventsIn(text)]);
  if (events.length === 0) return undefined;
  const failed = events.find(isFailure);
  const usage = events.findLast((event) => isObject(event.usage))?.usage;
  const began = events.some(hasBegun);
  if (failed !== undefined) {
    const error = fieldOf(failed, 'error') ?? failed;
    return { answer: { error, ...(usage !== undefined && { usage }) }, begun: began };
  }
  const responses = listOf(events.map(({ response }) => response)).filter(({ output }) => Array.isArray(output));
  const response = responses.at(-1);
  return { answer: response === undefined ? completionOf(events) : withPieces(response, events), begun: began };
}

/** In place of an answer or in the middle of one; that of the Responses API has its words beside its type. */
const isFailure = (event: Part): boolean =>
  event.type === 'error' ||
  ((event.error ?? null) !== null && event.choices === undefined && event.response === undefined);

/** A piece of words, of thoughts, or of a call. */
const hasBegun = ({ type, choices }: Part): boolean =>
  (typeof type === 'string' && /^response\.(output|reasoning|function_call|refusal)/.test(type)) ||
  listOf(choices).some(({ delta, message }) => isFilled(delta) || isFilled(message));

const isFilled = (piece: unknown): boolean =>
  isObject(piece) && [...GROWING, 'tool_calls'].some((key) => (fieldOf(piece, key) ?? '') !== '');

/** A stream of the Responses API that ended before its last event: what was said until then is in its pieces alone. */
function withPieces(response: Part, events: readonly Part[]): Part {
  if (response.status !== 'in_progress' && response.status !== 'queued') return response;
  const items = listOf(events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : [])));
  const said = events.flatMap(({ type, delta }) =>
    type === 'response.output_text.delta' && typeof delta === 'string' ? delta : [],
  );
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said.join('') }] };
  const others = items.filter(({ type }) => type !== 'message');
  return { ...response, output: said.length === 0 ? items : [...others, message] };
}

function completionOf(events: readonly Part[]): unknown {
  const message: Part = { role: 'assistant', content: null };
  const calls: Part[] = [];
  let end: Part = {};
  for (const event of events) {
    const [choice] = listOf(event.choices);
    if (choice === undefined) continue;
    // Some servers send the whole message as the last piece.
    const delta = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {};
    grow(message, delta);
    for (const [at, call] of listOf(delta.tool_calls).entries()) growCall(calls, call, at);
    end = { ...end, ...withoutNulls({ finish_reason: choice.finish_reason, error: choice.error }) };
  }
  const usage = events.findLast((event) => isObject(event.usage))?.usage;
  if (calls.length > 0) message.tool_calls = calls.filter(isObject);
  return { choices: [{ index: 0, finish_reason: null, ...end, message }], ...(usage !== undefined && { usage }) };
}

const GROWING = ['content', 'refusal', 'reasoning_content', 'reasoning'] as const;

function grow(message: Part, delta: Part): void {
  for (const key of GROWING) {
    const more = delta[key];
    if (typeof more === 'string') message[key] = `${message[key] ?? ''}${more}`;
  }
}

function growCall(calls: Part[], piece: Part, at: number): void {
  const index = typeof piece.index === 'number' && piece.index >= 0 && piece.index < 1000 ? piece.index : at;
  const known = calls[index] ?? { type: 'function', function: { name: '', arguments: '' } };
  const before = isObject(known.function) ? known.function : {};
  const more = isObject(piece.function) ? piece.function : {};
  const name = typeof more.name === 'string' && before.name === '' ? more.name : before.name;
  const text = typeof more.arguments === 'string' ? more.arguments : '';
  calls[index] = {
    ...known,
    ...(typeof piece.id === 'string' && piece.id !== '' && { id: piece.id }),
    function: { ...before, name, arguments: `${before.arguments ?? ''}${text}` },
  };
}

const withoutNulls = (value: Part): Part =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && one !== undefined));
