import type { Json } from '#contract';
import { jsonObject } from '../../lib/json.ts';
import { hideDisguised } from '../../lib/secrets/secrets.ts';
import type { SettingPath } from './settings.ts';

const UNSHOWN = '(not shown)';
const SECRET_WORD = /key|token|secret|passw|credential|authorization|signature/i;
const SECRET_KEY = /secret|passw|token|api_?key|credential|authorization/i;
const NO_SECRET_KEY = /(?:_endpoint|_url|_file)$/i;
const NAME_KEY = /(?:^env|_env|^headers|^secrets)$/;
const NAMES_IN: ReadonlySet<string> = new Set(['headers', 'secrets']);
/** Whoever has the address of such a calendar reads it. */
const ADDRESSES = 'urls';
const VARIABLE = /^[A-Z_][A-Z0-9_]*$/;

/** A value as JSON in which nothing is shown that may be secret: files name variables, but somebody may have written one itself. */
export function shownJson(value: Json, path: SettingPath): string {
  const names = path.map(String);
  // Below a list of names each value is one, whatever its own key is.
  return JSON.stringify(shown(value, names.find((name) => NAMES_IN.has(name)) ?? names.at(-1) ?? ''));
}

/** One text as `shownJson` shows it, without the signs of JSON. */
export function shownText(value: string, path: SettingPath): string {
  const text: unknown = JSON.parse(shownJson(value, path));
  return typeof text === 'string' ? text : '';
}

/** Whether `shownJson` shows all of it. */
export const isShownWhole = (value: Json | undefined, path: SettingPath): boolean =>
  value === undefined || shownJson(value, path) === JSON.stringify(value);

function shown(value: Json, key: string): Json {
  if (typeof value === 'string') {
    // Whoever mistakes the name of a variable for its value has written the value.
    if (NAME_KEY.test(key)) return VARIABLE.test(value) ? value : UNSHOWN;
    if (key === ADDRESSES) return UNSHOWN;
    if (SECRET_KEY.test(key) && !NO_SECRET_KEY.test(key)) return UNSHOWN;
    const hidden = withoutFlag(withoutParameters(value.replace(/(:\/\/)[^/?#@\s]{1,300}@/g, `$1${UNSHOWN}@`)));
    return hideDisguised(hidden);
  }
  if (Array.isArray(value)) {
    return value.map((one: Json, at) => {
      const before = value[at - 1];
      const isOfFlag = typeof before === 'string' && isSecretFlag(before);
      return isOfFlag && typeof one === 'string' ? UNSHOWN : shown(one, key);
    });
  }
  const object = jsonObject.safeParse(value).data;
  if (object === undefined) return value;
  return Object.fromEntries(
    Object.entries(object).map(([name, one]) => [name, shown(one, NAMES_IN.has(key) ? key : name)]),
  );
}

/** Of an address, the value of a parameter whose name says that it is secret. */
const withoutParameters = (text: string): string =>
  text.replace(/[?&][^?&#=\s]{1,100}=[^?&#\s]{1,2000}/g, (parameter) => {
    const at = parameter.indexOf('=') + 1;
    return SECRET_WORD.test(parameter.slice(0, at)) ? parameter.slice(0, at) + UNSHOWN : parameter;
  });

const isSecretFlag = (text: string): boolean => text.startsWith('-') && !text.includes('=') && SECRET_WORD.test(text);

function withoutFlag(text: string): string {
  const at = text.indexOf('=');
  return at > 0 && isSecretFlag(text.slice(0, at)) ? text.slice(0, at + 1) + UNSHOWN : text;
}
