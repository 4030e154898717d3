import { html } from 'hono/html';
import type { Json, JsonObject } from '#contract';
import { anyJson, jsonObject, readJson } from '../../lib/json.ts';
import type { Html } from '../screen.ts';

/** A form takes 64 KB, and signs may need three bytes each and three letters a byte on the way. */
const MOST_CHARS = 16_000;

/** Whether its arguments go into a form. Pure. */
export const isEditable = (args: JsonObject): boolean =>
  Object.keys(args).length > 0 && JSON.stringify(args).length <= MOST_CHARS;

const isLines = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && !/[\r\n]/.test(one));

const asText = (value: Json | undefined): string => {
  if (typeof value === 'string') return value;
  return isLines(value) ? value.join('\n') : JSON.stringify(value ?? null, null, 2);
};

/** How a browser sends a text that nobody has touched. */
const asSent = (text: string): string => text.replace(/\r\n?/g, '\n');

/** The arguments of a call, each in a field of its own. What stands below a `<textarea>` loses its first line end. */
export const fieldsOf = (args: JsonObject): readonly Html[] =>
  Object.entries(args).map(([key, value]) => {
    const text = asText(value);
    if (typeof value === 'boolean')
      return html`<label>${key} <select name="arg.${key}">${['true', 'false'].map((one) => (one === text ? html`<option value="${one}" selected>${YES_NO[one]}</option>` : html`<option value="${one}">${YES_NO[one]}</option>`))}</select></label>`;
    if (typeof value === 'number')
      return html`<label>${key} <input name="arg.${key}" value="${text}" inputmode="decimal" autocomplete="off"></label>`;
    const hint = typeof value === 'string' ? '' : isLines(value) ? ' (one a line)' : ' (JSON)';
    return html`<label>${key}${hint}<textarea name="arg.${key}" rows="${Math.min(12, text.split('\n').length)}" spellcheck="false">
${text}</textarea></label>`;
  });

const YES_NO: Readonly<Record<string, string>> = { true: 'yes', false: 'no' };

type ReadCall =
  | { readonly ok: true; readonly wanted: JsonObject }
  | { readonly ok: false /** For whoever wrote it. */; readonly why: string };

/** What a form makes of a call: `all` is the whole of it as JSON, else what a field does not name stays. Pure. */
export function callIn(form: URLSearchParams, args: JsonObject): ReadCall {
  const all = form.get('all');
  if (all !== null) {
    const wanted = readJson(jsonObject, asSent(all));
    return wanted ? { ok: true, wanted } : { ok: false, why: 'That is no JSON object: {"name": "value", …}.' };
  }
  const wanted: Record<string, Json> = {};
  for (const [key, before] of Object.entries(args)) {
    const sent = form.get(`arg.${key}`);
    const read = sent === null || asSent(sent) === asSent(asText(before)) ? before : valueIn(asSent(sent), before);
    if (read === undefined)
      return { ok: false, why: `What stands at ${key} is ${typeof before === 'number' ? 'no number' : 'no JSON'}.` };
    wanted[key] = read;
  }
  return { ok: true, wanted };
}

/** A value stays what it was. Undefined: it cannot be read as that. */
function valueIn(text: string, before: Json): Json | undefined {
  if (typeof before === 'string') return text;
  if (typeof before === 'boolean') return text === 'true';
  if (typeof before === 'number') {
    const value = Number(text);
    return text.trim() !== '' && Number.isFinite(value) ? value : undefined;
  }
  if (isLines(before))
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  return readJson(anyJson, text);
}
