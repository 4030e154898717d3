import { type ArtifactsCapability, EngineError } from '#contract';
import type { Blobs } from '../../storage/blobs.ts';
import { MAX_FILES } from './outgoing-files.ts';

const OTHER_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/**
 * Puts a file's bytes aside for the answer: they are on disk before the result is, so the answer carries these and no
 * later ones. Throws as reading does, `unsupported_runtime_action` for whom no file is to be read, and
 * `invalid_arguments` past the most files of a mail.
 */
export function createAttach({
  files,
  artifacts,
  mayRead,
  attached,
}: {
  files: {
    open(path: string): Promise<{ readonly path: string; readonly bytes: Uint8Array; readonly isText: boolean }>;
  };
  artifacts: Pick<Blobs, 'put'>;
  mayRead: boolean;
  /** Paths that the run has attached so far. */
  attached(): readonly string[];
}): ArtifactsCapability['attach'] {
  return async (wanted) => {
    if (!mayRead) throw new EngineError('unsupported_runtime_action', 'nobody may read files in answer to this mail');
    const { path, bytes, isText } = await files.open(wanted);
    if (new Set([...attached(), path]).size > MAX_FILES)
      throw new EngineError('invalid_arguments', `a mail can have at most ${MAX_FILES} attachments`);
    const name = path.split('/').at(-1) ?? path;
    return { path, name, type: typeOf(name, isText), bytes: bytes.length, sha256: artifacts.put(bytes) };
  };
}

const typeOf = (name: string, isText: boolean): string =>
  OTHER_TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ??
  (isText ? 'text/plain; charset=utf-8' : 'application/octet-stream');
