import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { readWholeJson } from '../../config/json-file.ts';
import { describeProblem } from '../../config/problems/problem.ts';
import { schemaLine } from '../../config/writing/schema-line.ts';
import type { KindFolder } from '../../extensions/loading/find.ts';
import { writeDurably } from '../../lib/files/durable-file.ts';

const FILE = 'extensions/extensions.json';

/** Adds a name to extensions.json and leaves the rest as it is. Throws `config_invalid` when it cannot be read. */
export function listExtension(root: string, folder: KindFolder, name: string): void {
  const path = join(root, FILE);
  const read = readWholeJson(path, FILE);
  if (read.state === 'bad') throw new EngineError('config_invalid', describeProblem(read.problem));
  const value = read.state === 'json' ? read.value : schemaLine(root, FILE);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EngineError('config_invalid', `${FILE}: is no object; expected {"tools": [], …}`);
  }
  const listed: unknown = Object.hasOwn(value, folder) ? Reflect.get(value, folder) : [];
  if (!Array.isArray(listed)) throw new EngineError('config_invalid', `${FILE}: ${folder}: is no list`);
  if (listed.some((entry: unknown) => nameOf(entry) === name)) return;
  mkdirSync(join(root, 'extensions'), { recursive: true });
  const text = `${JSON.stringify({ ...value, [folder]: [...listed, name] }, null, 2)}\n`;
  writeDurably(join(root, 'extensions'), path, Buffer.from(text));
}

const nameOf = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'name') : entry;
