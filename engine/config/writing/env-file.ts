import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { EngineError } from '#contract';
import { readTextFile } from '../json-file.ts';

/** Pure. The text of a `.env` in which `name` has this value; all other lines stay where they are. Throws `usage` for what cannot be written. */
export function withVariable(text: string, name: string, value: string): string {
  const quoted = ["'", '"', '`']
    .map((quote) => `${quote}${value}${quote}`)
    .find((one) => parseEnv(`${name}=${one}`)[name] === value);
  if (quoted === undefined || /[\r\n]/.test(value))
    throw new EngineError('usage', `the value of ${name} cannot stand in .env`);
  if (parseEnv(text)[name] === value) return text;
  const line = `${name}=${quoted}`;
  const before = text.split('\n');
  const at = before.findIndex((one) => one.startsWith(`${name}=`));
  const lines = before.flatMap((one, index) => (index === at ? [line] : one.startsWith(`${name}=`) ? [] : [one]));
  const replaced = lines.join('\n');
  // The last one counts, and it may be written in another way.
  if (parseEnv(replaced)[name] === value) return replaced;
  return `${replaced}${replaced === '' || replaced.endsWith('\n') ? '' : '\n'}${line}\n`;
}

/** The names of the variables that `.env` of a workspace sets; their values are not told. */
export function variablesIn(root: string): ReadonlySet<string> {
  const read = readTextFile(join(root, '.env'), '.env');
  return new Set(read.state === 'text' ? Object.keys(parseEnv(read.text)) : []);
}
