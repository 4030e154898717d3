import type { Persona } from '../config/types.ts';
import type { DocumentReader } from '../documents/reader.ts';
import type { Clock } from '../lib/clock.ts';
import type { RunReads } from '../record/recorder.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import { createLibrary, type Library } from './documents/library.ts';
import { createKnowledge, type Knowledge, type KnowledgeFolder } from './knowledge/knowledge.ts';

interface Deps {
  readonly documents: DocumentReader;
  filesOf(personaId: string): PersonaFiles;
  readonly clock: Clock;
}

/** On whose account and in whose store. */
interface User {
  readonly persona: Persona;
  readonly run: Pick<StoredRun, 'sender'>;
  readonly store: RunReads;
}

/** Documents are read on the account of whoever sent the mail. */
export function libraryOfRun({ documents, filesOf, clock }: Deps, { persona, run, store }: User): Library {
  const { artifacts } = filesOf(persona.id);
  return createLibrary({
    ...{ store, artifacts, reader: documents, now: clock.now },
    account: `${persona.id} ${run.sender ?? ''}`,
  });
}

/** What the owner put into `knowledge/`; `maxWhole`: so many characters of it are given whole to every mail. */
export const knowledgeOfRun = (
  deps: Deps & { readonly workspace: KnowledgeFolder },
  user: User,
  maxWhole: number,
): Knowledge =>
  createKnowledge({
    personaId: user.persona.id,
    folder: deps.workspace,
    store: user.store,
    library: libraryOfRun(deps, user),
    maxWhole,
    now: deps.clock.now,
  });
