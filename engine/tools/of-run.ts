import type { Persona } from '../config/types.ts';
import type { DocumentReader } from '../documents/reader.ts';
import { type Language, languageOf } from '../languages/language.ts';
import { byLanguage, ownWordsIn } from '../languages/owner-language.ts';
import type { Clock } from '../lib/clock.ts';
import type { RunReads } from '../record/recorder.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import { createLibrary, type Library } from './documents/library.ts';
import { createKnowledge, type Knowledge, type KnowledgeFolder } from './knowledge/knowledge.ts';
import type { Reading } from './provenance-of-run.ts';

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
    store,
    artifacts,
    reader: documents,
    now: clock.now,
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

/** The run of a mail, and what it was shown; null where it is not the run that asks. */
interface Asking {
  readonly persona: Persona;
  readonly run: StoredRun;
  readonly store: RunReads;
  readonly reading: Pick<Reading, 'settings'> | null;
}

/** What owners are shown of a call is one text for all of them: in the language of most, of as many in that of the first. */
export async function languageOfOwners({ store, run, persona }: Asking): Promise<Language> {
  const message = await store.messageById(run.message);
  const readers = await byLanguage(store, persona, persona.owners, ownWordsIn({ run, message }));
  return readers.toSorted((one, other) => other.to.length - one.to.length)[0]?.language ?? persona.language;
}

/** That of the mail that it is about. */
export async function languageOfRun({ reading, store, run, persona }: Asking): Promise<Language> {
  const known = reading?.settings.frame?.language;
  if (known) return known;
  const message = await store.messageById(run.message);
  return languageOf([message?.new_text ?? ''], persona.language);
}
