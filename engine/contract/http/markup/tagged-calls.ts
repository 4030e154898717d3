import type { Json } from '../../json.ts';
import { parseValue } from './values.ts';
import { isObject, MOST_CALLS, ownName, type Reader, type Tools, type WrittenCall } from './written-call.ts';

/** `<function=name>` with JSON, or with a `<parameter=key>` for each value: Qwen 3 Coder, Llama, Seed. */
export const asFunctionTags: Reader = (body, tools) => {
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
export const asInvokes: Reader = (body, tools) => {
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
export const asArgKeys: Reader = (body, tools) => {
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

export function between(
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
