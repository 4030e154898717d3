import { join } from 'node:path';
import { createBlobs } from '../../../../engine/storage/blobs.ts';
import { createFilesDesk } from '../../../../engine/tools/files/desk.ts';
import { createFiles, type FileRecord, type FilesOptions } from '../../../../engine/tools/files/files.ts';
import type { RemovedRecord } from '../../../../engine/tools/files/removed.ts';

/** What storage would remember of a persona's files. */
export function rememberedFiles(): FileRecord & RemovedRecord {
  const hashes = new Map<string, string>();
  const gone = new Map<string, { sha256: string; bytes: number }>();
  return {
    made: async (path, sha256) => void hashes.set(path, sha256),
    madeHash: async (path) => hashes.get(path) ?? null,
    removing: async ({ path, ...file }) => void gone.set(path, file),
    removed: async (path) => gone.get(path),
    keptBytes: async () => [...gone.values()].reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export const filesIn = (
  root: string,
  record: Partial<FileRecord & RemovedRecord> = {},
  more: Partial<FilesOptions> = {},
) =>
  createFiles({
    root,
    temporary: join(root, '..', 'tmp'),
    record: { ...rememberedFiles(), ...record },
    undo: createBlobs(join(root, '..', 'undo')),
    maxFilesBytes: 2 ** 30,
    desk: createFilesDesk({ now: () => 0 }),
    signal: new AbortController().signal,
    language: async () => 'en',
    tellsNames: true,
    documentText: async ({ name }) => `what ${name} says\n`,
    ...more,
  });
