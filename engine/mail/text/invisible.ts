import { ANY_MARK } from './quote-marks.ts';

// Zero width, bidi controls, soft hyphen, variation and tag characters, noncharacters: text that a person does not see
// and a model does. ZWJ and ZWNJ join emoji and letters of several scripts, so they stay between visible characters.
const INVISIBLE =
  /(?![\n\t])\p{Cc}|\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const LOOSE_JOINERS =
  /(?<!\p{L}|\p{M}|\p{So}|\p{Sk})(?:\u200c|\u200d)+|(?:\u200c|\u200d){2,}|(?:\u200c|\u200d)+(?!\p{L}|\p{M}|\p{So})/gu;
const SELECTOR_RUN = /[\ufe00-\ufe0f]{2,}|[\ufe00-\ufe0d]/gu;

interface Visible {
  readonly text: string;
  readonly removed: number;
}

/**
 * Takes out what nobody sees, and counts it. Never touches LF and tab. With `keepMarks` the marks of
 * quote-marks.ts stay: only for text that htmlToReadable made, where all of them are its own.
 */
export function stripInvisible(input: string, keepMarks = false): Visible {
  if (!/[^\n\t\x20-\x7e]/.test(input)) return { text: input, removed: 0 };
  const seen = input.replace(INVISIBLE, '').replace(LOOSE_JOINERS, '').replace(SELECTOR_RUN, '');
  const text = keepMarks ? seen : seen.replace(ANY_MARK, '');
  return { text, removed: input.length - text.length };
}

const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text without the marks that turn round what is shown after them: for lists, notices and all else that shows words of
 * others in lines of ours. Letters say their direction by themselves; only these marks reach beyond their own words.
 */
export const withoutDirections = (text: string): string => text.replace(DIRECTIONS, '');

const CONTROLS = /(?![\n\t])\p{Cc}/gu;

/** Text that commands nothing of the terminal that shows it: words of strangers may hold escape sequences. */
export const forTerminal = (text: string): string => withoutDirections(text).replace(CONTROLS, '');

/** Cuts at a whole character; tells whether it cut. */
export function bounded(text: string, maxCharacters: number): { text: string; cut: boolean } {
  if (text.length <= maxCharacters) return { text, cut: false };
  return { text: text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, ''), cut: true };
}
