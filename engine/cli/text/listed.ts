import type { About } from '../../queries/about.ts';

const MAX_CHARACTERS = 32;

const cut = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text);

/** Columns of a table: the mail that a row is about. */
export const ABOUT_COLUMNS = {
  FROM: ({ from }: About) => cut(from ?? '-'),
  SUBJECT: ({ subject }: About) => cut(subject ?? '-'),
} as const;

/** The row alone. */
export function withoutAbout<Row extends About>(row: Row): Omit<Row, keyof About> {
  const { from: _from, subject: _subject, ...alone } = row;
  return alone;
}

/** The random end of an id, by which commands find it; all of it stands in the JSON. */
export const shortId = (id: string): string => id.slice(-12);
