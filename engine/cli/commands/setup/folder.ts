import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { readJsonFile } from '../../../config/json-file.ts';
import { describeProblem } from '../../../config/problems/problem.ts';
import { type SettingChange, writeSettings } from '../../../config/writing/settings.ts';
import { writeDurably } from '../../../lib/files/durable-file.ts';
import { jsonObject, readJson } from '../../../lib/json.ts';
import { writeTemplates } from '../set-up/templates.ts';
import { type Saved, savedSchema } from './answers.ts';
import type { Present } from './plan.ts';

const SAVED = '.setup.json';

/** The answers of a setup that was broken off. */
export function savedAnswers(root: string): Saved {
  const path = join(root, SAVED);
  return existsSync(path) ? (readJson(savedSchema, readFileSync(path, 'utf8')) ?? {}) : {};
}

export const save = (root: string, saved: Saved): void =>
  writeDurably(root, join(root, SAVED), Buffer.from(`${JSON.stringify(saved, null, 2)}\n`));

/** Settings that are there already. Throws `config_invalid` for a file that is no JSON: it is not overwritten. */
export function presentIn(root: string): Present {
  const read = (file: string) => {
    const found = readJsonFile(join(root, file), file);
    if (found.state === 'bad') throw new EngineError('config_invalid', describeProblem(found.problem));
    return found.state === 'json' ? (jsonObject.safeParse(found.value).data ?? null) : null;
  };
  return {
    gateway: read('configs/gateway.json'),
    security: read('configs/security.json'),
    extensions: read('extensions/extensions.json'),
  };
}

/** Makes the workspace, or changes the one that is there. Returns the files that are written, relative to it. */
export function writeWorkspace(
  root: string,
  changes: readonly SettingChange[],
  persona: { id: string; name: string },
): string[] {
  const made = writeTemplates(root, { personas: false });
  const own: readonly [string, string][] = [
    [
      `personas/${persona.id}/PERSONA.md`,
      `You are ${persona.name}. You answer mail briefly and say what you do not know.\n`,
    ],
  ];
  const missing = own.filter(([file]) => !existsSync(join(root, file)));
  for (const [file, text] of missing) {
    const path = join(root, file);
    writeDurably(join(path, '..'), path, Buffer.from(text), { mode: 0o644 });
  }
  writeSettings(root, changes);
  rmSync(join(root, SAVED), { force: true });
  return [...new Set([...made, ...missing.map(([file]) => file), ...changes.map(({ file }) => file), '.env'])];
}
