import { EngineError, type KnowledgeCapability, type KnowledgeFound } from '#contract';
import { iso } from '../../lib/clock.ts';
import { sha256 } from '../../lib/ids.ts';
import type { KnowledgeStore } from '../../storage/ports/knowledge.ts';
import type { KnowledgeFile, KnowledgeSection, NewSection } from '../../storage/types/knowledge.ts';
import type { Library } from '../documents/library.ts';
import { endOfPage } from '../documents/page.ts';

/** What is found in the folder, and how its files are read. */
export interface KnowledgeFolder {
  walk(path: string): Promise<readonly Pick<KnowledgeFile, 'path' | 'bytes' | 'changed_at'>[]>;
  readBytes(path: string): Promise<Uint8Array | null>;
}

/** One look takes in so much that is new; the next one goes on. A mail waits for it. */
const TAKE_IN_MS = 4000;
/** Of a text, from which on it counts as another one. */
const REWRITTEN = 0.2;
/** Before the path of a file, so that it is not taken for one of `files/`. */
export const KNOWLEDGE = 'knowledge:';

/** The persona's `knowledge/`, as it stands on disk whenever it is asked. */
export interface Knowledge extends KnowledgeCapability {
  /** Whether there is more than is given whole; false where the folder cannot be looked at. */
  isLarge(): Promise<boolean>;
  /** Of a file now; null when it is not there or cannot be read. */
  hashOf(path: string): Promise<string | null>;
}

/** Files that people write themselves; all others come from somewhere. */
const OWNERS = /\.(?:md|markdown|txt|text)$/i;

interface TakenIn {
  readonly files: readonly KnowledgeFile[];
  /** Paths for which there was no time. */
  readonly unread: readonly string[];
}

export function createKnowledge(options: {
  readonly personaId: string;
  readonly folder: KnowledgeFolder;
  readonly store: KnowledgeStore;
  readonly library: Library;
  /** Characters that are given whole. */
  readonly maxWhole: number;
  now(): number;
}): Knowledge {
  const { folder, store, library, now, maxWhole } = options;
  const root = `personas/${options.personaId}/knowledge`;

  /** Brings the index to what stands on disk; what of it is not read yet. */
  async function takeIn(): Promise<TakenIn> {
    const [onDisk, known] = [await folder.walk(root), await store.knowledgeFiles()];
    const byPath = new Map(known.map((file) => [file.path, file]));
    const gone = byPath.size === 0 ? [] : missing(known, onDisk);
    if (gone.length > 0) await store.forgetKnowledge(gone);
    const changed = onDisk.filter((file) => !isSame(file, byPath.get(file.path)));
    const until = now() + TAKE_IN_MS;
    const unread: string[] = [];
    for (const file of changed) {
      if (now() > until) unread.push(file.path);
      else await takeInFile(file, byPath.get(file.path));
    }
    return { files: changed.length + gone.length > 0 ? await store.knowledgeFiles() : known, unread };
  }

  async function takeInFile(
    found: Pick<KnowledgeFile, 'path' | 'bytes' | 'changed_at'>,
    before: KnowledgeFile | undefined,
  ): Promise<void> {
    const { text, pages, hash, unreadable } = await readFile(found.path);
    const isChanged = before !== undefined && before.sha256 !== hash;
    const sections = sectionsOf(text, pages);
    const share = isChanged ? changedShare(await store.knowledgeTexts(found.path), sections) : 0;
    await store.keepKnowledge(
      {
        ...found,
        sha256: hash,
        characters: text.length,
        unreadable,
        indexed_at: now(),
        rewritten_at: share >= REWRITTEN ? now() : (before?.rewritten_at ?? null),
      },
      sections,
    );
  }

  async function readFile(path: string) {
    const nothing = { text: '', pages: [], hash: '' };
    try {
      const bytes = await folder.readBytes(`${root}/${path}`);
      if (bytes === null) return { ...nothing, unreadable: 'it is no file any more' };
      const hash = sha256(bytes);
      const name = path.split('/').at(-1) ?? path;
      const entry = await library.open({ sha256: hash, name, type: '', charset: null, load: async () => bytes });
      if (!entry.ok) return { ...nothing, hash, unreadable: entry.refusal.message };
      return { text: await entry.text(), pages: entry.facts.pages, hash, unreadable: null };
    } catch (error) {
      // A link that was changed, a file of another's: the other files are read all the same.
      return { ...nothing, unreadable: error instanceof EngineError ? error.message : 'it cannot be opened' };
    }
  }

  const charactersOf = (files: readonly KnowledgeFile[]): number =>
    files.reduce((sum, { characters }) => sum + characters, 0);

  /** What a run looks at before it is shown tools, and then for its prompt, is one look. */
  let looked: Promise<TakenIn> | null = null;

  return {
    isLarge() {
      looked = takeIn();
      return looked.then(
        ({ files }) => charactersOf(files) > maxWhole,
        () => false,
      );
    },
    async whole() {
      const { files, unread } = await (looked ?? takeIn());
      looked = null;
      const characters = charactersOf(files);
      const unreadable = files.flatMap(({ path, unreadable: why }) => (why === null ? [] : [{ path, why }]));
      const all = { files: files.length, characters, unread, unreadable };
      if (characters > maxWhole) return { ...all, texts: null };
      const sections = characters === 0 ? [] : await store.knowledgeTexts(null);
      const texts = [...Map.groupBy(sections, ({ path }) => path)].map(([path, of]) => ({
        path,
        text: of.map(({ text }) => text).join(''),
        isDocument: !OWNERS.test(path),
      }));
      return { ...all, texts };
    },
    async find(wanted) {
      await takeIn();
      const hits = await store.findKnowledge(wanted);
      return hits.map(({ snippet, ...hit }) => ({ ...shownOf(hit), snippet }));
    },
    async read(ids) {
      await takeIn();
      const sections = await store.knowledgeSections(ids.map(numberOf));
      const found = new Map(sections.map((section) => [idOf(section), section]));
      const gone = ids.filter((id) => !found.has(id));
      return {
        sections: sections.map((section) => ({ ...shownOf(section), text: section.text, sha256: section.sha256 })),
        gone,
      };
    },
    async hashOf(path) {
      const { files } = await takeIn();
      const file = files.find((one) => one.path === path);
      return file && file.unreadable === null ? file.sha256 : null;
    },
  };
}

/** So often sections are opened for one mail: whoever opens everything has searched for nothing. */
const MAX_READS = 3;

/** `before`: what the run has called already. */
export function limitReads(
  knowledge: Knowledge,
  before: readonly { readonly tool: string }[],
): Pick<Knowledge, 'find' | 'read'> {
  let reads = before.filter(({ tool }) => tool === 'read_knowledge').length;
  return {
    find: knowledge.find,
    async read(ids) {
      reads += 1;
      if (reads > MAX_READS) {
        throw new EngineError(
          'tool_failed',
          `sections were opened ${MAX_READS} times for this mail, which is the most`,
        );
      }
      return knowledge.read(ids);
    },
  };
}

const idOf = ({ id }: Pick<KnowledgeSection, 'id'>): string => `k${id}`;

/** An id that nobody was given stands for no section. */
const numberOf = (id: string): number => (/^k\d{1,15}$/.test(id) ? Number(id.slice(1)) : -1);

const shownOf = (section: Omit<KnowledgeSection, 'text'>): KnowledgeFound => ({
  id: idOf(section),
  path: `${KNOWLEDGE}${section.path}`,
  title: section.title,
  date: iso(section.changed_at),
  ...(section.rewritten_at === null ? {} : { rewritten: iso(section.rewritten_at) }),
});

type OnDisk = Pick<KnowledgeFile, 'path' | 'bytes' | 'changed_at'>;

const isSame = (file: OnDisk, known: KnowledgeFile | undefined): boolean =>
  known !== undefined && known.bytes === file.bytes && known.changed_at === file.changed_at;

function missing(known: readonly KnowledgeFile[], onDisk: readonly OnDisk[]): string[] {
  const there = new Set(onDisk.map(({ path }) => path));
  return known.flatMap(({ path }) => (there.has(path) ? [] : [path]));
}

/** How much of the new text stood in no section of the old one, or the other way round; whichever is more. */
function changedShare(before: readonly { text: string }[], after: readonly { text: string }[]): number {
  return Math.max(newShare(before, after), newShare(after, before));
}

function newShare(before: readonly { text: string }[], after: readonly { text: string }[]): number {
  const known = new Set(before.map(({ text }) => text));
  const all = after.reduce((sum, { text }) => sum + text.length, 0);
  const fresh = after.reduce((sum, { text }) => sum + (known.has(text) ? 0 : text.length), 0);
  return all === 0 ? 0 : fresh / all;
}

/** Of characters; a longer stretch under one heading becomes several sections. */
const MAX_SECTION = 2000;
const MAX_TITLE = 200;
const HEADING = /^ {0,3}(#{1,6})[ \t]+([^\n]{1,500})/;
const FENCE = /^ {0,3}(?:`{3}|~{3})/;

/**
 * A text cut where its headings or its pages begin. Nothing of it is left out: all sections one after the other are the
 * text. `pages`: where each page, slide or sheet begins; empty where there are none, then Markdown headings count.
 */
export function sectionsOf(text: string, pages: readonly number[]): readonly NewSection[] {
  const stretches = pages.length > 0 ? byPages(text, pages) : byHeadings(text);
  return stretches.flatMap(({ title, text: stretch }) => inParts(title, stretch));
}

function byPages(text: string, starts: readonly number[]): NewSection[] {
  const before = (starts[0] ?? 0) > 0 ? [{ title: '', text: text.slice(0, starts[0]) }] : [];
  // The page's own first line says which it is, such as `[slide 3]`.
  return [...before, ...starts.map((start, at) => titled(text.slice(start, starts[at + 1])))];
}

const titled = (text: string): NewSection => ({ title: firstLine(text), text });

const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]?.slice(0, MAX_TITLE).trimEnd() ?? '';

/** The title is the path of headings: `Prices > Shipping`. What stands in a block of code is no heading. */
function byHeadings(text: string): NewSection[] {
  const found: { title: string; from: number }[] = [{ title: '', from: 0 }];
  const open: { level: number; name: string }[] = [];
  let inFence = false;
  let at = 0;
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) inFence = !inFence;
    const [, marks, name] = (inFence ? null : HEADING.exec(line)) ?? [];
    if (marks !== undefined && name !== undefined) {
      while ((open.at(-1)?.level ?? 0) >= marks.length) open.pop();
      open.push({ level: marks.length, name: bare(name) });
      found.push({ title: titleOf(open.map((heading) => heading.name)), from: at });
    }
    at += line.length + 1;
  }
  return found
    .map(({ title, from }, number) => ({ title, text: text.slice(from, found[number + 1]?.from) }))
    .filter((section) => section.text !== '');
}

const titleOf = (names: readonly string[]): string => names.join(' > ').slice(0, MAX_TITLE);

/** `## Prices ##` is also written. */
function bare(name: string): string {
  let end = name.trimEnd().length;
  while (name[end - 1] === '#') end -= 1;
  return name.slice(0, end).trim();
}

function inParts(title: string, text: string): NewSection[] {
  const parts: NewSection[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfPage(text, from, MAX_SECTION);
    parts.push({ title, text: text.slice(from, to) });
    from = to;
  }
  return parts;
}
