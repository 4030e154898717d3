import { closingOf, greetingLength, isContact, isFooter, saysMoreThanLawyers, signatureFits } from './closing.ts';
import { lettersOf, lexLine, type Token } from './lexer.ts';
import { pattern } from './pattern.ts';
import { CLASSES } from './phrases.ts';
import { type Decision, readStatement } from './statement.ts';

export interface Line {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Its place among the lines of the mail. */
  readonly index: number;
}

export interface Body {
  readonly decisions: readonly Decision[];
  /** A line beside an approval that is neither courtesy nor signature. */
  readonly doubt: Line | null;
  /** What was written below a no. */
  readonly reason: string | null;
}

/** More lines than this are no answer. */
const MAX_LINES = 200;
const MAX_REASON = 500;

export interface Opened {
  readonly lines: readonly Line[];
  /** The courtesy was praise or a picture. */
  readonly leaning: boolean;
  /** There are more lines than anybody reads who asked a question: what they say is not known. */
  readonly isLong: boolean;
}

/** The lines that say something, after the greeting and courtesy. */
export function openBody(raw: readonly string[], language: string | null = null, sender = ''): Opened {
  const { lines: read, isLong } = firstLines(raw, language);
  const names = namesIn(sender);
  const lines = read.map((line, index) => (index === 0 ? line : signedLine(line, names)));
  const [first, ...others] = lines;
  const greeting = first ? greetingLength(first.text, first.tokens) : 0;
  const next = first?.tokens[greeting];
  const afterGreeting = first && next ? lineOf(first.text.slice(next.start), first.index, language) : null;
  const content = greeting === 0 ? lines : afterGreeting ? [afterGreeting, ...others] : others;
  const start = content.findIndex(({ text, tokens }) => readStatement(text, tokens).kind !== 'harmless');
  const courtesy = start < 0 ? content : content.slice(0, start);
  return { lines: start < 0 ? [] : content.slice(start), leaning: courtesy.some(isLeaning), isLong };
}

/** The words of a name; none where one of them is a word that can be part of an answer. */
function namesIn(sender: string): ReadonlySet<string> {
  const tokens = lexLine(sender.slice(0, MAX_NAME).normalize('NFC')).filter(({ text }) => /\p{L}/u.test(text));
  return new Set(tokens.every(({ letter }) => IS_NO_WORD.test(letter)) ? tokens.map(({ text }) => text) : []);
}

const MAX_NAME = 60;
/** Of lexer.ts: not known. A script without capitals does not tell names from other words. */
const IS_NO_WORD = /^[MX]$/;

/** A line below the answer that is nothing but its sender's own name, as the mail has it, and words that close a letter. */
function signedLine(line: Line, names: ReadonlySet<string>): Line {
  const isName = ({ text }: Token): boolean => names.has(text);
  const isSigned =
    line.tokens.some(isName) && line.tokens.every((token) => isName(token) || BESIDE_A_NAME.test(token.letter));
  if (!isSigned) return line;
  const tokens = line.tokens.map((token) => (isName(token) ? { ...token, letter: CLASSES.name } : token));
  return { ...line, tokens };
}

const BESIDE_A_NAME = new RegExp(`^[${CLASSES.closing},.-]$`);

/** The first lines that are not blank. */
function firstLines(raw: readonly string[], language: string | null): { lines: readonly Line[]; isLong: boolean } {
  const lines: Line[] = [];
  for (const [index, text] of raw.entries()) {
    if (lines.length === MAX_LINES) return { lines, isLong: raw.slice(index).some((each) => each.trim() !== '') };
    const line = lineOf(text, index, language);
    if (line) lines.push(line);
  }
  return { lines, isLong: false };
}

function isLeaning({ text, tokens }: Line): boolean {
  const meaning = readStatement(text, tokens);
  return meaning.kind === 'harmless' && meaning.leaning;
}

/** A picture in the text is named by whoever sent it. */
const PICTURE = /\[(?:image|cid|bild|logo)\b[^[\]]{0,200}\]/giu;

/** What a program writes behind the text of a link. */
const LINK_TARGET = /(?<=\S)\s?[[<]https?:[^\s<>[\]]{1,500}[\]>]/giu;

/** Null for a blank line. */
export function lineOf(raw: string, index: number, language: string | null = null): Line | null {
  const text = raw
    .replace(PICTURE, '')
    .replace(LINK_TARGET, '')
    .trim()
    .replace(/^[-–•*]\s+/, '');
  return text === '' ? null : { text, tokens: lexLine(text, language), index };
}

/** The first line decides whether there is an answer at all; every later one may add to it or put it in doubt. */
export function readBody(lines: readonly Line[]): Body {
  const decisions: Decision[] = [];
  const unread: Line[] = [];
  let place: Place = 'body';
  let thanked = false;
  for (const [index, line] of lines.entries()) {
    const meaning = readStatement(line.text, line.tokens);
    if (meaning.kind === 'unclear' && decisions.length === 0) break;
    if (meaning.kind === 'decisions' && place === 'body') decisions.push(...meaning.decisions);
    else if (meaning.kind === 'harmless') thanked ||= hasWords(line);
    else {
      place = placeAt(lines.slice(index), place, thanked);
      if (place === 'end') return bodyOf(decisions, [...unread, ...besideLawyers(lines.slice(index))]);
      if (!belongs(line, place)) unread.push(line);
    }
  }
  return bodyOf(decisions, unread);
}

function bodyOf(decisions: readonly Decision[], unread: readonly Line[]): Body {
  const approves = decisions.some(({ verb }) => verb === 'approve');
  const doubt = approves ? unread[0] : unread.find(({ tokens }) => TAKES_BACK.test(lettersOf(tokens)));
  return { decisions, doubt: doubt ?? null, reason: approves ? null : reasonOf(unread) };
}

/** Whether lines say nothing but courtesy, and who wrote them. `place`: where they stand. */
export function areSignature(lines: readonly Line[], place: 'body' | 'signature' = 'body'): boolean {
  return strangerIn(lines, place) === null;
}

/** The first line that is neither courtesy nor part of a signature; null where there is none. */
export function strangerIn(lines: readonly Line[], begin: 'body' | 'signature'): Line | null {
  let place: Place = begin;
  let thanked = begin === 'signature';
  for (const [index, line] of lines.entries()) {
    if (readStatement(line.text, line.tokens).kind === 'harmless') {
      thanked ||= hasWords(line);
      continue;
    }
    place = placeAt(lines.slice(index), place, thanked);
    if (place === 'end') return besideLawyers(lines.slice(index))[0] ?? null;
    if (!belongs(line, place)) return line;
  }
  return null;
}

const hasWords = ({ text }: Line): boolean => /\p{L}/u.test(text);

const MAX_CONTACT_LINES = 12;

/** Lines down to the end that say who somebody is, with how to reach them or their house: a signature without any mark. */
function isContactBlock(lines: readonly Line[]): boolean {
  if (lines.length > MAX_CONTACT_LINES) return false;
  const said = lines.filter((line) => readStatement(line.text, line.tokens).kind !== 'harmless');
  const reached = said.findIndex(({ text, tokens }) => isContact(text, tokens));
  // A list of people is no signature.
  const isList =
    said.some(({ text }) => /^\d{1,3}[.)]\s/.test(text)) || said.filter(({ text }) => text.includes('@')).length > 1;
  return (
    reached >= 0 &&
    !isList &&
    said.every((line, index) =>
      index < reached
        ? signatureFits(line.text, line.tokens) && !/\p{Nd}/u.test(line.text)
        : belongs(line, 'signature') || isFooter(line.text),
    )
  );
}

/** From the first line of lawyers on: what is none of theirs. People go on writing below it. */
function besideLawyers(lines: readonly Line[]): Line[] {
  const stranger = saysMoreThanLawyers(lines.map(({ text }) => text));
  const line = stranger === null ? undefined : lines[stranger];
  return line ? [line] : [];
}

type Place = 'body' | 'signature' | 'end';

/** Where the first of these lines stands. */
function placeAt(lines: readonly Line[], place: Place, thanked: boolean): Place {
  const [first] = lines;
  if (!first) return place;
  const before = place === 'body' && isContactBlock(lines) ? 'signature' : place;
  const closing = closingOf(first.text, first.tokens, thanked);
  return closing === 'end' || before === 'body' ? (closing ?? before) : before;
}

/** Below the signature nothing decides any more, but a word that could take the answer back puts it in doubt. */
function belongs({ text, tokens }: Line, place: Place): boolean {
  if (place === 'body') return false;
  return closingOf(text, tokens, false) !== null || signatureFits(text, tokens);
}

/** Below a no, a word of approval may turn it round: then it is asked about. */
const TAKES_BACK = pattern(
  '(?<! [not noOrNot] [thanksMore object we]{0,3}) [approve goAhead] | ^ yes [dash comma dot bang]* $',
);

const reasonOf = (lines: readonly Line[]): string | null =>
  lines.length === 0
    ? null
    : lines
        .map(({ text }) => text)
        .join('\n')
        .slice(0, MAX_REASON);
