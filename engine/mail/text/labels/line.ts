import { isFull, withoutMiddle } from '../lines.ts';
import { isFooter } from '../phrases.ts';

export type LineKind = 'new' | 'quoted' | 'attribution' | 'signature' | 'older' | 'forwarded' | 'unknown';

export interface Line {
  readonly text: string;
  kind: LineKind;
  /** Inside a quote that the HTML marks: surely not written now. */
  readonly marked: boolean;
}

export interface LabelContext {
  readonly isReply: boolean;
  readonly isForward: boolean;
}

/** Of a line, for what it is. */
const MOST_READ = 16_000;
const ODD_BLANK = /[^\S ]|\s\s/;

/** Without quote signs. */
export function bare(line: Line | undefined): string {
  const text = withoutMiddle(line?.text ?? '', MOST_READ);
  // Blanks in a row mean no more than one: whoever has the mail can put as many there as he likes.
  const plain = ODD_BLANK.test(text) ? text.replace(/\s+/g, ' ') : text;
  return plain.replace(/^[>\s]+/, '').trim();
}

export const labelAll = (lines: readonly Line[], kind: LineKind): void => {
  for (const line of lines) line.kind = kind;
};

/** Nobody can say who wrote these lines; what a telephone puts below a mail stands there, too. */
export const labelDoubted = (lines: readonly Line[]): void => {
  for (const line of lines) line.kind = isFooter(bare(line)) ? 'signature' : 'unknown';
};

export const isBlank = (line: Line | undefined): boolean => (line?.text ?? '').trim() === '';

/** So many lines of one head are looked at where there are many, or where it is drawn. */
export const MOST_LONG = 20;

/** Of a name of thousands of letters. */
export const MOST_WRAPPED = 200;

/**
 * A program breaks a line where the next word does not fit: lines above an attribution that are full may be its beginning, with a
 * name in it that looks like one. Nobody can say whether they are.
 */
export function wrappedFrom(lines: readonly Line[], start: number): number {
  let from = start;
  while (from > 0 && start - from < MOST_WRAPPED) {
    const above = lines[from - 1];
    if (above?.kind !== 'new' || isBlank(above) || !isFull(above.text, lines[from]?.text ?? '')) break;
    from -= 1;
  }
  return from;
}
