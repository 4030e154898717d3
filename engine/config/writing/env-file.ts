import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { EngineError } from '#contract';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { readTextFile } from '../json-file.ts';

/** Pure. The text of a `.env` in which `name` has this value; all other lines stay. Throws `usage` for what cannot be written. */
export function withVariable(text: string, name: string, value: string): string {
  const quoted = ["'", '"', '`']
    .map((quote) => `${quote}${value}${quote}`)
    .find((one) => parseEnv(`${name}=${one}`)[name] === value);
  if (quoted === undefined || /[\r\n]/.test(value))
    throw new EngineError('usage', `the value of ${name} cannot stand in .env`);
  const others = text.split('\n').filter((line) => !line.startsWith(`${name}=`));
  const body = others.join('\n').trimEnd();
  return `${body === '' ? '' : `${body}\n`}${name}=${quoted}\n`;
}

/** The names of the variables that `.env` of a workspace sets; their values are not told. */
export function variablesIn(root: string): ReadonlySet<string> {
  const read = readTextFile(join(root, '.env'), '.env');
  return new Set(read.state === 'text' ? Object.keys(parseEnv(read.text)) : []);
}

/** Writes a secret into `.env` of a workspace, readable by its owner alone. */
export function writeSecret(root: string, name: string, value: string): void {
  const path = join(root, '.env');
  const read = readTextFile(path, '.env');
  const before = read.state === 'text' ? read.text : '';
  writeDurably(root, path, Buffer.from(withVariable(before, name, value)), { mode: 0o600 });
}
