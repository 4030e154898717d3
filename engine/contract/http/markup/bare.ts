import { callOf, readCalls } from './calls.ts';
import type { Reading } from './judge.ts';
import { endOfValue, parsePythonCalls, parseValue } from './values.ts';
import { ownName, type WrittenCall } from './written-call.ts';
import { Zones } from './zones.ts';

/** Calls without any mark: what stands before them, or a text that goes no further than into one. */
export type Bare = { readonly text: string; readonly calls: readonly WrittenCall[] } | 'cut';

/** With more lines than this that may begin one a text holds none. */
const MOST_LINES = 200;

/** Llama and others write a call without any mark: as all of the text, or from a line on to its end. */
export function bareCalls(text: string, { tools }: Reading): Bare | null {
  const trimmed = text.trim();
  if (tools.length === 0) return null;
  const inner = withoutFence(trimmed);
  if (inner.startsWith('{') || inner.startsWith('[')) {
    const calls = readCalls(inner, tools);
    if (calls && (calls.every(({ name }) => isOffered(name, tools)) || isOnlyCalls(inner, tools))) {
      return { text: '', calls };
    }
    if (beginsCall(inner, tools) && endOfValue(inner, 0) < 0) return 'cut';
  } else if (beginsCall(inOpenFence(inner), tools) && endOfValue(inOpenFence(inner), 0) < 0) {
    return 'cut';
  } else if (/^[\w.]{1,64}\(/.test(inner)) {
    const calls = parsePythonCalls(inner);
    const own = calls?.map((call) => ({ name: ownName(call.name, tools), arguments: call.arguments, raw: '' }));
    if (own?.every(({ name }) => isOffered(name, tools))) return { text: '', calls: own };
  }
  return trailingCall(text, tools);
}

const isOffered = (name: string, tools: Reading['tools']): boolean => tools.some((tool) => tool.name === name);

const CALL_KEYS: ReadonlySet<string> = new Set(['type', 'id', 'name', 'arguments', 'parameters']);

/** An object with a name and arguments and nothing else is a call also of a tool that there is none of. */
function isOnlyCalls(text: string, tools: Reading['tools']): boolean {
  const value = parseValue(text);
  const items = Array.isArray(value) ? value : [value];
  return items.every((item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
    const keys = Object.keys(item);
    const hasBoth = keys.includes('name') && (keys.includes('arguments') || keys.includes('parameters'));
    const isName = 'name' in item && typeof item.name === 'string' && /^[\w.-]{1,64}$/.test(item.name);
    return hasBoth && isName && keys.every((key) => CALL_KEYS.has(key)) && callOf(item, tools) !== undefined;
  });
}

/** A text that goes no further than into a call of a tool that was offered. */
export function beginsCall(text: string, tools: Reading['tools']): boolean {
  const [, inJson, inPython] =
    /^\[?\s{0,20}(?:\{\s{0,20}(?:"type"\s{0,20}:\s{0,20}"function"\s{0,20},\s{0,20})?"(?:name|tool_name|function|tool)"\s{0,20}:\s{0,20}"([\w.:-]{1,100})"|([\w.]{1,100})\()/.exec(
      text,
    ) ?? [];
  const name = inJson ?? inPython;
  return name !== undefined && isOffered(ownName(name, tools), tools);
}

/** A fence that is not closed, and holds nothing but the beginning of a call. */
const inOpenFence = (text: string): string => text.replace(/^```(?:json|tool_code|python)?[ \t]{0,4}\n/, '');

function withoutFence(text: string): string {
  const fence = /^```(?:json|tool_code|python)?[ \t]{0,4}\n/.exec(text);
  if (!fence || !text.endsWith('```')) return text;
  const inner = text.slice(fence[0].length, -3);
  return inner.includes('```') ? text : inner.trim();
}

function trailingCall(text: string, tools: Reading['tools']): Bare | null {
  const zones = new Zones(text);
  for (let at = text.indexOf('\n'), tries = 0; at >= 0 && tries < MOST_LINES; at = text.indexOf('\n', at + 1)) {
    const from = at + 1;
    if (text[from] !== '{' && text[from] !== '[') continue;
    tries++;
    const rest = text.slice(from);
    if (!beginsCall(rest, tools) || zones.isProtected(from)) continue;
    const calls = readCalls(rest, tools);
    if (calls?.every(({ name }) => isOffered(name, tools))) {
      return { text: text.slice(0, from).trimEnd(), calls };
    }
    if (endOfValue(rest, 0) < 0) return 'cut';
  }
  return null;
}
