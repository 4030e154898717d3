import { withoutLinkTargets } from '../../text/lines.ts';
import { stripTokens } from '../token.ts';

/** A mail of ours that an answer may quote. */
export interface SentMail {
  /** Its text as its readers saw it: plain and HTML. */
  readonly versions: readonly string[];
  readonly subject: string;
  /** Names and addresses in its From, To and Reply-To. */
  readonly people: readonly string[];
  /** The address in its From. */
  readonly from: string;
  /** When it was written; ms. */
  readonly sentAt: number;
}

/** A version of one of our mails, and how far an answer has quoted it. */
export interface Track {
  /** Its letters and digits without what stands between them: programs wrap, indent and mark what they quote. */
  readonly folded: string;
  /** Per place in `folded`, and for its end: whether a word begins there, and whether a line does. */
  readonly begins: readonly boolean[];
  readonly linesBegin: ReadonlySet<number>;
  at: number;
}

/** Where a line stands in our mail. */
export interface LinePlace {
  readonly track: Track;
  readonly at: number;
  /** Whether it goes on where the line before it ended. */
  readonly isNext: boolean;
}

/** A shorter one is ours only where it goes on from the line above, or is a whole line: "No." stands somewhere in most mails. */
const MIN_ANYWHERE = 12;
/** A line that a program broke may begin and end inside a word. */
const MIN_BROKEN = 20;
const KEPT = /[\p{L}\p{M}\p{N}\p{Extended_Pictographic}]/u;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
const MAX_CHARS = 100_000;

/** What a line is compared by; empty where it says nothing. */
export const foldLine = (line: string): string => folded(line).text;

export const tracksOf = (sent: readonly SentMail[]): Track[] =>
  sent
    .flatMap(({ versions }) => versions)
    .map((version) => {
      const { text, begins, linesBegin } = folded(withoutLinkTargets(stripTokens(version.slice(0, MAX_CHARS))));
      return { folded: text, begins, linesBegin, at: 0 };
    });

function folded(text: string) {
  const kept: string[] = [];
  const begins: boolean[] = [];
  const linesBegin = new Set([0]);
  let isNew = true;
  for (const character of text.normalize('NFKC').toLowerCase()) {
    if (!KEPT.test(character)) {
      isNew = true;
      if (character === '\n') linesBegin.add(begins.length);
      continue;
    }
    const isFree = isNew || UNSPACED.test(character);
    // Places count as strings do.
    for (let unit = 0; unit < character.length; unit += 1) begins.push(unit === 0 && isFree);
    kept.push(character);
    isNew = UNSPACED.test(character);
  }
  return { text: kept.join(''), begins: [...begins, true], linesBegin: linesBegin.add(begins.length) };
}

/**
 * Where a line of our mails goes on in one of them: in its order, each line once. Null where it stands in none of them
 * behind what was quoted before it.
 */
export function placeOf(line: string, tracks: readonly Track[]): LinePlace | null {
  const next = tracks.find((track) => track.folded.startsWith(line, track.at) && isWhole(track, track.at, line));
  if (next) return { track: next, at: next.at, isNext: true };
  const places = tracks.flatMap((track) => {
    const at = indexIn(track, line);
    return at < 0 ? [] : [{ track, at, isNext: false }];
  });
  return places.toSorted((one, other) => one.at - one.track.at - (other.at - other.track.at))[0] ?? null;
}

/** What is quoted of one version of a mail is quoted of the other: in neither does it stand once more. */
export function take(line: string, { track, at }: LinePlace, tracks: readonly Track[]): void {
  for (const other of tracks) {
    if (other === track) continue;
    const goesOn = other.folded.startsWith(line, other.at) && isWhole(other, other.at, line);
    const found = goesOn ? other.at : line.length < MIN_ANYWHERE ? -1 : indexIn(other, line);
    if (found >= 0) other.at = found + line.length;
  }
  track.at = at + line.length;
}

const MAX_TRIES = 20;

function indexIn(track: Track, line: string): number {
  let from = track.at;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const at = track.folded.indexOf(line, from);
    if (at < 0 || mayStand(track, at, line)) return at;
    from = at + 1;
  }
  return -1;
}

const isWhole = ({ begins }: Track, at: number, line: string): boolean =>
  line.length >= MIN_BROKEN || (begins[at] === true && begins[at + line.length] === true);

const mayStand = (track: Track, at: number, line: string): boolean =>
  isWhole(track, at, line) &&
  (line.length >= MIN_ANYWHERE || (track.linesBegin.has(at) && track.linesBegin.has(at + line.length)));
