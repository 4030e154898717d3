import type { Json } from '#contract';
import type { Configs, Persona } from '../config/types.ts';
import type { DocumentReader } from '../documents/reader.ts';
import type { Language } from '../languages/language.ts';
import type { Clock } from '../lib/clock.ts';
import { sha256 } from '../lib/ids.ts';
import { UNDO_MS } from '../lib/undo-window.ts';
import { CONTEXT_DENIED } from '../policy/delegated.ts';
import { undoEndJob } from '../record/jobs/job-kinds.ts';
import type { RunReads } from '../record/recorder.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import type { Packet } from '../storage/types/suspensions.ts';
import { createLibrary, documentText, type Library } from './documents/library.ts';
import type { FilesDesk } from './files/desk.ts';
import { createFiles, type OpenFiles, withinRoot } from './files/files.ts';
import { handedFiles } from './files/handed.ts';
import { createKnowledge, KNOWLEDGE, type Knowledge, type KnowledgeFolder } from './knowledge/knowledge.ts';
import type { PrepareContext } from './prepare.ts';
import { LIST_FILES } from './run-surface.ts';

export type { OpenFiles } from './files/files.ts';

export interface ShelfDeps {
  readonly documents: DocumentReader;
  /** The files of the owners. */
  readonly workspace: KnowledgeFolder;
  filesOf(personaId: string): PersonaFiles;
  /** One for the whole process. */
  readonly filesDesk: FilesDesk;
  readonly clock: Clock;
}

export interface Shelf {
  readonly library: Library;
  readonly knowledge: Knowledge;
}

/**
 * What a run can open: documents, which are read on the account of whoever sent the mail, and what the owner put into
 * `knowledge/`. `maxWhole`: so many characters of that are given whole to every mail.
 */
export function shelfOfRun(
  deps: Omit<ShelfDeps, 'filesDesk'>,
  user: { readonly persona: Persona; readonly run: Pick<StoredRun, 'sender'>; readonly store: RunReads },
  maxWhole: number,
): Shelf {
  const { persona, run, store } = user;
  const { now } = deps.clock;
  const { artifacts } = deps.filesOf(persona.id);
  const account = `${persona.id} ${run.sender ?? ''}`;
  const library = createLibrary({ store, artifacts, reader: deps.documents, now, account });
  const knowledge = createKnowledge({
    personaId: persona.id,
    folder: deps.workspace,
    store,
    library,
    maxWhole,
    now,
  });
  return { library, knowledge };
}

/** The files of the persona, as a run may open them. */
export interface FilesOfRun {
  /** Until the signal ends it. `isMade`: for a call that is made, and not only prepared. */
  open(signal: AbortSignal, isMade?: boolean): OpenFiles;
  /** Of one of them or of one in `knowledge/`; null when it cannot be read. */
  hashOf(path: string): Promise<string | null>;
  /** The arguments of a tool with a path as the files themselves name it. */
  within(tool: string, args: Json): Json;
}

export function filesOfRun(
  deps: ShelfDeps,
  user: {
    readonly persona: Persona;
    readonly configs: Pick<Configs, 'gateway'>;
    readonly run: Pick<StoredRun, 'id'>;
    readonly store: RunReads;
    readonly signal: AbortSignal;
    readonly packet?: Packet | null;
  },
  {
    shelf: { library, knowledge },
    refusal,
    language,
  }: {
    readonly shelf: Shelf;
    readonly refusal: PrepareContext['surfaceRefusal'];
    /** In which owners are shown what is to become of one. */
    language(): Promise<Language>;
  },
): FilesOfRun {
  const { persona, configs, run, store, packet = null } = user;
  const { filesRoot, temporary, undo } = deps.filesOf(persona.id);
  const record = {
    made: store.recordMadeFile,
    madeHash: store.madeFileHash,
    removing(file: { path: string; sha256: string; bytes: number }) {
      const until = deps.clock.now() + UNDO_MS;
      return store.recordRemovedFile({ ...file, run_id: run.id, until }, undoEndJob(until));
    },
    removed: (path: string) => store.removedFile(run.id, path),
    keptBytes: store.removedBytes,
  };
  const open = (signal: AbortSignal, isMade = true) => {
    const all = createFiles({
      root: filesRoot,
      temporary,
      record,
      undo,
      maxFilesBytes: configs.gateway.limits.max_files_bytes,
      desk: deps.filesDesk,
      signal,
      language,
      documentText: (file) => documentText(library, file),
      // A child run sees what it was handed; and whoever may not list the files hears of no other. Names are others' words as
      // often as not, and a call that is only prepared does not count as one that has read any.
      tellsNames: isMade && packet === null && refusal(LIST_FILES) === null,
    });
    return packet === null ? all : handedFiles(all, packet.files, CONTEXT_DENIED);
  };
  return {
    open,
    hashOf: (path) =>
      path.startsWith(KNOWLEDGE)
        ? knowledge.hashOf(path.slice(KNOWLEDGE.length))
        : open(user.signal)
            .text(path)
            .then(sha256, () => null),
    within: (tool, args) => withinRoot(filesRoot, tool, args),
  };
}
