import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EngineError, type Json } from '#contract';
import { anyJson, readJson } from '../../lib/json.ts';
import { PERSONA_ID, personaFileOf } from '../persona-file.ts';
import { SETTINGS_FILES, type SettingsName } from '../reference/settings.ts';

/** What may be named as the file of a setting, beside `persona/<id>`. */
export const FILE_NAMES = Object.keys(SETTINGS_FILES).filter((name) => name !== 'persona');

export const isSettingsName = (text: string): text is SettingsName => Object.hasOwn(SETTINGS_FILES, text);

/** Pure. The persona of `persona/<id>`; null: it names none. */
export const personaNamed = (name: string): string | null => {
  const [, id] = /^persona\/(.+)$/.exec(name) ?? [];
  return id !== undefined && PERSONA_ID.test(id) ? id : null;
};

/** The file that is meant, from the workspace. Throws `usage` for what is no file, `not_found` for a persona that there is not. */
export function fileNamed(root: string, name: string): string {
  if (isSettingsName(name) && name !== 'persona') return SETTINGS_FILES[name].file;
  const id = personaNamed(name);
  if (id === null) throw new EngineError('usage', `the file is one of ${FILE_NAMES.join(', ')}, or persona/<id>`);
  const file = personaFileOf(id);
  if (!existsSync(join(root, file)))
    throw new EngineError('not_found', `there is no persona ${id}; see \`epistle persona list\``);
  return file;
}

/** Pure. A key with dots, or one that has a dot itself as a JSON list. Throws `usage`. */
export function pathNamed(key: string): readonly (string | number)[] {
  const listed = key.startsWith('[') ? readJson(z.array(z.union([z.string(), z.int()])).min(1), key) : key.split('.');
  if (listed === undefined || listed.includes('')) throw new EngineError('usage', `${JSON.stringify(key)} is no key`);
  return listed;
}

/** Pure. Whatever is no JSON is a text, so that nobody has to quote twice. */
export const valueTyped = (text: string): Json => readJson(anyJson, text) ?? (text === 'null' ? null : text);
