import type { Json } from '../../json.ts';
import { endOfValue, parsePythonCalls, parseValue } from './values.ts';
import { type CallReader, isObject, MOST_CALLS, ownName, type Tools, type WrittenCall } from './written-call.ts';

/** `<function=name>` with JSON, or with a `<parameter=key>` for each value: Qwen 3 Coder, Llama, Seed. */
const asFunctionTags: CallReader = (body, tools) => {
  const calls: WrittenCall[] = [];
  let rest = body;
  while (rest !== '') {
    if (calls.length > MOST_CALLS || !rest.startsWith('<function=')) return undefined;
    const end = rest.indexOf('>');
    const close = rest.indexOf('</function>');
    if (end < 0 || close < end) return undefined;
    const name = unquoted(rest.slice('<function='.length, end));
    const inner = rest.slice(end + 1, close);
    const found = taggedValues(inner, /<parameter=([^>\n]{1,100})>/g, '</parameter>');
    calls.push(withValues({ name, inner, found }, tools));
    rest = rest.slice(close + '</function>'.length).trim();
  }
  return calls;
};

/** `<invoke name="…">` with a `<parameter name="…">` for each value, under any prefix: Claude, MiniMax, DeepSeek. */
const asInvokes: CallReader = (body, tools) => {
  const calls: WrittenCall[] = [];
  let rest = body;
  while (rest !== '') {
    const open = /^<([\w:｜-]{0,40}?)invoke name="([^">\n]{1,100})"\s{0,4}>/.exec(rest);
    if (!open || calls.length > MOST_CALLS) return undefined;
    const [head, prefix = '', name = ''] = open;
    const closeTag = `</${prefix}invoke>`;
    const close = rest.indexOf(closeTag);
    if (close < 0) return undefined;
    const inner = rest.slice(head.length, close);
    const marks = /<[\w:｜-]{0,40}?parameter name="([^">\n]{1,100})"[^>\n]{0,60}>/g;
    const found = taggedValues(inner, marks, `</${prefix}parameter>`);
    calls.push(withValues({ name, inner, found }, tools));
    rest = rest.slice(close + closeTag.length).trim();
  }
  return calls;
};

/** The name, then a key and a value in turn: GLM. */
const asArgKeys: CallReader = (body, tools) => {
  const from = body.indexOf('<arg_key>');
  const name = (from < 0 ? body : body.slice(0, from)).trim();
  if (!/^[\w.:-]{1,100}$/.test(name)) return undefined;
  if (from < 0) return tools.some((tool) => tool.name === name) ? [{ name, arguments: {}, raw: '' }] : undefined;
  const found: [string, string][] = [];
  let rest = body.slice(from);
  while (rest !== '') {
    const key = between(rest, '<arg_key>', '</arg_key>');
    const value = key && between(rest.slice(key.end).trim(), '<arg_value>', '</arg_value>');
    if (!key || !value || found.length > MOST_CALLS) return undefined;
    found.push([key.text.trim(), value.text]);
    rest = rest.slice(key.end).trim().slice(value.end).trim();
  }
  return [withValues({ name, inner: body, found }, tools)];
};

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/, '$1');

function between(
  text: string,
  open: string,
  close: string,
): { readonly text: string; readonly end: number } | undefined {
  const from = text.indexOf(open);
  const to = from < 0 ? -1 : text.indexOf(close, from + open.length);
  return to < 0 ? undefined : { text: text.slice(from + open.length, to), end: to + close.length };
}

/** Undefined where something stands between the values, or one does not end. */
function taggedValues(inner: string, open: RegExp, close: string): readonly [string, string][] | undefined {
  const found: [string, string][] = [];
  let at = 0;
  open.lastIndex = 0;
  for (let mark = open.exec(inner); mark; mark = open.exec(inner)) {
    if (inner.slice(at, mark.index).trim() !== '') return undefined;
    const from = mark.index + mark[0].length;
    const to = inner.indexOf(close, from);
    if (to < 0) return undefined;
    found.push([unquoted(mark[1] ?? ''), inner.slice(from, to)]);
    at = to + close.length;
    open.lastIndex = at;
  }
  return inner.slice(at).trim() === '' ? found : undefined;
}

function withValues(
  { name, inner, found }: { name: string; inner: string; found: readonly [string, string][] | undefined },
  tools: Tools,
): WrittenCall {
  if (!found || (found.length === 0 && inner.trim() !== '')) {
    return { name, arguments: inner.trim() === '' ? {} : parseValue(inner), raw: inner };
  }
  const schema = tools.find((tool) => tool.name === ownName(name, tools))?.inputSchema;
  const values = found.map(([key, text]) => [key, typed(text, key, schema)] as const);
  return { name, arguments: Object.fromEntries(values), raw: inner };
}

/** The text as the schema wants it; the line breaks beside the marks are none of it. */
function typed(text: string, key: string, schema: unknown): Json {
  const value = text.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
  const properties = isObject(schema) ? schema.properties : undefined;
  const property = isObject(properties) ? properties[key] : undefined;
  const type = isObject(property) ? property.type : undefined;
  if (property === undefined || type === 'string') return value;
  return parseValue(value) ?? value;
}

/** The calls that are all of a text, in any of the forms that models write; undefined where it holds anything else. */
export function readCalls(body: string, tools: Tools): readonly WrittenCall[] | undefined {
  const text = body.trim();
  if (text === '') return undefined;
  for (const reader of READERS) {
    const calls = reader(text, tools);
    if (calls && calls.length > 0) return calls.map((call) => ({ ...call, name: ownName(call.name, tools) }));
  }
  return undefined;
}

/** The end of the call that begins at `from`, where no mark says it: behind its values. -1: it does not end. */
export function endOfCalls(text: string, from: number): number {
  let end = -1;
  let at = skip(text, from);
  for (let count = 0; ; count++) {
    const bracket = firstBracket(text, at);
    if (bracket < 0) return end;
    const next = endOfValue(text, bracket);
    if (next < 0 || count > MOST_CALLS) return -1;
    end = next;
    at = skip(text, next);
    // `{…}; {…}` and one call below the other.
    if (text[at] === ';') at = skip(text, at + 1);
    if (text[at] !== '{' && text[at] !== '[') return end;
  }
}

const MOST_NAME = 200;

/** What stands before it may be a name and the marks behind it, and nothing that is a sentence. */
function firstBracket(text: string, from: number): number {
  for (let at = from; at < Math.min(text.length, from + MOST_NAME); at++) {
    const character = text[at] ?? '';
    if (character === '{' || character === '(') return at;
    if (character === '[' && !/^\[[A-Z_]+\]/.test(text.slice(at, at + 20))) return at;
    if (character === '\n' && at > from && text.slice(from, at).includes(' ')) return -1;
  }
  return -1;
}

function skip(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at++;
  return at;
}

const NAMES = ['name', 'tool_name', 'function_name', 'tool', 'function', 'action', 'recipient_name'] as const;
const ARGUMENTS = [
  'arguments',
  'parameters',
  'args',
  'tool_input',
  'action_input',
  'input',
  'params',
  'kwargs',
] as const;

/** One object, a list of them, or one below the other. */
const asJson: CallReader = (body, tools) => {
  const values: Json[] = [];
  let rest = unfenced(body);
  while (rest !== '') {
    if (values.length > MOST_CALLS) return undefined;
    if (rest[0] !== '{' && rest[0] !== '[') return undefined;
    const end = endOfValue(rest, 0);
    const value = end < 0 ? undefined : parseValue(rest.slice(0, end));
    if (value === undefined) return undefined;
    values.push(...(Array.isArray(value) ? value : [value]).flatMap(inside));
    // One bracket too many is what models write most often of all that is wrong.
    rest = rest.slice(end).replace(/^[\s;,}\]]+/, '');
  }
  const calls = values.map((value) => callOf(value, tools));
  return calls.every((call) => call !== undefined) ? calls : undefined;
};

/** The message of a vendor's protocol around its calls. */
const inside = (value: Json): Json | readonly Json[] =>
  isObject(value) && Array.isArray(value.tool_calls)
    ? value.tool_calls
    : isObject(value) && isObject(value.function_call)
      ? value.function_call
      : value;

/** The call that an object says, with no key that a call does not have. */
export function callOf(value: Json, tools: Tools): WrittenCall | undefined {
  if (!isObject(value)) return undefined;
  if (isObject(value.function)) return callOf(value.function, tools);
  const name = NAMES.map((key) => value[key]).find((found) => typeof found === 'string' && found !== '');
  if (typeof name !== 'string') {
    const [only, ...more] = Object.entries(value);
    const isNamed =
      only !== undefined && more.length === 0 && isObject(only[1]) && tools.some((tool) => tool.name === only[0]);
    return isNamed ? { name: only[0], arguments: only[1], raw: JSON.stringify(only[1]) } : undefined;
  }
  const key = ARGUMENTS.find((each) => value[each] !== undefined && value[each] !== null);
  const given = key === undefined ? {} : (value[key] ?? {});
  if (typeof given !== 'string') return isObject(given) ? { name, arguments: given, raw: '' } : undefined;
  return { name, arguments: given.trim() === '' ? {} : parseValue(given), raw: given };
}

function unfenced(text: string): string {
  if (!text.startsWith('```')) return text;
  const from = text.indexOf('\n');
  const to = text.lastIndexOf('```');
  return from < 0 || to <= from ? text : text.slice(from, to).trim();
}

/** Where one call ends and the next begins, and what parts its name from its arguments: DeepSeek, Kimi, Step. */
const SECTIONS = [
  { begin: '<｜tool▁call▁begin｜>', part: '<｜tool▁sep｜>', end: '<｜tool▁call▁end｜>' },
  { begin: '<|tool_call_begin|>', part: '<|tool_call_argument_begin|>', end: '<|tool_call_end|>' },
  { begin: '<｜tool_call_begin｜>', part: '<｜tool_sep｜>', end: '<｜tool_call_end｜>' },
  { begin: '[TOOL_CALLS]', part: '[ARGS]', end: '[TOOL_CALLS]' },
] as const;

const asSections: CallReader = (body, tools) => {
  const marks = SECTIONS.find(({ begin, part }) => body.includes(part) || body.includes(begin));
  if (!marks || body.split(marks.begin).length > MOST_CALLS) return undefined;
  const pieces = body
    .split(marks.begin)
    .map((piece) => piece.split(marks.end)[0]?.trim() ?? '')
    .filter((piece) => piece !== '');
  const calls = pieces.map((piece): WrittenCall | undefined => {
    const at = piece.indexOf(marks.part);
    const left = (at < 0 ? '' : piece.slice(0, at)).split('[CALL_ID]')[0]?.trim() ?? '';
    const right = at < 0 ? piece : piece.slice(at + marks.part.length);
    const bracket = right.indexOf('{');
    // `function<sep>name` and the arguments in a fence, or `name<sep>` and the arguments.
    const named = right.slice(0, Math.max(0, bracket)).replace('```json', '').trim();
    const name = named === '' || left !== 'function' ? left || named : named;
    const invoked = asInvokes(right.trim(), tools);
    if (invoked?.[0]) return invoked[0];
    const end = bracket < 0 ? -1 : endOfValue(right, bracket);
    if (name === '' || end < 0 || right.slice(end).replaceAll('`', '').trim() !== '') return undefined;
    const raw = right.slice(bracket, end);
    return { name, arguments: parseValue(raw), raw };
  });
  return calls.every((call) => call !== undefined) ? calls : undefined;
};

/** `name{…}`, one below the other: newer Mistral. */
const asNamedValues: CallReader = (body) => {
  const calls: WrittenCall[] = [];
  let rest = body;
  while (rest !== '') {
    const head = /^([\w.-]{1,100})\s{0,4}\{/.exec(rest);
    if (!head || calls.length > MOST_CALLS) return undefined;
    const from = head[0].length - 1;
    const end = endOfValue(rest, from);
    if (end < 0) return undefined;
    const raw = rest.slice(from, end);
    calls.push({ name: head[1] ?? '', arguments: parseValue(raw), raw });
    rest = rest.slice(end).replace(/^\s*(?:\[TOOL_CALLS\])?\s*/, '');
  }
  return calls;
};

const ESCAPES = ['<|"|>', '<escape>'] as const;

/** `call:name{key:<escape>value<escape>,…}`: Gemma. */
const asGemma: CallReader = (body) => {
  if (!body.startsWith('call:')) return undefined;
  const calls: WrittenCall[] = [];
  for (const piece of body.split(/\n?call:/).filter((each) => each.trim() !== '')) {
    const at = piece.indexOf('{');
    const end = piece.lastIndexOf('}');
    if (at < 1 || end < at) return undefined;
    const raw = piece.slice(at, end + 1);
    const text = ESCAPES.reduce((so, mark) => quotedBy(so, mark), raw);
    calls.push({ name: piece.slice(0, at).trim(), arguments: parseValue(text), raw });
  }
  return calls;
};

const quotedBy = (text: string, mark: string): string =>
  text
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? part : JSON.stringify(part)))
    .join('');

const asPython: CallReader = (body) => {
  // Llama names a tool of its own this way: `brave_search.call(query="…")`.
  const calls = parsePythonCalls(body);
  return calls?.map(({ name, arguments: given }) => ({ name: name.replace(/\.call$/, ''), arguments: given, raw: '' }));
};

const READERS: readonly CallReader[] = [
  asJson,
  asFunctionTags,
  asInvokes,
  asArgKeys,
  asSections,
  asNamedValues,
  asGemma,
  asPython,
  // One list inside another mark: `<tool_calls><tool_call>…`.
  (body, tools) => {
    const inner = between(body, '<tool_call>', '</tool_call>');
    if (!inner || !body.startsWith('<tool_call>')) return undefined;
    const first = readCalls(inner.text, tools);
    const rest = body.slice(inner.end).trim();
    const more = rest === '' ? [] : readCalls(rest, tools);
    return first && more ? [...first, ...more] : undefined;
  },
  (body, tools) => (body.startsWith('<|plugin|>') ? readCalls(body.slice('<|plugin|>'.length), tools) : undefined),
];
