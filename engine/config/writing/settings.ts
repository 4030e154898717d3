import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EngineError, type Json } from '#contract';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { jsonObject } from '../../lib/json.ts';
import { readWholeJson } from '../json-file.ts';
import { describeProblem } from '../problems/problem.ts';
import { schemaLine } from './schema-line.ts';

/** One setting that becomes another. */
export interface SettingChange {
  /** Relative to the workspace, such as `configs/gateway.json`. */
  readonly file: string;
  readonly path: readonly (string | number)[];
  readonly from: Json;
  readonly to: Json;
}

/** The dotted key of a change, for people: `mailboxes.0.imap.authserv_id`. */
export const keyOf = ({ path }: SettingChange): string => path.join('.');

/** Pure. `value` with what stands at `path` replaced; objects on the way are made where they are missing. */
export function withSetting(value: Json, path: readonly (string | number)[], to: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  if (typeof key === 'number') {
    const list = Array.isArray(value) ? value : [];
    return list.map((one, at) => (at === key ? withSetting(one, rest, to) : one));
  }
  const object = jsonObject.safeParse(value).data ?? {};
  return { ...object, [key]: withSetting(object[key] ?? null, rest, to) };
}

/** Writes these settings, each file at once, atomically and durably. Throws `config_invalid` for a file that is no JSON. */
export function writeSettings(root: string, changes: readonly SettingChange[]): void {
  for (const [file, ofFile] of Map.groupBy(changes, (one) => one.file)) {
    const path = join(root, file);
    const read = readWholeJson(path, file);
    if (read.state === 'bad') throw new EngineError('config_invalid', describeProblem(read.problem));
    const before = read.state === 'json' ? (jsonObject.safeParse(read.value).data ?? {}) : schemaLine(root, file);
    const after = ofFile.reduce<Json>((value, change) => withSetting(value, change.path, change.to), before);
    const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
    writeDurably(dirname(path), path, Buffer.from(`${JSON.stringify(after, null, 2)}\n`), { mode });
  }
}
