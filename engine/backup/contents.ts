import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL } from '../config/journal/journal.ts';
import { type ListedFile, listFiles } from './listing.ts';

/** Folders of a workspace beside `data/`, which is written by the gateway. In `deleted` lies what personas had that are gone. */
const OWN_FOLDERS = ['configs', 'personas', 'extensions', 'deleted'] as const;

/** Beside them. Without `.gitignore` whoever keeps a restored workspace in Git would hand its secrets on. */
const OWN_FILES = ['.env', '.env.example', '.gitignore'] as const;

/** All folders of which files are copied. */
export const copiedFolders = (root: string, dataDir: string): readonly string[] => [
  ...OWN_FOLDERS.map((folder) => join(root, folder)),
  dataDir,
];

/** Secrets: whoever reads them can write as the owner or use the owner's keys. */
const isSecret = (path: string): boolean =>
  // What a change of settings was broken off at holds what `.env` becomes.
  path === '.env' || path === 'submission.secret' || path.startsWith('oauth/') || path.startsWith(JOURNAL);

const PEM_CHARS = 4096;

/** A private key, such as that of the listener's certificate. */
function isPrivateKey(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const beginning = Buffer.alloc(PEM_CHARS);
    const text = beginning.toString('latin1', 0, readSync(file, beginning, 0, PEM_CHARS, 0));
    return /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/.test(text);
  } finally {
    closeSync(file);
  }
}

/** Files of the owner, below the workspace. Packages of extensions are installed again, so they are left out. */
export function ownFiles(root: string, { secrets }: { readonly secrets: boolean }): readonly ListedFile[] {
  const inFolders = OWN_FOLDERS.flatMap((folder) =>
    listFiles(join(root, folder), (path) => !path.split('/').includes('node_modules')).map((file) => ({
      ...file,
      path: `${folder}/${file.path}`,
    })),
  );
  const beside = OWN_FILES.filter((file) => existsSync(join(root, file))).map((path) => ({
    path,
    kind: 'file' as const,
  }));
  const isLeftOut = ({ path, kind }: ListedFile) =>
    isSecret(path) || (kind === 'file' && isPrivateKey(join(root, ...path.split('/'))));
  return [...inFolders, ...beside].filter((one) => secrets || !isLeftOut(one));
}

/** Personas with a database, by the names of their folders. */
export function personasIn(dataDir: string): readonly string[] {
  return listFiles(join(dataDir, 'personas'), (path) => !path.includes('/'))
    .filter(({ path }) => path.endsWith('/persona.db'))
    .map(({ path }) => path.slice(0, path.indexOf('/')));
}

/** Folders of a persona whose files are named by their hash and never change. */
const BLOB_FOLDERS = ['mail', 'artifacts', 'undo'] as const;

export const blobsOf = (dataDir: string, persona: string): readonly ListedFile[] =>
  // A half-written blob ends in `.tmp`.
  BLOB_FOLDERS.flatMap((folder) => below(dataDir, `personas/${persona}/${folder}`)).filter(
    ({ path }) => !path.endsWith('.tmp'),
  );

/** All else of a persona's folder: its files, its calendars, `active.md`. */
export const filesOf = (dataDir: string, persona: string): readonly ListedFile[] =>
  below(
    dataDir,
    `personas/${persona}`,
    (path) => path !== 'tmp' && !BLOB_FOLDERS.some((folder) => folder === path),
  ).filter(({ path }) => !path.startsWith(`personas/${persona}/persona.db`));

/** Mail that left into a folder, each under the id of its row; it never changes. A half-written one ends otherwise. */
export const outgoingFiles = (dataDir: string): readonly ListedFile[] =>
  below(dataDir, 'outgoing').filter(({ path }) => path.endsWith('.eml'));

function below(dataDir: string, folder: string, enter?: (path: string) => boolean): ListedFile[] {
  return listFiles(join(dataDir, folder), enter).map((file) => ({ ...file, path: `${folder}/${file.path}` }));
}

/** Files of `data/` that say something of a running process, or belong to a database. */
const isOfAProcess = (path: string): boolean =>
  path === 'ready.json' ||
  path === 'gateway.log' ||
  path.startsWith('log/') ||
  path.startsWith('processes/') ||
  (path.startsWith('oauth/') && !path.endsWith('.json')) ||
  ['gateway.db', 'lock.db', 'lock.pins.db'].some((database) => path.startsWith(database));

/** Files of `data/` that belong to no persona, such as mail in `outgoing/`. */
export const sharedFiles = (dataDir: string, { secrets }: { readonly secrets: boolean }): readonly ListedFile[] =>
  listFiles(dataDir, (path) => path !== 'personas').filter(
    ({ path }) => !isOfAProcess(path) && (secrets || !isSecret(path)),
  );
