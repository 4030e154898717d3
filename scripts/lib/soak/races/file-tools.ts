import { join } from 'node:path';
import { EngineError, type FilesCapability } from '#contract';
import { createBlobs } from '../../../../engine/storage/blobs.ts';
import type { FilesDesk } from '../../../../engine/tools/files/desk.ts';
import { createFiles } from '../../../../engine/tools/files/files.ts';

/** The file tools of the product, with what storage would remember kept in memory. */
export function fileTools(persona: string, desk: FilesDesk): FilesCapability {
  const made = new Map<string, string>();
  return createFiles({
    root: join(persona, 'files'),
    temporary: join(persona, 'tmp'),
    undo: createBlobs(join(persona, 'undo')),
    record: {
      made: async (path, sha256) => void made.set(path, sha256),
      madeHash: async (path) => made.get(path) ?? null,
      removing: async () => undefined,
      removed: async () => undefined,
      keptBytes: async () => 0,
    },
    maxFilesBytes: 2 ** 30,
    desk,
    signal: new AbortController().signal,
    language: async () => 'en' as const,
    tellsNames: true,
    documentText: () => Promise.reject(new EngineError('tool_failed', 'no documents are read here')),
  });
}
