import { type ArtifactsCapability, EngineError } from '#contract';
import type { Blobs } from '../../storage/blobs.ts';
import { typeOfFile } from './file-type.ts';
import { MAX_FILES, type OpensFiles } from './outgoing-files.ts';

/** Where files are put aside for the answer of a run. */
export interface Aside {
  readonly artifacts: Pick<Blobs, 'put'>;
  /** Paths that the run has attached so far. */
  attached(): readonly string[];
}

/** A file that the answer carries, as a tool returns it: what was put aside is found again by it. */
export interface PutAside {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Its bytes are on disk before this returns. Throws `invalid_arguments` past the most files of a mail. */
export function putAside(
  { artifacts, attached }: Aside,
  { path, bytes, isText }: { readonly path: string; readonly bytes: Uint8Array; readonly isText: boolean },
): PutAside {
  if (new Set([...attached(), path]).size > MAX_FILES)
    throw new EngineError('invalid_arguments', `a mail can have at most ${MAX_FILES} attachments`);
  const name = path.split('/').at(-1) ?? path;
  return { path, name, type: typeOfFile(name, isText), bytes: bytes.length, sha256: artifacts.put(bytes) };
}

/**
 * Puts a file's bytes aside for the answer: they are on disk before the result is, so the answer carries these and no
 * later ones. Throws as reading does, `unsupported_runtime_action` for whom no file is to be read, and
 * `invalid_arguments` past the most files of a mail.
 */
export function createAttach({
  files,
  mayRead,
  ...aside
}: Aside & {
  files: OpensFiles;
  mayRead: boolean;
}): ArtifactsCapability['attach'] {
  return async (wanted) => {
    if (!mayRead) throw new EngineError('unsupported_runtime_action', 'nobody may read files in answer to this mail');
    return putAside(aside, await files.open(wanted));
  };
}
