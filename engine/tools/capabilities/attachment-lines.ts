import type { DocumentPart } from '../../documents/types.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { StoredAttachment } from '../../storage/types/mail.ts';
import { columnsOf } from '../../tables/columns.ts';
import { headerRowOf } from '../../tables/header.ts';
import { factsInWords } from '../documents/in-words.ts';
import type { Library, LibraryEntry } from '../documents/library.ts';

/** How long a run waits for its attachments; what is not read by then is read when a tool asks for it. */
const MAX_WAIT_MS = 30_000;

/** A text of at most so many characters stands in place: to call a tool for it would cost more than it does. */
const SMALL = 2000;
/** Of all of them together. */
const MOST_IN_PLACE = 6000;

/** Of the files in an archive so many are opened for it. */
const MOST_PARTS_IN_PLACE = 6;
const MOST_BYTES_OF_A_CHARACTER = 3;
/** It has to stand whole in the line above the text. */
const LONGEST_NAME = 150;

const MOST_PARTS = 20;
const MOST_TABLES = 3;
const MOST_COLUMNS = 20;
const MOST_CHARACTERS_OF_A_COLUMN = 40;
/** What has more is not opened for the names of its columns. */
const MOST_ROWS = 5000;

/** What a model is told of the attachments of a mail before it asks for any. */
export interface ToldAttachments {
  readonly lines: readonly string[];
  /** The whole of those that are small, and of small files (`part`) in an archive. */
  readonly texts: readonly TextInPlace[];
}

interface TextInPlace {
  readonly id: string;
  readonly part?: string;
  readonly text: string;
}

interface Around {
  /** Those that the model is shown. */
  readonly pictures: readonly StoredAttachment[];
  readonly library: Pick<Library, 'open'>;
}

/**
 * Told before the model asks for it: a scan that was offered to read_attachment cost a call to hear that it has no text, and
 * so did each name of a file in an archive or of a column. Below the line of a document stands what is in it.
 */
export const attachmentLines = async (
  attachments: readonly StoredAttachment[],
  around: Around,
): Promise<readonly string[]> => (await told(attachments, { ...around, isInPlace: false })).lines;

/** The same of the mail that is answered, with what is small enough to stand in it; `room`: characters of all of them together. */
export const attachmentsInPlace = (
  attachments: readonly StoredAttachment[],
  around: Around,
  room = MOST_IN_PLACE,
): Promise<ToldAttachments> => told(attachments, { ...around, isInPlace: true, room: Math.min(room, MOST_IN_PLACE) });

async function told(
  attachments: readonly StoredAttachment[],
  { pictures, library, isInPlace, room = 0 }: Around & { readonly isInPlace: boolean; readonly room?: number },
): Promise<ToldAttachments> {
  const read = await Promise.all(
    attachments.map(async (attachment) => {
      const { id, name, type, bytes, unreadable } = attachment;
      const line = `[attachment ${id}] ${name}, ${type}, ${bytes} bytes`;
      if (unreadable !== null) return { id, lines: [`${line}, unreadable: ${unreadable}`] };
      if (pictures.includes(attachment)) return { id, lines: [`${line}, shown to you as a picture`] };
      const document = await openInTime(library, attachment, { withText: isInPlace });
      if (document === null) return { id, lines: [line] };
      return document.ok
        ? { id, lines: [line, ...document.details], texts: document.texts }
        : { id, lines: [`${line}, unreadable: ${document.why}`] };
    }),
  );
  let left = room;
  const texts = read.flatMap(({ id, texts: found = [] }) =>
    found.flatMap((one) => {
      if (one.text.trim() === '' || one.text.length > left) return [];
      left -= one.text.length;
      return [{ id, ...one }];
    }),
  );
  return { lines: read.flatMap(({ lines }) => lines), texts };
}

type Opened =
  | { readonly ok: true; readonly details: readonly string[]; readonly texts: readonly Omit<TextInPlace, 'id'>[] }
  | { readonly ok: false; readonly why: string };

/** Null: not now. That is no reason to keep the mail waiting. */
const openInTime = (
  library: Pick<Library, 'open'>,
  attachment: StoredAttachment,
  { withText }: { readonly withText: boolean },
): Promise<Opened | null> =>
  withDeadline(async () => opened(attachment, library, withText), {
    ms: MAX_WAIT_MS,
    code: 'timeout',
    what: 'reading an attachment',
  }).catch(() => null);

async function opened(
  attachment: StoredAttachment,
  library: Pick<Library, 'open'>,
  withText: boolean,
): Promise<Opened> {
  const entry = await library.open(attachment);
  if (!entry.ok) return { ok: false, why: entry.refusal.message };
  const { kind, totals, parts } = entry.facts;
  // What an archive says of itself is the names of its files, which are not all of it.
  const isArchive = kind === 'zip' && totals.parts > 0;
  const text = withText && !isArchive ? await smallText(entry) : '';
  const isWhole = text !== '';
  const inside = withText && isArchive ? await smallParts(parts, (part) => library.open({ ...attachment, part })) : [];
  const said = kind === 'text' || kind === 'markdown' ? [] : [`(${factsInWords(entry.facts)})`];
  return {
    ok: true,
    // Its text says which columns it has.
    details: [...said, ...partsLine(parts.map(({ name }) => name)), ...(isWhole ? [] : await columnLines(entry))],
    texts: isWhole ? [{ text }] : inside,
  };
}

/** All of it where that is little; else nothing. */
async function smallText(entry: LibraryEntry & { readonly ok: true }): Promise<string> {
  const { kind, note, totals } = entry.facts;
  // Of a calendar the invitation is shown, and a text with a note is not all that there is.
  if (kind === 'ics' || note !== null || totals.characters > SMALL) return '';
  const text = await entry.text();
  return text.trim() !== '' && text.length <= SMALL ? text : '';
}

/** Small files in an archive; one that cannot be read is named beside them all the same. */
async function smallParts(
  parts: readonly DocumentPart[],
  open: (part: string) => Promise<LibraryEntry>,
): Promise<readonly Omit<TextInPlace, 'id'>[]> {
  const texts: { readonly part: string; readonly text: string }[] = [];
  const small = parts.filter(
    ({ name, bytes }) => bytes <= SMALL * MOST_BYTES_OF_A_CHARACTER && name.length <= LONGEST_NAME,
  );
  // One after the other: each is unpacked anew.
  for (const { name: part } of small.slice(0, MOST_PARTS_IN_PLACE)) {
    const entry = await open(part);
    const text = entry.ok && entry.facts.kind !== 'zip' ? await smallText(entry) : '';
    if (text !== '') texts.push({ part, text });
  }
  return texts;
}

function partsLine(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MOST_PARTS).map((name) => JSON.stringify(name));
  const more = names.length - shown.length;
  return [`in it (part): ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`];
}

/** By their headings, as query_table names them. */
async function columnLines({ facts, tables }: LibraryEntry & { readonly ok: true }): Promise<readonly string[]> {
  if (facts.totals.rows === 0 || facts.totals.rows > MOST_ROWS) return [];
  return (await tables()).slice(0, MOST_TABLES).flatMap((table) => {
    const header = headerRowOf(table);
    if (header === 0) return [];
    const all = columnsOf(table.rows[header - 1], [], { numbers: null, dates: null });
    const shown = all.slice(0, MOST_COLUMNS).map(({ name }) => JSON.stringify(cut(name)));
    const more = all.length - shown.length;
    return [
      `columns of ${JSON.stringify(cut(table.name))}: ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
    ];
  });
}

const cut = (name: string): string =>
  name.length > MOST_CHARACTERS_OF_A_COLUMN ? `${name.slice(0, MOST_CHARACTERS_OF_A_COLUMN).toWellFormed()}…` : name;
