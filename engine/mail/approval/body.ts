import { isSentDate } from '../text/header-block.ts';
import { footerRest } from '../text/phrases.ts';
import { fold } from './fold.ts';
import { lettersOf, lexLine, type Token, type Tongues, UNSPACED } from './lexer.ts';
import { pattern } from './pattern.ts';
import { CLASSES, phrasesOf } from './phrases.ts';
import { type LineDecision, readStatement } from './statement.ts';

export interface AnswerLine {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Its place among the lines of the mail. */
  readonly index: number;
}

interface Body {
  readonly decisions: readonly LineDecision[];
  /** A line beside an approval that is neither courtesy nor signature. */
  readonly doubt: AnswerLine | null;
  /** What was written below a no. */
  readonly reason: string | null;
}

/** More lines than this are no answer. */
const MAX_LINES = 200;
const MAX_REASON = 500;

export interface OpenedBody {
  readonly lines: readonly AnswerLine[];
  /** The courtesy was praise or a picture. */
  readonly leaning: boolean;
  /** The lines of greeting and courtesy before those. */
  readonly courtesy: readonly AnswerLine[];
  /** There are more lines than anybody reads who asked a question: what they say is not known. */
  readonly isLong: boolean;
}

/** Names that words of an answer may be. */
export interface KnownNames {
  /** The name in front of the sender's address. */
  readonly sender: string;
  /** The name of the persona that asks. */
  readonly persona: string;
  /** Whom the mails go to that are asked about. */
  readonly people: ReadonlySet<string>;
}

/** The lines that say something, after the greeting and courtesy. */
export function openBody(
  raw: readonly string[],
  tongues: Tongues = [],
  known: KnownNames = { sender: '', persona: '', people: new Set() },
): OpenedBody {
  const { lines: read, isLong } = firstLines(raw, tongues);
  const names = namesIn(known.sender);
  const personas = spokenNames(namesIn(known.persona));
  const naming = (line: AnswerLine): AnswerLine => spokenTo(namingPeople(line, known.people, tongues), personas);
  const lines = read.map((line, index) =>
    namingPeople(index === 0 ? line : signedLine(line, names), known.people, tongues),
  );
  const content = withoutGreeting(lines, tongues).map(naming);
  const start = content.findIndex(({ text, tokens }) => readStatement(text, tokens).kind !== 'harmless');
  const courtesy = start < 0 ? content : content.slice(0, start);
  return { lines: start < 0 ? [] : content.slice(start), leaning: courtesy.some(isLeaning), courtesy, isLong };
}

/** "Ada," and below it "Good morning!": no more than this many. */
const MAX_GREETINGS = 3;

function withoutGreeting(lines: readonly AnswerLine[], tongues: Tongues, left = MAX_GREETINGS): readonly AnswerLine[] {
  const [first, ...others] = lines;
  const greeting = first ? greetingLength(first.text, first.tokens) : 0;
  if (first === undefined || greeting === 0 || left === 0) return lines;
  const next = first.tokens[greeting];
  const behind = next ? lineOf(first.text.slice(next.start), first.index, tongues) : null;
  if (behind !== null) return [behind, ...others];
  return withoutGreeting(others, tongues, left - 1);
}

/** How some languages write a name to whom something goes: "do Boba", "Bob'a". */
const CASE_ENDINGS: Readonly<Record<string, RegExp>> = { pl: /(?:a|owi)$/u, tr: /(?:'?y?[ae])$/u };

const namesOf = (text: string, tongues: Tongues): readonly string[] => [
  text,
  ...tongues.flatMap((language) => {
    const ending = CASE_ENDINGS[language];
    return ending === undefined ? [] : [text.replace(ending, '')];
  }),
];

/** "Ihm": where the question names whom a mail goes to, it stands for them. */
const PRONOUNS: ReadonlySet<string> = new Set(phrasesOf('pronoun'));

/** Whom the mail goes to, as far as their address says what they are called. */
function namingPeople(line: AnswerLine, people: ReadonlySet<string>, tongues: Tongues): AnswerLine {
  const isOne = ({ letter, text }: Token): boolean =>
    IS_NO_WORD.test(letter) &&
    (namesOf(text, tongues).some((name) => people.has(name)) || (people.size > 0 && PRONOUNS.has(text)));
  if (!line.tokens.some(isOne)) return line;
  return { ...line, tokens: line.tokens.map((token) => (isOne(token) ? { ...token, letter: RECIPIENT } : token)) };
}

/**
 * The persona's name where it says who is spoken to, and nothing else: before or behind a comma, first or last, or last behind a word
 * that is whole without it. "Send Ada" is about somebody.
 */
function spokenTo(line: AnswerLine, names: ReadonlySet<string>): AnswerLine {
  const { tokens } = line;
  const isName = (at: number): boolean =>
    IS_NO_WORD.test(tokens[at]?.letter ?? '') && names.has(tokens[at]?.text ?? '');
  const isAddressed = (at: number): boolean => {
    const [before, next] = [tokens[at - 1]?.letter ?? ' ', tokens[at + 1]?.letter ?? ' '];
    const begins = PAUSE.test(before);
    const ends = PAUSE.test(next);
    const isBetween = SAID_TO.test(before) && next !== CLASSES.and;
    return isName(at) && ((begins && (ends || next !== CLASSES.and)) || (ends && WHOLE.test(before)) || isBetween);
  };
  if (!tokens.some((_, at) => isAddressed(at))) return line;
  return {
    ...line,
    tokens: tokens.map((token, at) => (isAddressed(at) ? { ...token, letter: CLASSES.filler } : token)),
  };
}

const PAUSE = /^[ ,.!;E-]$/;
const WHOLE = pattern('[yes approve goAhead sure praise please thanks thanksMore object no deny]');

/** "Yes Ada send it": what is whole without a name, and asks for nobody. */
const SAID_TO = pattern('[yes approve sure praise please thanks no hello noProblem noMatter]');

/** As `recipient` of lexer.ts. */
const RECIPIENT = 'i';

/** The words of a name; none where one of them is a word that can be part of an answer. */
function namesIn(sender: string): ReadonlySet<string> {
  const tokens = lexLine(sender.slice(0, MAX_NAME).normalize('NFC')).filter(({ text }) => /\p{L}/u.test(text));
  return new Set(tokens.every(({ letter }) => IS_NO_WORD.test(letter)) ? tokens.map(({ text }) => text) : []);
}

/** Polish calls an Ada "Ado". */
const spokenNames = (names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...names, ...[...names].map((name) => name.replace(/a$/, 'o'))]);

const MAX_NAME = 60;
/** Of lexer.ts: not known. A script without capitals does not tell names from other words. */
const IS_NO_WORD = /^[MX]$/;

/** A line below the answer that is nothing but its sender's own name, as the mail has it, and words that close a letter. */
function signedLine(line: AnswerLine, names: ReadonlySet<string>): AnswerLine {
  const isName = ({ text }: Token): boolean => names.has(text);
  const isSigned =
    line.tokens.some(isName) && line.tokens.every((token) => isName(token) || BESIDE_A_NAME.test(token.letter));
  if (!isSigned) return line;
  const tokens = line.tokens.map((token) => (isName(token) ? { ...token, letter: CLASSES.name } : token));
  return { ...line, tokens };
}

const BESIDE_A_NAME = new RegExp(`^[${CLASSES.closing},.-]$`);

/** The first lines that are not blank. */
function firstLines(raw: readonly string[], tongues: Tongues): { lines: readonly AnswerLine[]; isLong: boolean } {
  const lines: AnswerLine[] = [];
  for (const [index, text] of raw.entries()) {
    if (lines.length === MAX_LINES) return { lines, isLong: raw.slice(index).some((each) => each.trim() !== '') };
    const line = lineOf(text, index, tongues);
    if (line) lines.push(line);
  }
  return { lines, isLong: false };
}

function isLeaning({ text, tokens }: AnswerLine): boolean {
  const meaning = readStatement(text, tokens);
  return meaning.kind === 'harmless' && meaning.leaning;
}

/** A picture in the text is named by whoever sent it. */
const PICTURE = /\[(?:image|cid|bild|logo)\b[^[\]]{0,200}\]/giu;

/** What a program writes behind the text of a link. */
const LINK_TARGET = /(?<=\S)\s?[[<]https?:[^\s<>[\]]{1,500}[\]>]/giu;

/** Null for a blank line. */
export function lineOf(raw: string, index: number, tongues: Tongues = []): AnswerLine | null {
  const text = raw
    .replace(PICTURE, '')
    .replace(LINK_TARGET, '')
    .trim()
    .replace(/^[-–•*]\s+/, '');
  return text === '' ? null : { text, tokens: lexLine(text, tongues), index };
}

/** The first line decides whether there is an answer at all; every later one may add to it or put it in doubt. */
export function readBody(lines: readonly AnswerLine[]): Body {
  const decisions: LineDecision[] = [];
  const unread: AnswerLine[] = [];
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

function bodyOf(decisions: readonly LineDecision[], unread: readonly AnswerLine[]): Body {
  const approves = decisions.some(({ verb }) => verb === 'approve');
  const doubt = approves ? unread[0] : unread.find(({ tokens }) => TAKES_BACK.test(lettersOf(tokens)));
  return { decisions, doubt: doubt ?? null, reason: approves ? null : reasonOf(unread) };
}

/** Whether lines say nothing but courtesy, and who wrote them. `place`: where they stand. */
export function areSignature(lines: readonly AnswerLine[], place: 'body' | 'signature' = 'body'): boolean {
  return strangerIn(lines, place) === null;
}

/** The first line that is neither courtesy nor part of a signature; null where there is none. */
export function strangerIn(lines: readonly AnswerLine[], begin: 'body' | 'signature'): AnswerLine | null {
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

const hasWords = ({ text }: AnswerLine): boolean => /\p{L}/u.test(text);

const MAX_CONTACT_LINES = 12;

/** Lines down to the end that say who somebody is, with how to reach them or their house: a signature without any mark. */
function isContactBlock(lines: readonly AnswerLine[]): boolean {
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
function besideLawyers(lines: readonly AnswerLine[]): AnswerLine[] {
  const stranger = saysMoreThanLawyers(lines.map(({ text }) => text));
  const line = stranger === null ? undefined : lines[stranger];
  return line ? [line] : [];
}

type Place = 'body' | 'signature' | 'end';

/** Where the first of these lines stands. */
function placeAt(lines: readonly AnswerLine[], place: Place, thanked: boolean): Place {
  const [first] = lines;
  if (!first) return place;
  const before = place === 'body' && isContactBlock(lines) ? 'signature' : place;
  const closing = closingOf(first.text, first.tokens, thanked);
  return closing === 'end' || before === 'body' ? (closing ?? before) : before;
}

/** Below the signature nothing decides any more, but a word that could take the answer back puts it in doubt. */
function belongs({ text, tokens }: AnswerLine, place: Place): boolean {
  if (place === 'body') return false;
  return closingOf(text, tokens, false) !== null || signatureFits(text, tokens);
}

/** Below a no, a word of approval may turn it round: then it is asked about. */
const TAKES_BACK = pattern(
  '(?<! [not noOrNot] [thanksMore object we]{0,3}) [approve goAhead] | ^ yes [dash comma dot bang]* $',
);

const reasonOf = (lines: readonly AnswerLine[]): string | null =>
  lines.length === 0
    ? null
    : lines
        .map(({ text }) => text)
        .join('\n')
        .slice(0, MAX_REASON);

const MAX_SIGNATURE_LINE = 200;
const DISCLAIMER =
  /^[\s*_]*(?:confidential|disclaimer|legal notice|important notice|privileged|(?:this|the) (?:(?:content|information) .{0,40})?(?:e-?mail|message|communication|transmission)\b.{0,80}\b(?:confidential|intended|privileged)|the (?:information|contents?) (?:contained )?(?:in|of) this|please consider the environment|(?:please )?think before you print|diese (?:e-?mail|nachricht)\b.{0,80}\bvertraulich|der inhalt dieser e-?mail|ce (?:message|courriel|mail)\b.{0,80}\bconfidenti|este (?:correo|mensaje|e-?mail)\b.{0,80}\bconfidenci|questo messaggio\b.{0,80}\b(?:riservat|confidenzial)|dit (?:bericht|e-?mail)\b.{0,80}\bvertrouwelijk|esta mensagem\b.{0,80}\bconfidenci)/iu;
/** What comes after everything else and still counts. */
const POSTSCRIPT = /^[\s*_]*p\.?\s?p?\.?s\b[\s.:,-]/iu;

const MEANS_SOMETHING = pattern(
  '[approve goAhead send delete deny no noOrNot not noProblem noMatter unclear noted hold alter praiseOrBefore edit errand please because question]',
);
const FORMULA = pattern(
  '^ (thanks thanksMore* [comma and]?)* closing ([closing name comma dot bang dash]* [closing name])? [comma dot bang picture]* $',
);
/** "Kind regards", and no name. */
export const isFormula = (tokens: readonly Token[]): boolean => BARE_FORMULA.test(lettersOf(tokens));
const BARE_FORMULA = pattern('^ (thanks thanksMore* [comma and]?)* closing [closing comma dot bang dash]* $');
const NAMES = pattern('^ dash* (name [comma dot]?){1,4} closing? dot? $');
/** "M. Keller, director". */
const TITLED = pattern('^ name dot [name unknown]{0,2} name comma [unknown name]{1,3} $');
/** On behalf of a house. */
const ON_BEHALF = /^(?:i\.\s?[AV]\.|p\.\s?p\.(?:\s?a\.)?|ppa\.)\s*/iu;
const GREETING = pattern('^ hello hello? comma? [name unknown all praise]{0,4} ([dash comma dot bang colon]+ | $)');
const BY_NAME = pattern('^ name{1,3} [comma colon] (hello hello? [comma dot bang]*)? $');
/** A name in Latin letters, and what Japanese, Korean and Chinese put behind it, without a blank, to speak to somebody. */
const SPOKEN_TO = /^\p{sc=Latin}{1,30}(?:様|さま|さん|님|님께|你好|您好)\s*[,，、：:!！。]?$/u;

type Closing =
  /** The name and what follows it: signatureFits says what may stand there. */
  | 'signature'
  /** A footer of lawyers begins. */
  | 'end'
  | null;

const isPostscript = (line: string): boolean => POSTSCRIPT.test(line);

/** What a line that says nothing about the items begins. `thanked`: courtesy went before, so that a name may be bare. */
export function closingOf(line: string, tokens: readonly Token[], thanked: boolean): Closing {
  const letters = tokens
    .map((token, index) => {
      if (isAlsoName(line, token) || isInitial(line, token, tokens[index + 1])) return CLASSES.name;
      return /^[|·•‖]$/.test(token.text) ? ',' : token.letter;
    })
    .join('');
  if (DISCLAIMER.test(line)) return 'end';
  if (isFooter(line)) return 'signature';
  if (FORMULA.test(letters)) return 'signature';
  if ((NAMES.test(letters) || TITLED.test(letters)) && line.length <= 60) return 'signature';
  if (ON_BEHALF.test(line))
    return closingOf(line.replace(ON_BEHALF, ''), lexLine(line.replace(ON_BEHALF, '')), thanked);
  return thanked && signatureFits(line, tokens, true) ? 'signature' : null;
}

/** "Sent from my phone": behind such a beginning people have written sentences, and a device has no verb. */
export function isFooter(line: string): boolean {
  const rest = footerRest(line);
  if (rest === null || /\s[-–—|]\s/.test(rest)) return false;
  const words = lexLine(bareFooter(rest));
  if (CHANGES_SOMETHING.test(lettersOf(words)) || words.some(({ letter }) => /[,.;!?]/.test(letter))) return false;
  return words.filter(({ start }) => /\p{Ll}/u.test(rest.charAt(start))).length <= MAX_LOWER_CASE && words.length <= 12;
}

const CHANGES_SOMETHING = pattern(
  '[approve goAhead deny no noOrNot not unclear noted hold alter edit errand because question]',
);

/** Without what some telephones add: that it was written in haste. */
const bareFooter = (rest: string): string => rest.replace(EXCUSES, '').replace(/[.!\s]{1,20}$/, '');
const EXCUSES =
  /[.,–-]?\s{0,3}(?:please )?(?:excuse|forgive) (?:my )?(?:the )?(?:brevity|typos|any typos)\.?$|[.,–-]?\s{0,3}bitte entschuldigen sie (?:die|meine) kürze\.?$|[.,–-]?\s{0,3}veuillez excuser (?:ma|la) brièveté\.?$|[.,–-]?\s{0,3}(?:por favor,? )?(?:disculpe|perdone|disculpa) (?:la|mi) brevedad\.?$|[.,–-]?\s{0,3}(?:perdonate|scusate|perdona) la brevità\.?$|[.,–-]?\s{0,3}excuseer (?:de|mijn) beknoptheid\.?$|[.,–-]?\s{0,3}(?:por favor,? )?(?:desculpe|perdoe) a (?:brevidade|minha brevidade)\.?$|[.,–-]?\s{0,3}(?:proszę )?wybacz(?:yć)? (?:moją )?(?:lakoniczność|zwięzłość)\.?$|[.,–-]?\s{0,3}(?:ursäkta|förlåt) (?:min|att jag är) (?:fåordighet|kortfattad)\.?$|[.,–-]?\s{0,3}(?:простите|извините|прошу прощения) за краткость\.?$|[。,，]?\s{0,3}请原谅我的简短。?$/iu;

/** "Gesendet mit der mobilen Mail App". */
const MAX_LOWER_CASE = 5;

const bare = (text: string): string =>
  fold(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
const LEGAL = phrasesOf('legal').map(bare);
const SENTENCE_END = /(?<=[.!?。！？])\s+/u;

/**
 * Which of these lines, of which the first is a lawyers' one, holds a sentence that is not theirs and could mean something;
 * null where there is none. Their sentences are known by their words (`legal` in `languages/phrases/`).
 */
export function saysMoreThanLawyers(lines: readonly string[]): number | null {
  let begin = 0;
  let open = '';
  for (const [index, line] of lines.entries()) {
    if (isPostscript(line)) return index;
    const parts = line.split(SENTENCE_END);
    for (const [at, part] of parts.entries()) {
      if (open === '') begin = index;
      open = open === '' ? part : `${open} ${part}`;
      const isOver = at < parts.length - 1 || index === lines.length - 1 || /[.!?。！？]\s*$/u.test(part);
      if (!isOver) continue;
      if (!isHarmlessSentence(open)) return begin;
      open = '';
    }
  }
  return null;
}

function isHarmlessSentence(sentence: string): boolean {
  const folded = ` ${bare(sentence)} `;
  if (LEGAL.some((phrase) => folded.includes(UNSPACED.test(phrase) ? phrase : ` ${phrase} `))) return true;
  const tokens = lexLine(sentence);
  return !MEANS_SOMETHING.test(lettersOf(tokens)) && signatureFits(sentence, tokens);
}

// Names of people that are also small words of some language.
const ALSO_NAMES = new Set(['bo', 'ha', 'ma', 'om', 'se', 'kun', 'da', 'si', 'tak', 'ja']);

const isAlsoName = (line: string, { text, start }: Token): boolean =>
  ALSO_NAMES.has(text) && /\p{Lu}/u.test(line.charAt(start));

/** "I. Sousa": it may be a word of some language. */
const isInitial = (line: string, { text, start }: Token, next: Token | undefined): boolean =>
  text.length === 1 && /\p{Lu}/u.test(line.charAt(start)) && next?.letter === '.';

const ROLES = new Set(phrasesOf('role'));

const PARTICLES = new Set(
  'of,at,in,for,and,the,von,van,der,den,zu,und,für,im,de,del,la,et,y,e,di,da,du,des,le,les,do,dos,das,della,dei,ul,och,og,i'.split(
    ',',
  ),
);

/**
 * Whether a line can stand in a signature below an approval: names, titles, addresses. A sentence cannot, nor a word
 * that could take the approval back: what is written below a name is read by people too. `first`: the line that
 * begins the signature without a closing formula.
 */
function signatureFits(line: string, tokens: readonly Token[], first = false): boolean {
  if (line.length > MAX_SIGNATURE_LINE || isPostscript(line)) return false;
  if (MEANS_SOMETHING.test(lettersOf(withoutRegisters(tokens)))) return false;
  const lowerCase = tokens.filter(
    ({ text, start }) => /\p{Ll}/u.test(line.charAt(start)) && !PARTICLES.has(text) && !ROLES.has(text),
  ).length;
  const reaches = isContact(line, tokens);
  // With the time of a mail it is the line above a quotation, and somebody may have written into it.
  if (isSentDate(line) || (!reaches && isSentence(line))) return false;
  if (lowerCase > (reaches || STREET.test(line) ? 3 : first && tokens.length > 1 ? 0 : 1)) return false;
  if (isAddress(line)) return true;
  return uncasedFit(tokens.filter(({ letter, text }) => letter === 'X' && /\p{Lo}/u.test(text) && !ROLES.has(text)));
}

/** Where somebody lives in Japan or China: a postal code or a town, then its parts, and a number at the end. */
const isAddress = (line: string): boolean => /^[^。，！？]{4,60}$/u.test(line) && POSTAL.test(line);
const POSTAL =
  /^(?:〒?\d{3}-?\d{4}\s?)?\p{sc=Han}{2,4}[省市都道府県县][\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}ヶ]{0,20}[区區市町村郡县縣路街道巷丁目田]?[\p{sc=Han}\p{sc=Katakana}ー\d\s－‐-]{0,20}\d[号號室楼层番地F階]{0,2}$/u;

/** An address, a number to call, or the form of a company. */
const isContact = (line: string, tokens: readonly Token[]): boolean =>
  lettersOf(tokens).includes('U') || NUMBER_TO_CALL.test(line) || FORMS.test(line) || isAddress(line);

/** A place with its postal code. */
const STREET = /,\s*(?:[A-Z]{1,2}-)?\d{2,3}[\s-]?\d{2,3}\s+\p{Lu}/u;
const NUMBER_TO_CALL = /\+?\(?\d(?:[\s()/.–-]{0,3}\d){6,}/u;
const FORMS =
  /(?<!\p{L})(?:GmbH|mbH|AG|KG|OHG|UG|e\.\s?K|Ltd|LLC|LLP|PLC|Inc|Corp|SARL|SAS|SA|S\.A|S\.L|SL|S\.r\.l|Srl|S\.p\.A|SpA|B\.V|BV|N\.V|NV|AB|ApS|A\/S|Oy|Oyj|Sp\. z o\.\s?o|S\.A|Lda|ООО|ОАО|АО|s\.r\.o|a\.s|Kft|Zrt)(?!\p{L})|株式会社|有限公司|주식회사/u;

/** It ends as a sentence does, and not with an abbreviation, which has a capital or is one of these. */
const isSentence = (line: string): boolean => {
  const [, last] = /([\p{L}\p{M}\p{N}]{0,20})[^\p{L}\p{N}]?[.!?。！？؟]["'”»]?\s{0,5}$/u.exec(line) ?? [];
  if (last === undefined) return false;
  return last.length > 4 || !(/\p{Lu}/u.test(last) || ABBREVIATED.has(last.toLowerCase()));
};

const ABBREVIATED = new Set(['str', 'tel', 'nr', 'co', 'ltd', 'inc', 'jr', 'sr', 'ul', 'av']);

/** "Registered No. 1234567" refuses nothing. */
const withoutRegisters = (tokens: readonly Token[]): readonly Token[] =>
  tokens.filter(({ letter }, index) => {
    const next = tokens.slice(index + 1, index + 3).find((token) => token.letter !== '.');
    return letter !== CLASSES.no || !/^\d{5,}$/.test(next?.text ?? '');
  });

const COMPANY = /公司|会社|有限|大学|大學|事務所|[部課]$|주식회사|회사|대학교/u;

/** Scripts without capitals do not tell names from other words: only what is as short as a name passes. */
const uncasedFit = (words: readonly Token[]): boolean =>
  words.length <= 3 && words.every(({ text }) => text.length <= (UNSPACED.test(text) ? 4 : 9) || COMPANY.test(text));

/** "Hi Ada," or "Ada," before the answer: how many tokens it takes; 0 when there is none. */
function greetingLength(line: string, tokens: readonly Token[]): number {
  const letters = lettersOf(tokens);
  if (SPOKEN_TO.test(line)) return letters.length;
  return GREETING.exec(letters)?.[0].length ?? (BY_NAME.test(letters) ? letters.length : 0);
}
