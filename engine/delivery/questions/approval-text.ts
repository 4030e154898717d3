import type { Persona } from '../../config/types.ts';
import { type Language, languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { dayAndTime, type ReaderLocale } from '../../languages/times.ts';
import type { Button, LetterBlock } from '../../mail/compose/compose.ts';
import { normaliseDomain } from '../../mail/mime/address.ts';
import { type Approval, argumentsOf } from '../../storage/types/approvals.ts';
import { ASKED } from '../../suspensions/kinds.ts';
import { isWritten, labelOf } from '../../suspensions/labels.ts';

// What several mails about held calls have in common.

const MAX_VALUE_CHARS = 4000;

export const textOfArgument = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const isLong = (text: string, most = MAX_VALUE_CHARS): boolean => text.length > most;

/** How the items of one notice are answered, which are of one kind. */
export const howToAnswer = (items: readonly Asked[], language: Language = 'en'): string =>
  ASKED[items[0]?.kind ?? 'call'].how(language, items.length !== 1, editLineOf(items, language));

type Asked = Pick<Approval, 'kind' | 'tool' | 'arguments_json'>;

/**
 * Pure. A line that changes something of the first item: its subject where it has one, else the longest argument that
 * fits into a line, which people are likely to change, of those that have a name in words; a subject means nothing to a task or a file. An id means nothing to
 * people, so it is named only where the call has nothing else.
 */
export function editLineOf([first]: readonly Pick<Asked, 'tool' | 'arguments_json'>[], language: Language): string {
  const args = Object.entries(first ? argumentsOf(first) : {});
  if (args.length === 0 || args.some(([key]) => key === 'subject')) return say(language, 'mails.editLine');
  const written = args.filter(([name]) => first && isWritten(first.tool, name));
  const others = written.length > 0 ? written : args.filter(([name]) => name !== 'id');
  const lengthIn = (value: unknown) =>
    typeof value === 'string' && value.length <= 200 && !value.includes('\n') ? value.length : -1;
  const [key] =
    (others.length === 0 ? args : others).toSorted(([, one], [, other]) => lengthIn(other) - lengthIn(one))[0] ?? [];
  // By the name that the mail shows; one that has none is written as the call has it.
  return `${(first && labelOf(first.tool, key ?? '', language)) ?? inLine(key ?? '', 60)}: …`;
}

/** Some text in a frame; of a long one the beginning, and where the whole of it is. */
export function boxOf(
  box: {
    readonly label: string | null;
    readonly text: string;
    /** Letter for letter, in letters of one width; as it will look once it is mailed; or as plain lines. */
    readonly as: 'code' | 'mail' | 'lines';
    readonly most?: number;
  },
  enclosedAs: string | null,
  language: Language,
): LetterBlock {
  const { label, text, as, most = MAX_VALUE_CHARS } = box;
  const framed = (over: string | null, shown: string): LetterBlock =>
    as === 'mail'
      ? { kind: 'written', label: over, text: shown }
      : { kind: 'box', label: over, text: shown, code: as === 'code' };
  if (!isLong(text, most)) return framed(label, visible(text));
  // Not between the halves of one character.
  const beginning = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  const characters = text.length;
  const said =
    enclosedAs === null
      ? say(language, 'mails.beginning', { characters })
      : say(language, 'mails.beginningEnclosed', { characters, file: enclosedAs });
  const labelled = label === null ? said : `${label} (${said})`;
  return framed(labelled, visible(`${beginning} …`));
}

/** Characters that are not seen, or that turn the text around them, could show another address than the one meant. */
export const visible = (text: string): string =>
  unmistakable(text).replace(
    // The two variation selectors only choose between a coloured and a plain picture, and stand in half of all emoji.
    /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu,
    (character) => `<U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`,
  );

/** Words of others inside a sentence of ours: one line, and no longer than it may be. */
export function inLine(text: string, most: number): string {
  const line = visible(text.replace(/\s+/g, ' ').trim());
  return line.length > most ? `${line.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

/** In which language owners are written to: that of the mail it is about, where one of us wrote it. */
export const languageFor = (
  about: { readonly tier: string; readonly text: string } | null,
  fallback: Language,
): Language =>
  about !== null && (about.tier === 'owner' || about.tier === 'member') ? languageOf([about.text], fallback) : fallback;

// The parts that every question to an owner ends with.

/** The address that takes answers to the notice of a token. */
export const answerAddress = (persona: Pick<Persona, 'address'>, token: string): string =>
  persona.address.replace('@', `+ok-${token}@`);

type Choice = Pick<Button, 'label' | 'tone'> & { readonly body: string };

/** A row of buttons, each of which writes an answer to this notice. */
export const choices = (
  to: string,
  subject: string,
  all: readonly Choice[],
): Extract<LetterBlock, { kind: 'buttons' }> => ({
  kind: 'buttons',
  buttons: all.map(({ label, tone, body }) => ({ label, tone, mail: { to, subject: `Re: ${subject}`, body } })),
});

/** Until when, when again, and the token for those whose program loses the address. */
export function closing(
  { until, remindAt, token, tapping }: { until: number; remindAt: number | null; token: string; tapping: boolean },
  place: ReaderLocale,
): LetterBlock[] {
  const reminder =
    remindAt === null || remindAt >= until
      ? []
      : [say(place.language, 'mails.remindedOn', { when: dayAndTime(remindAt, place) })];
  return [
    {
      kind: 'text',
      text: [say(place.language, 'mails.nothingUntil', { when: dayAndTime(until, place) }), ...reminder].join(' '),
    },
    reference(token, place.language, tapping),
  ];
}

/** What a button does, where there are any, and the token. */
export function reference(token: string, language: Language, tapping: boolean): LetterBlock {
  const line = `${say(language, 'mails.reference')}: ok-${token}`;
  return { kind: 'small', text: tapping ? `${say(language, 'mails.tapping')}\n${line}` : line, plain: line };
}

export const remindAtOf = (approvals: { reminder_hours: number }, now: number): number | null =>
  approvals.reminder_hours === 0 ? null : now + approvals.reminder_hours * 3_600_000;

/** Alphabets whose letters look like ours. */
const ALIKE = /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Cherokee}]/gu;
const LOCAL = /[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;
const HOST = /(?<=@|:\/\/)[\p{L}\p{N}\p{M}_.\u3002\uff0e\uff61-]{1,253}/gu;
const DOT = /[.\u3002\uff0e\uff61]/u;
/** In scripts without blanks the next word may follow an address directly. */
const BEFORE_WORD = /^[!-~]*\.[!-~]*[a-z0-9](?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])/u;

/**
 * A text in which no address or link passes for another one by letters of another alphabet: behind each host stands the
 * name that is asked for over the wire, and such letters of the part before the @ are shown as their numbers.
 */
const unmistakable = (text: string): string =>
  /[@/]/.test(text) && /\P{ASCII}/u.test(text) ? numbered(text).replace(HOST, withName) : text;

/** From each @ backwards. */
const numbered = (text: string): string =>
  text
    .split('@')
    .map((piece, at, all) => {
      if (at === all.length - 1) return piece;
      const [local = ''] = LOCAL.exec(piece.slice(-64)) ?? [];
      return piece.slice(0, piece.length - local.length) + withNumbers(local);
    })
    .join('@');

const withNumbers = (local: string): string =>
  /[a-z0-9]/i.test(local) || local.replace(ALIKE, '') === ''
    ? local.replace(ALIKE, (letter) => `<U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`)
    : local;

function withName(host: string): string {
  if (/^[!-~]*$/.test(host) || !DOT.test(host) || BEFORE_WORD.test(host)) return host;
  const [end = ''] = /[._\u3002\uff0e\uff61-]{1,253}$/u.exec(host) ?? [];
  const name = normaliseDomain(host.slice(0, host.length - end.length));
  return name === null ? host : `${host.slice(0, host.length - end.length)} (${name})${end}`;
}
