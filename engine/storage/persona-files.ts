import { join } from 'node:path';
import { type Blobs, createBlobs } from './blobs.ts';

/** A persona's folders under `data/personas/<id>/`. */
export interface PersonaFiles {
  readonly mail: Blobs;
  readonly artifacts: Blobs;
  /** Where the persona's own files live. */
  readonly filesRoot: string;
}

export function personaFiles(dataDir: string, personaId: string): PersonaFiles {
  const folder = join(dataDir, 'personas', personaId);
  return {
    mail: createBlobs(join(folder, 'mail'), '.eml'),
    artifacts: createBlobs(join(folder, 'artifacts')),
    filesRoot: join(folder, 'files'),
  };
}
