import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EXTENSION_FOLDERS } from '../extension-schemas.ts';

/** File times tick in steps of a few milliseconds; what was written within this may be written again unseen. */
const RACY_MS = 100;

/** What tells one state of a file or folder from another without reading it. */
export interface Stamp {
  readonly text: string;
  /** False when the file changed a moment ago: the same stamp may then hide a second change. */
  readonly settled: boolean;
}

const ABSENT: Stamp = { text: '', settled: true };

export function stampOf(path: string): Stamp {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return ABSENT;
    // File times are the system's, whatever the engine's clock says in a test.
    const settled = Math.abs(Date.now() - found.ctimeMs) > RACY_MS;
    return { text: `${found.ctimeMs}:${found.size}:${found.ino}`, settled };
  } catch {
    return ABSENT;
  }
}

export const unchanged = (before: Stamp | null, now: Stamp): boolean =>
  before?.settled === true && before.text === now.text;

/** The state of the task files of one persona: names and stamps. Empty when there is no `tasks` folder. */
export function taskStamp(folder: string): string {
  // Most personas have none, and a listing that fails costs ten times this look.
  if (stampOf(folder).text === '') return '';
  return namesIn(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${name}=${stampOf(join(folder, name)).text}`)
    .join('\n');
}

/** The text of every manifest under a folder of extensions and the state of the code beside it, so that any edit shows. */
export function extensionsStamp(folder: string): string {
  return EXTENSION_FOLDERS.flatMap((kind) => namesIn(join(folder, kind)).map((name) => join(kind, name)))
    .map((path) => `${path}\n${textOf(join(folder, path, 'manifest.json'))}${codeStamp(join(folder, path))}`)
    .join('\n');
}

const codeStamp = (folder: string): string =>
  namesIn(folder)
    .filter((name) => /\.[cm]?[jt]s$/.test(name))
    .map((name) => `${name}=${stampOf(join(folder, name)).text}`)
    .join('\n');

function textOf(path: string): string {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
