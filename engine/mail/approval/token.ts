import type { ParsedMail } from '../mime/types.ts';

export interface FoundToken {
  /** 32 hex digits in lower case. */
  readonly token: string;
  readonly carrier: 'recipient' | 'subject' | 'typed';
}

const HEX = '[0-9a-f]{32}';
// Phones and word processors put other dashes where one was typed.
const DASH = '[-\u2010\u2011\u2012\u2013\u2212]';
/** What every carrier of a token holds, and few texts. */
const SIGN = new RegExp(`ok(?:${DASH}|%2d)`, 'i');
const IN_RECIPIENT = new RegExp(`\\+ok-(${HEX})@`, 'gi');
const IN_SUBJECT = new RegExp(`\\[ok-(${HEX})\\]`, 'gi');
const TYPED = new RegExp(`(?<![\\p{L}\\p{N}])ok${DASH}(${HEX})(?![\\p{L}\\p{N}])`, 'giu');
const TAG = new RegExp(`(?:\\+|%2b)ok(?:${DASH}|%2d)[0-9a-f]{32,}`, 'gi');
const ANYWHERE = new RegExp(`[ \\t]?\\[?(?:\\+|%2b)?ok(?:${DASH}|%2d)[0-9a-f]{32,}\\]?[ \\t]?`, 'gi');

/**
 * Which notice an answer names: by the plus-tag of a recipient, else by the tag in the subject, else as typed outside
 * of quoted lines. Null when there is none, or when one carrier names two notices: then nobody can say which is meant.
 */
export function findToken(
  mail: Pick<ParsedMail, 'subject' | 'typedTokens'>,
  recipients: readonly string[],
): FoundToken | null {
  const places = [
    { carrier: 'recipient', found: recipients.flatMap((address) => tokensIn(address, IN_RECIPIENT)) },
    { carrier: 'subject', found: tokensIn(mail.subject, IN_SUBJECT) },
    { carrier: 'typed', found: mail.typedTokens },
  ] as const;
  const place = places.find(({ found }) => found.length > 0);
  const [token, ...more] = new Set(place?.found);
  return place && token !== undefined && more.length === 0 ? { token, carrier: place.carrier } : null;
}

/** Those that somebody typed; more than two tell no more than two do. */
export const typedTokens = (newText: string): readonly string[] => [...new Set(tokensIn(newText, TYPED))].slice(0, 2);

const tokensIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, token]) => (token ?? '').toLowerCase());

/**
 * Text without any carrier of a token: for all that is stored or shown to a model. Cuts too much rather than too
 * little: whoever reads a token could hand it on.
 */
export function stripTokens(text: string): string {
  if (!SIGN.test(text)) return text;
  return withoutTags(text).replace(ANYWHERE, (match: string, at: number, whole: string) => {
    const before = at === 0 || whole[at - 1] === '\n';
    const after = whole[at + match.length];
    // Always something between what stood on both sides: two halves must not join to a token again.
    return before || after === undefined || after === '\n' ? '' : ' ';
  });
}

/** Addresses without their tags, however many stand in a row: from each of them to the last would be quadratic. */
function withoutTags(text: string): string {
  const rows: { start: number; end: number }[] = [];
  for (const { index, 0: tag } of text.matchAll(TAG)) {
    const last = rows.at(-1);
    if (last?.end === index) last.end += tag.length;
    else rows.push({ start: index, end: index + tag.length });
  }
  const kept: string[] = [];
  let end = 0;
  for (const row of rows.filter((each) => /^(?:@|%40)/.test(text.slice(each.end, each.end + 3)))) {
    kept.push(text.slice(end, row.start));
    end = row.end;
  }
  return kept.join('') + text.slice(end);
}
