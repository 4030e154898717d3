import type { Piece } from '#contract';
import { areSignature, lineOf } from '../approval/body.ts';
import { QUOTE_SIGN } from '../text/quote-marks.ts';

/** A mail as it is kept. */
interface Kept {
  readonly pieces: readonly Piece[] | null;
  readonly new_text: string;
  readonly quoted_text: string;
  readonly forwarded_text: string;
}

/**
 * Whose words a mail on record is made of, in reading order. One that was kept before there were pieces has what an answer
 * kept of a question, and what somebody cited, behind `>` among its new text.
 */
export function piecesOf({ pieces, new_text: text, quoted_text, forwarded_text }: Kept): readonly Piece[] {
  if (pieces !== null && pieces.length > 0) return pieces;
  const own = pieces === null ? partedAtSigns(text) : [{ kind: 'written' as const, text }];
  return [
    ...own,
    { kind: 'forwarded' as const, text: forwarded_text },
    { kind: 'quoted' as const, text: quoted_text },
  ].filter((piece) => piece.text.trim() !== '');
}

/** What its sender wrote, and no word of anybody else. */
export const writtenIn = (mail: Kept): string =>
  piecesOf(mail)
    .filter(({ kind }) => kind === 'written')
    .map(({ text }) => text)
    .join('\n\n');

/** The same with what it answers, behind `>`. */
export const writtenWithAsked = (mail: Kept): string =>
  piecesOf(mail)
    .flatMap(({ kind, text }) => (kind === 'written' ? [text] : kind === 'asked' ? [behindSigns(text)] : []))
    .join('\n\n');

/** A name, how to reach somebody and the lines of programs ask for nothing. Below the mark of a signature anything may stand. */
export const isPlainSignature = ({ kind, text }: Piece): boolean =>
  kind === 'signature' &&
  areSignature(
    text.split('\n').flatMap((line, index) => lineOf(line.normalize('NFC'), index) ?? []),
    'signature',
  );

const behindSigns = (text: string): string =>
  text
    .split('\n')
    .map((line) => (QUOTE_SIGN.test(line) ? line : `> ${line}`))
    .join('\n');

function partedAtSigns(text: string): Piece[] {
  const pieces: { kind: 'asked' | 'written'; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const kind = QUOTE_SIGN.test(line) ? 'asked' : 'written';
    const last = pieces.at(-1);
    if (last && (last.kind === kind || line.trim() === '')) last.lines.push(line);
    else pieces.push({ kind, lines: [line] });
  }
  return pieces.map(({ kind, lines }) => ({ kind, text: lines.join('\n').trim() }));
}
