import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { firstWordsOf } from '../../../actions/set-up/persona-folder.ts';
import type { Change, Wanted } from '../../../config/writing/change.ts';
import { writeDurably } from '../../../lib/files/durable-file.ts';
import { readJson } from '../../../lib/json.ts';
import type { LearnedServer } from '../../trial/learn.ts';
import { writeSchemas } from '../set-up/schemas.ts';
import { templateFiles } from '../set-up/templates.ts';
import { type Saved, type SetupAnswers, savedSchema } from './answers.ts';
import { settingsFor } from './plan.ts';
import type { Present } from './present.ts';

const SAVED = '.setup.json';

/** Pure but for the home. The folder that somebody has typed, `~` with it. */
export const folderIn = (typed: string): string => resolve(typed.trim().replace(/^~(?=\/|$)/, homedir()));

/** Why no workspace can stand there; null: one can. */
export function folderFault(folder: string): string | null {
  if (!existsSync(folder)) return dirname(folder) === folder ? null : folderFault(dirname(folder));
  if (!statSync(folder).isDirectory()) return `${folder} is a file; name a folder`;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch {
    return `nothing may be written into ${folder}; name a folder of your own`;
  }
}

/** The answers of a setup that was broken off. */
export function savedAnswers(root: string): Saved {
  const path = join(root, SAVED);
  return existsSync(path) ? (readJson(savedSchema, readFileSync(path, 'utf8')) ?? {}) : {};
}

export const save = (root: string, saved: Saved): void =>
  writeDurably(root, join(root, SAVED), Buffer.from(`${JSON.stringify(saved, null, 2)}\n`));

export const forget = (root: string): void => rmSync(join(root, SAVED), { force: true });

/** All that a workspace is to say with these answers; a new one gets the files of the templates as well. */
export const wantedOf = (
  answers: SetupAnswers,
  { border, present, secrets }: { border: LearnedServer; present: Present; secrets: Readonly<Record<string, string>> },
): Wanted => ({
  settings: settingsFor(answers, border, present),
  texts: [
    ...(present.isNew ? templateFiles({ personas: false }) : []),
    ...(present.personas.some(({ id }) => id === answers.persona.id)
      ? []
      : [{ file: `personas/${answers.persona.id}/PERSONA.md`, text: firstWordsOf(answers.persona.name) }]),
  ],
  secrets: Object.entries(secrets).map(([name, value]) => ({ name, value })),
});

/** Makes the workspace, or changes the one that is there; all of it, or nothing. */
export function writeWorkspace(root: string, change: Change, { isNew }: Pick<Present, 'isNew'>): void {
  if (isNew) {
    mkdirSync(root, { recursive: true });
    writeSchemas(root);
  }
  change.write();
  forget(root);
}
