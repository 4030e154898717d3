import type { FilesCapability, JsonObject } from '#contract';
import type { Persona } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { adviceOf } from '../learning/advice.ts';
import { canonicalJson } from '../lib/json.ts';
import type { Prompt } from '../policy/prompt.ts';
import { factsOf, namesShown } from '../policy/surface.ts';
import { createProvenance, type FileOf, type ShownToRun, textOf } from '../policy/values/provenance.ts';
import { fencedIn, type ShownPiece } from '../policy/values/shown.ts';
import { withoutAsked } from '../record/asked-in-words.ts';
import type { PinnedSettings } from '../record/settings.ts';
import type { LoopState } from '../record/state.ts';
import { taskOf } from '../record/trigger.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import { type Approval, argumentsOf, EDITED } from '../storage/types/approvals.ts';
import { ASKED } from '../suspensions/kinds.ts';
import { segmentsOf } from './files/folder.ts';

/** What a run that is under way was shown, and by whose word it works. */
export interface ReadingRun {
  readonly loaded: Pick<LoadedRun, 'trigger' | 'approvals' | 'message' | 'further'>;
  readonly settings: Pick<PinnedSettings, 'system' | 'tools' | 'pinned' | 'frame' | 'playbook' | 'scopes' | 'ownWords'>;
  readonly prompt: Pick<Prompt, 'shown'>;
  /** Its mail had a run before. */
  readonly isAgain: boolean;
  readonly state: Pick<LoopState, 'messages' | 'outcomes' | 'exposed' | 'modelCalls'>;
}

/** Names that the model whose calls these are was shown, as far as they still stand for the same; null: no model was. */
export function shownTo(
  reading: ReadingRun | null,
  known: Pick<Registry<RegisteredTool>, 'get'>,
): readonly string[] | null {
  if (reading === null) return null;
  const { tools, pinned = tools } = reading.settings;
  const shown = pinned === null ? null : namesShown(reading.state.exposed, pinned);
  // A server's tool that is another one by now has the name alone of what was shown.
  const isThere = (name: string) =>
    known.get(name)?.source.isForeign !== true || tools.some((tool) => tool.name === name);
  return shown?.filter(isThere) ?? null;
}

/** An owner put documents into `knowledge/`, and others may have written them. */
const ofDocuments = (text: string): readonly ShownPiece[] =>
  text === '' ? [] : [{ origin: 'a document in knowledge/', text, trusted: false, foreign: true, own: false }];

/** The advice of a playbook that was learned from words of others; a playbook without advice may lead its run all the same. */
function taughtByOthers({ playbook }: Pick<PinnedSettings, 'playbook'>): readonly ShownPiece[] {
  if (playbook?.tainted !== true) return [];
  const text = adviceOf(playbook) ?? '';
  return [{ origin: 'what was learned from earlier mail', text, trusted: false, foreign: true, own: true }];
}

/** Trusted are the owners' texts and the configuration, and whom an owner put on the thread. */
export function provenanceOfRun(
  { loaded, settings, prompt, state }: ReadingRun,
  around: {
    readonly persona: Persona;
    readonly known: Iterable<string>;
    readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
    readonly store: Pick<Store, 'madeFileHash' | 'wroteItself'>;
    readonly files: Pick<FilesCapability, 'owner' | 'read' | 'list'>;
    /** What owners have answered to questions of this thread, of earlier runs, too. */
    readonly answered: readonly string[];
  },
): ShownToRun {
  const { persona, known, tools, store, files, answered } = around;
  const { approvals } = loaded;
  const task = taskOf(loaded);
  const taught = taughtByOthers(settings);
  const system = settings.system
    .filter((text) => !taught.some((advice) => advice.text === text))
    .map((text) => fencedIn(text, 'knowledge_document'));
  const people = [persona.address, ...persona.aliases, ...persona.owners, ...known, ...(task?.deliver ?? [])];
  return createProvenance({
    trusted: [
      ...system.map(({ outside }) => outside),
      people.join('\n'),
      JSON.stringify(task?.condition ?? null),
      ...ownersWords(approvals),
      ...answered.map(withoutAsked),
    ],
    shown: [...prompt.shown, ...taught, ...system.flatMap(({ inside }) => ofDocuments(inside))],
    state,
    factsOf: (name) => {
      const tool = tools.get(name);
      return tool ? factsOf(tool) : null;
    },
    fileOf: (path) => fileOf(path, { store, files }),
    wroteItself: store.wroteItself,
  });
}

/** Whoever has ever written a file may have left its words there, whatever was added since. */
async function fileOf(
  path: string,
  { store, files }: Pick<Parameters<typeof provenanceOfRun>[1], 'store' | 'files'>,
): Promise<FileOf> {
  const clean = cleanPath(path);
  if (clean === null || clean === '') return { kind: 'none' };
  const isMade = (await store.madeFileHash(clean)) !== null;
  try {
    if (isMade) return { kind: 'own', text: await files.read(clean) };
    // A folder is nobody's: what a list of it shows are names, and those the persona may have given.
    const isFile = (await files.owner(clean)) === 'other' && !(await isFolder(clean, files));
    return { kind: isFile ? 'foreign' : 'none' };
  } catch {
    return isMade ? { kind: 'own', text: '' } : { kind: 'none' };
  }
}

const isFolder = (path: string, files: Pick<FilesCapability, 'list'>): Promise<boolean> =>
  files.list(path).then(
    () => true,
    () => false,
  );

/** As the files themselves read it; null for what names no file. */
function cleanPath(path: string): string | null {
  try {
    return segmentsOf(path).join('/');
  } catch {
    return null;
  }
}

/** What owners have said in this run: their answers to its questions, and what they put into calls that they edited. */
function ownersWords(approvals: readonly Approval[]): string[] {
  const answers = approvals.flatMap(({ kind, reason, decided_by }) =>
    ASKED[kind].answeredBy === 'words' && reason !== null && decided_by !== null ? [withoutAsked(reason)] : [],
  );
  const edits = approvals.flatMap((row, at) => {
    if (row.state !== 'stale' || row.reason !== EDITED) return [];
    const next = approvals.slice(at + 1).find(({ call_id }) => call_id === row.call_id);
    return next === undefined ? [] : changedIn(argumentsOf(row), argumentsOf(next));
  });
  return [...answers, ...edits];
}

function changedIn(before: JsonObject, after: JsonObject): string[] {
  const was = new Map(Object.entries(before).map(([name, value]) => [name, canonicalJson(value)]));
  return Object.entries(after).flatMap(([name, value]) =>
    was.get(name) === canonicalJson(value) ? [] : [textOf(value)],
  );
}
