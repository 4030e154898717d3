import { fieldOf } from '#contract/http';

type Part = Record<string, unknown>;

const isObject = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Part[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** More pieces than any answer has. */
const MAX_EVENTS = 200_000;

/**
 * What a stream of events adds up to, in the shape of an unstreamed answer: of a chat completion, or of the Responses API.
 * Undefined for a text that is no stream. One that ends early has no reason for its end, and so is not whole.
 */
export function collected(text: string): unknown {
  const events = text
    .split(/\r\n|\n|\r/)
    .slice(0, MAX_EVENTS)
    .flatMap((line) => (line.startsWith('data:') ? parsed(line.slice(5).trim()) : []));
  if (events.length === 0) return undefined;
  const response = events.findLast(
    (event) => isObject(event.response) && Array.isArray(event.response.output),
  )?.response;
  if (response !== undefined) return response;
  const failed = events.find((event) => fieldOf(event, 'error') !== undefined && event.choices === undefined);
  return failed ?? completionOf(events);
}

function parsed(text: string): Part[] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? [value] : [];
  } catch {
    return [];
  }
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
