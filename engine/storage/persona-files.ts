import { join } from 'node:path';
import { createBatchedFsync } from './batched-fsync.ts';
import { type Blobs, createBlobs } from './blobs.ts';

/** A persona's folders under `data/personas/<id>/`. */
export interface PersonaFiles {
  readonly mail: Blobs;
  /** Resolves when the raw bytes of a mail, under their hash, would survive a power cut. */
  keepMail(raw: Uint8Array, sha256: string): Promise<void>;
  readonly artifacts: Blobs;
  /** What tools took away and can be brought back. */
  readonly undo: Blobs;
  /** The folder of the persona's own files. */
  readonly filesRoot: string;
  /** Calendars of the owner that were fetched. */
  readonly calendars: string;
  /** Beside `files/`, on its disk, and out of reach of whoever works in there: what is not finished yet. */
  readonly temporary: string;
}

/** `writeMail` is shared by all personas, so that mail for many of them is flushed together. */
export function personaFiles(dataDir: string, personaId: string, writeMail = createBatchedFsync()): PersonaFiles {
  const folder = join(dataDir, 'personas', personaId);
  const mailFolder = join(folder, 'mail');
  const mail = createBlobs(mailFolder, '.eml');
  return {
    mail,
    keepMail: (raw, sha256) => writeMail(mailFolder, mail.pathOf(sha256), raw),
    artifacts: createBlobs(join(folder, 'artifacts')),
    undo: createBlobs(join(folder, 'undo')),
    filesRoot: join(folder, 'files'),
    calendars: join(folder, 'calendars'),
    temporary: join(folder, 'tmp'),
  };
}
