import { z } from 'zod';
import { type DocumentPage, EngineError } from '#contract';
import type { CalendarAnswer, CalendarQuestion } from '../../calendar/job.ts';
import type { DocumentFacts } from '../../documents/packed.ts';
import type { DocumentReader } from '../../documents/reader.ts';
import { hintOf } from '../../documents/sniff.ts';
import type { DocumentRefusal, Table } from '../../documents/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredDocument } from '../../storage/types/mail.ts';
import { textPage } from './page.ts';

/** Raised with every change of the reader by which the same bytes are read otherwise. */
const READER_EDITION = 3;
/** What was too slow may have been so on a busy machine alone. */
const SLOW_AGAIN_MS = 3_600_000;

/** A file that may be a document. */
interface LibraryFile {
  readonly sha256: string;
  readonly name: string;
  /** As declared. */
  readonly type: string;
  readonly charset: string | null;
  /** A file within it; empty: the file itself. */
  readonly part?: string;
  /** Its bytes, where they are not among the artifacts. */
  readonly load?: () => Promise<Uint8Array>;
}

export type LibraryEntry =
  | {
      readonly ok: true;
      readonly facts: DocumentFacts;
      text(): Promise<string>;
      tables(): Promise<readonly Table[]>;
    }
  | { readonly ok: false; readonly refusal: DocumentRefusal };

/** Documents of one persona. Each is read once; afterwards its text and its tables are artifacts. */
export interface Library {
  /** Rejects when the bytes are gone or no thread can start, never because of the document. */
  open(file: LibraryFile): Promise<LibraryEntry>;
  /** What a calendar file says; each time it is read anew. Rejects as `open` does. */
  ask(file: LibraryFile, question: CalendarQuestion): Promise<CalendarAnswer>;
}

export function createLibrary(options: {
  readonly store: Pick<Store, 'findDocument' | 'keepDocument'>;
  readonly artifacts: Blobs;
  readonly reader: Pick<DocumentReader, 'read' | 'ask'>;
  /** On whose account is read. */
  readonly account: string;
  now(): number;
}): Library {
  const { store, artifacts, reader, account, now } = options;

  const bytesOf = (file: LibraryFile) => file.load?.() ?? artifacts.get(file.sha256);

  async function read(file: LibraryFile): Promise<StoredDocument> {
    const { name, type, charset, part = '' } = file;
    const bytes = await bytesOf(file);
    const found = await reader.read({ bytes, name, type, charset, part }, { key: account, first: false });
    const document = {
      ...keyOf(file),
      reader: READER_EDITION,
      facts_json: JSON.stringify(found.ok ? found.facts : { refusal: found.refusal }),
      text_sha256: found.ok ? artifacts.put(found.text) : null,
      tables_sha256: found.ok && found.tables !== null ? artifacts.put(found.tables) : null,
      read_at: now(),
    };
    await store.keepDocument(document);
    return document;
  }

  return {
    async ask(file, question) {
      const { name, charset, part = '' } = file;
      return reader.ask({ bytes: await bytesOf(file), name, charset, part, question }, { key: account, first: false });
    },
    async open(file) {
      const known = await store.findDocument(keyOf(file));
      const isGood = known?.reader === READER_EDITION && !isWorthAnother(known, now());
      const { facts_json, text_sha256, tables_sha256 } = isGood ? known : await read(file);
      const outcome = parseJson(storedFacts, facts_json);
      if ('refusal' in outcome) return { ok: false, refusal: outcome.refusal };
      return {
        ok: true,
        facts: outcome,
        text: async () => (text_sha256 === null ? '' : Buffer.from(await artifacts.get(text_sha256)).toString('utf8')),
        async tables() {
          if (tables_sha256 === null) return [];
          return parseJson(storedTables, Buffer.from(await artifacts.get(tables_sha256)).toString('utf8'));
        },
      };
    },
  };
}

interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a document of the persona's own files says. Throws `tool_failed` with why it cannot be read. */
export const documentText = async (library: Library, file: NamedBytes): Promise<string> =>
  (await openDocument(library, file)).text();

/** A stretch of a document that was fetched. Throws `tool_failed` with why it cannot be read. */
export async function documentPage(
  library: Library,
  { offset, limit, ...file }: NamedBytes & { readonly offset: number; readonly limit: number },
): Promise<DocumentPage> {
  const { facts, text } = await openDocument(library, file);
  return { title: facts.title, ...textPage(await text(), facts.pages, { offset, limit }) };
}

/** A document of the persona's own files, or one that was fetched. Throws `tool_failed` with why it cannot be read. */
export async function openDocument(
  library: Library,
  { name, bytes }: NamedBytes,
): Promise<LibraryEntry & { readonly ok: true }> {
  const file = { sha256: sha256(bytes), name, type: '', charset: null, load: async () => bytes };
  const entry = await library.open(file);
  if (!entry.ok) throw new EngineError('tool_failed', `the file cannot be read as text: ${entry.refusal.message}`);
  return entry;
}

const keyOf = ({ sha256: hash, part = '', ...file }: LibraryFile) => ({ sha256: hash, part, hint: hintOf(file) });

const isWorthAnother = ({ facts_json, read_at }: StoredDocument, now: number): boolean =>
  read_at < now - SLOW_AGAIN_MS && facts_json.startsWith('{"refusal":{"code":"timeout"');

// Written by this file alone, so the values are not walked a second time.
const storedFacts = z.custom<DocumentFacts | { readonly refusal: DocumentRefusal }>(
  (value) => typeof value === 'object',
);
const storedTables = z.custom<readonly Table[]>(Array.isArray);
