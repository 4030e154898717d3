import { standsIn } from '../../policy/values/provenance.ts';
import { fencedIn, type ShownPiece } from '../../policy/values/shown.ts';
import type { GatherRun } from './parts.ts';

const MOST = 40;
const MAX_NAME = 200;
const LIST_FILES = 'list_files';

/**
 * The persona's files by name, so that no call is spent on looking or on a name that is not there. A name may be somebody else's
 * words, and is long enough to say what is to be done: one that no trusted text has is told only to a run that has read others'
 * words anyway. Null: there are none, or this run may not list them.
 */
export async function ownFiles(
  { loaded, offered, fileNames }: Pick<GatherRun, 'loaded' | 'offered' | 'fileNames'>,
  { system, shown }: { readonly system: readonly string[]; readonly shown: readonly ShownPiece[] },
): Promise<string | null> {
  if (loaded.trigger.kind === 'delegation' || !offered.some(({ name }) => name === LIST_FILES)) return null;
  const { names, isCut } = await fileNames();
  if (names.length === 0) return null;
  const trusted = [
    ...system.map((text) => fencedIn(text, 'knowledge_document').outside),
    ...shown.filter((piece) => piece.trusted).map(({ text }) => text),
  ];
  const isExposed = shown.some(({ foreign }) => foreign);
  const told = names.filter(
    (name) => name.length <= MAX_NAME && (isExposed || trusted.some((text) => standsIn(text, name.toLowerCase()))),
  );
  const listed = told.slice(0, MOST).map((name) => JSON.stringify(name));
  const more = names.length - listed.length;
  const rest =
    more > 0 || isCut ? [`${isCut ? 'at least ' : ''}${more} ${listed.length === 0 ? '' : 'more '}by list_files`] : [];
  return `Your files: ${[...listed, ...rest].join(', ')}`;
}
