import { z } from 'zod';
import type { Declared } from '../../record/declared.ts';
import type { Evidence } from './evidence.ts';
import { standsIn } from './figures/match.ts';

/**
 * An id of a call, of a result or of an artifact in brackets, in the spellings of the vendors and of our own traces.
 * It has a digit: "(call_back)" is a word.
 */
const CITED =
  /[[(](?:(?:ref|evidence|source|artifact|call|result)[: ]\s?)?((?:tr|call|toolu|fc|ev|obs|art|artifact|ref)_(?=[\w.:-]{0,99}\d)[\w.:-]{1,100}|[0-9a-f]{64})[\])]/giu;

/** Enough of an answer: nobody writes more in a mail. */
const MAX_CHARS = 40_000;

/**
 * Ids that an answer cites and that nothing has: no result of the run, and nothing that the model was shown. `isShown`
 * looks through the whole prompt, so it is asked only about ids that no result has.
 */
export function unknownIdsIn(
  text: string,
  evidence: readonly Evidence[],
  isShown: (id: string) => boolean,
): readonly string[] {
  const cited = [...text.slice(0, MAX_CHARS).matchAll(CITED)].map(([, id = '']) => id);
  return [...new Set(cited)].filter(
    (id) => !evidence.some((item) => item.id === id || item.ref === id) && !isShown(id),
  );
}

/**
 * How much of a section of the knowledge an answer has. `quote`: what cites it stands there word for word. `paraphrase`: it
 * is cited, in other words. `drifted`: it is cited, and its file says something else by now. `uncited`: it was opened, and
 * nothing cites it. `none`: it is cited, and no call of the run opened it.
 */
type Grade = 'quote' | 'paraphrase' | 'drifted' | 'uncited' | 'none';

export interface Citation {
  readonly id: string;
  /** The file; null of a section that no call opened. */
  readonly source: string | null;
  readonly grade: Grade;
}

const OPENED = z.object({
  sections: z.array(
    z.object({ id: z.string().regex(/^k\d{1,15}$/), path: z.string(), text: z.string(), sha256: z.string() }),
  ),
});

/** A section of a file as a call brought it. */
interface OpenedSection {
  readonly id: string;
  readonly path: string;
  readonly text: string;
  /** Of the whole file when it was read. */
  readonly sha256: string;
  readonly callId: string;
}

export const openedSections = (evidence: readonly Evidence[]): readonly OpenedSection[] =>
  evidence.flatMap(({ ok, id: callId, result }) => {
    const read = ok ? OPENED.safeParse(result) : null;
    return read?.success ? read.data.sections.map((section) => ({ ...section, callId })) : [];
  });

/** Words of an answer, and what they are said to rest on. */
interface Citing {
  readonly names: readonly string[];
  readonly words: string;
}

/** Sections that the run opened and those that its answer names, each graded. Pure. */
export function citationsOf(given: {
  readonly text: string;
  readonly declared: Declared | null;
  readonly evidence: readonly Evidence[];
  /** Ids of calls and of sections whose source says something else by now. */
  readonly drifted: ReadonlySet<string>;
}): readonly Citation[] {
  const opened = new Map(openedSections(given.evidence).map((section) => [section.id, section]));
  const citing = citingIn(given.text.slice(0, MAX_CHARS), given.declared);
  const named = new Set(citing.flatMap(({ names }) => names.flatMap(sectionsIn)));
  return [
    ...[...opened.values()].map((section): Citation => {
      const words = citing.filter(({ names }) => names.some((name) => means(name, section))).map((one) => one.words);
      return { id: section.id, source: section.path, grade: gradeOf(section, words, given.drifted) };
    }),
    ...[...named].filter((id) => !opened.has(id)).map((id): Citation => ({ id, source: null, grade: 'none' })),
  ];
}

/** Up to where a citation is compared: who quotes begins with the words. */
const COMPARED = 80;
const IN_BRACKETS = /[[(]([^[\]()\n]{1,200})[\])]/g;
const QUOTED = /[“„«「]([^“”„«»「」]{2,1000})[”“»」]|"([^"]{2,1000})"/g;
const END_OF_SENTENCE = /(?<=[.!?。])\s|\n/;

function gradeOf(section: OpenedSection, words: readonly string[], drifted: ReadonlySet<string>): Grade {
  if (words.length === 0) return 'uncited';
  if (drifted.has(section.id) || drifted.has(section.callId)) return 'drifted';
  return words.some((said) => isQuoted(said.replace(IN_BRACKETS, ' ').trim(), section.text)) ? 'quote' : 'paraphrase';
}

function isQuoted(said: string, text: string): boolean {
  const quotations = [...said.matchAll(QUOTED)].map(([, curly, straight]) => curly ?? straight ?? '');
  return [beginningOf(said), ...quotations].some((one) => standsIn(one, text));
}

function beginningOf(said: string): string {
  if (said.length <= COMPARED) return said;
  const end = said.lastIndexOf(' ', COMPARED);
  return said.slice(0, end > 0 ? end : COMPARED);
}

function citingIn(text: string, declared: Declared | null): readonly Citing[] {
  const inText = [...text.matchAll(IN_BRACKETS)].flatMap(({ index, 1: inside = '' }): Citing[] => {
    const names = sectionsIn(inside);
    return names.length === 0 ? [] : [{ names, words: sentenceBefore(text, index) }];
  });
  return [
    ...inText,
    ...(declared?.claims ?? []).map((claim) => ({ names: claim.evidence, words: claim.text })),
    ...(declared?.figures ?? []).map(({ shown, from }) => ({ names: from, words: shown })),
  ];
}

const sentenceBefore = (text: string, end: number): string =>
  text
    .slice(Math.max(0, end - 1000), end)
    .trim()
    .split(END_OF_SENTENCE)
    .at(-1) ?? '';

/** Ids of sections in a name, such as `[k12]`. */
export const sectionsIn = (name: string): readonly string[] => name.match(/\bk\d{1,15}\b/g) ?? [];

/** By its id, by its file, or by the call that opened it. */
const means = (name: string, { id, path, callId }: OpenedSection): boolean =>
  sectionsIn(name).includes(id) || name.trim() === path || name.trim() === callId;

/**
 * Results that carry the hash of their source (of its text in UTF-8) and whose source says something
 * else by now: a newer result of the run has another hash, or the file has. By call id; of a result that holds sections
 * of files, by the ids of the sections, since a call may open several files.
 */
export async function driftedSources(
  evidence: readonly Evidence[],
  /** Of a file of the persona; null when there is none. */
  hashOf: (path: string) => Promise<string | null>,
): Promise<ReadonlySet<string>> {
  const drifted = new Set(writtenSince(evidence));
  const latest = new Map<string, string>();
  for (const item of evidence.toReversed()) {
    const { hash: read } = item.facts;
    if (!item.ok || read === null) continue;
    const { sha256: hash, path } = read;
    const known = latest.get(item.source) ?? (path === null ? null : await hashOf(path)) ?? hash;
    latest.set(item.source, known);
    if (known !== hash) drifted.add(item.id);
  }
  const now = new Map<string, string | null>();
  const newest = new Map(openedSections(evidence).map((section) => [section.id, section]));
  for (const { id, path, sha256 } of newest.values()) {
    const known = now.has(path) ? now.get(path) : await hashOf(path);
    now.set(path, known ?? null);
    if ((known ?? sha256) !== sha256) drifted.add(id);
  }
  return drifted;
}

/** What was read of a file before a call of the same run changed it. */
function writtenSince(evidence: readonly Evidence[]): readonly string[] {
  const changes = evidence.flatMap((item, at) =>
    item.ok && item.risk !== 'read' ? [{ source: item.source, at }] : [],
  );
  return evidence.flatMap(({ id, risk, source }, at) =>
    risk === 'read' && changes.some((change) => change.at > at && change.source === source) ? [id] : [],
  );
}

/** What a run has looked up and others have changed since, and that it has not looked up again. */
export interface ChangedSource {
  /** A path, as its result names it. */
  readonly source: string;
  /** By which the model knows the last look at it, where it has such names. */
  readonly cite?: string;
  /** Ids of the looks at it. */
  readonly ids: readonly string[];
}

/** `drifted`: as `driftedSources` finds them. What the run itself has changed it knows. Pure. */
export function changedByOthers(evidence: readonly Evidence[], drifted: ReadonlySet<string>): readonly ChangedSource[] {
  const own = new Set(writtenSince(evidence));
  const isHeld = (at: number, source: string) =>
    evidence.some((item, later) => later > at && item.ok && item.source === source && !drifted.has(item.id));
  const looks = evidence.flatMap(({ id, ok, source, cite }, at) =>
    ok && drifted.has(id) && !own.has(id) && !isHeld(at, source) ? [{ id, source, cite }] : [],
  );
  const sections = openedSections(evidence).flatMap(({ id, path, callId }) => {
    const at = evidence.findIndex((item) => item.id === callId);
    return drifted.has(id) && !isHeld(at, path) ? [{ id, source: path, cite: evidence[at]?.cite }] : [];
  });
  return [...Map.groupBy([...looks, ...sections], ({ source }) => source)].map(([source, of]) => {
    const cite = of.at(-1)?.cite;
    return { source, ids: of.map(({ id }) => id), ...(cite === undefined ? {} : { cite }) };
  });
}
