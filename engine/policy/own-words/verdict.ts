import type { Piece, Risk, Scope } from '#contract';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import { addressKey } from '../../mail/mime/address.ts';
import type { ProofGround } from '../../mail/mime/types.ts';
import { headerBlockAt, isRow } from '../../mail/text/header-block.ts';
import { withoutLinkTargets } from '../../mail/text/lines.ts';
import { isAttribution } from '../../mail/text/phrases.ts';
import { QUOTE_SIGN } from '../../mail/text/quote-marks.ts';
import { isNoted } from '../../mail/text/words.ts';
import type { OwnWords, OwnWordsKind, WhyAsked } from '../../record/own-words.ts';
import type { Layer } from '../permission.ts';
import type { Order } from '../standing-rules.ts';
import type { Value } from '../values/argument-values.ts';
import { standsIn } from '../values/provenance.ts';
import { plainly, type TextValues, valuesInText, withoutUrls } from '../values/values.ts';
import type { AddressBook } from './address-book.ts';

/** All that it is decided by: rows, structure and what tools declare; no meaning of any sentence. */
export interface OwnWordsFacts {
  /** `again`: the mail had a run before. `answer`: it answers what was sent for somebody else. */
  readonly begun: 'mail' | 'task' | 'child' | 'again' | 'answer';
  readonly isDenied: boolean;
  readonly ground: ProofGround | null;
  /** When the mail came, and now. */
  readonly isOwner: boolean;
  readonly pieces: readonly Piece[];
  readonly layers: readonly Layer[];
  readonly call: DeclaredCall;
  /** Addresses, links, sums and accounts of its arguments, and of the files that the persona made and it takes along. */
  readonly values: readonly Value[];
  /** All texts of its arguments. */
  readonly texts: readonly string[];
  readonly book: AddressBook;
  /** To and Cc of the mail but for the persona and its owners; `isHouse`: each of them is a member. */
  readonly others: { readonly addresses: readonly string[]; readonly isHouse: boolean };
  isOwnerAddress(address: string): boolean;
  /** Files that this run has made: in it, nothing but the owner's words was to be had. */
  readonly made: ReadonlySet<string>;
  readonly isExposed: boolean;
  /** Names of files in the texts that the persona itself made and nobody else. */
  readonly ownFiles: ReadonlySet<string>;
}

/** What the tool says of this call. */
export interface DeclaredCall {
  readonly risk: Risk;
  readonly scope: Scope;
  readonly isBundled: boolean;
  readonly holdsSecrets: boolean;
  readonly canUndo: boolean;
  /** It stays with whoever asks for it: nobody else hears of it, and nothing outside changes. */
  readonly stays: boolean;
  readonly targets: readonly string[];
  readonly recipients: readonly string[];
  /** What else it picks by its name; null where the tool does not say. */
  readonly names: readonly string[] | null;
}

const asks = (why: WhyAsked): OwnWords => ({ verdict: 'asks', why });

/** Whether the mail that began the run is its owner's yes to this call, but for how often that was so. Pure. */
export function judgeOwnWords(facts: OwnWordsFacts): OwnWords {
  const { begun, isDenied, ground, isOwner, pieces, layers, call, values, texts } = facts;
  if (begun !== 'mail') return asks('begun');
  if (isDenied) return asks('denied');
  if (ground === null || !isOwner) return asks('proof');
  const written = writtenOf(pieces);
  // Nor is it sure who sees what stands there struck out or may be hidden, or whose words those are that were copied.
  const isDoubtful = pieces.some(({ kind }) => kind === 'unknown') || isNoted(written) || isCopied(written);
  if (isDoubtful) return asks('unknown');
  if (!isByRisk(layers)) return asks('policy');
  const kind = kindOf(call);
  if (kind === null) return asks('kind');
  const known = valuesInText(written);
  const said = saidIn(written);
  const named = kind === 'mail' ? namedRecipients(facts, said) : [];
  if (named === null) return asks('recipient');
  const things = kind === 'undoable' ? call.targets : (call.names ?? []);
  if (things.some((name) => !facts.made.has(pathOf(name)) && !isWritten(said, name))) return asks('name');
  const forbidden = forbiddenIn(values, texts);
  if (forbidden) return asks(forbidden);
  const foreign = foreignIn(facts, kind, { written, known });
  if (foreign) return asks(foreign);
  return { verdict: 'counts', kind, words: [...new Set([...named, ...things])].slice(0, MAX_WORDS) };
}

/** What is known of a call that an order may be the yes to. */
export type OrderedFacts = Omit<OwnWordsFacts, 'ground' | 'isOwner' | 'pieces' | 'book' | 'others' | 'isExposed'> & {
  readonly tool: string;
};

/**
 * Whether an order that an owner has given is the yes to a mail, whoever's mail began the run: the rows of the rule name the act
 * and each address, and beyond them nothing is wider than it was. Null: it has nothing to say. Pure.
 */
export function judgeOrder(facts: OrderedFacts, { text, tools, whom }: Order): OwnWords | null {
  const { begun, isDenied, call, values, texts, layers, made, isOwnerAddress, tool } = facts;
  const reached = call.recipients.filter((address) => !isOwnerAddress(address)).map(addressKey);
  const addresses = addressesNamed(saidIn(text));
  const isNamed =
    reached.length > 0 && reached.every((key) => key !== null && whom.includes(key) && addresses.has(key));
  if (!isNamed || !tools.includes(tool) || kindOf(call) !== 'mail') return null;
  if (isDenied || (begun !== 'mail' && begun !== 'task')) return asks('begun');
  if (!isByRisk(layers)) return asks('policy');
  const things = call.names ?? [];
  if (things.some((name) => !made.has(pathOf(name)) && !isWritten(text, name))) return asks('name');
  const forbidden = forbiddenIn(values, texts);
  if (forbidden) return asks(forbidden);
  const said = { written: text, known: valuesInText(text), facts };
  const isForeign =
    values.some((value) => !isKnown(value, said)) || hostsIn(texts).some((host) => !standsIn(text, host));
  return isForeign
    ? asks('value')
    : { verdict: 'counts', kind: 'mail', words: [...new Set(reached.flatMap((key) => key ?? []))].slice(0, MAX_WORDS) };
}

/** What is not theirs in the call, or in what the run has read. */
function foreignIn(
  facts: OwnWordsFacts,
  kind: OwnWordsKind,
  { written, known }: { readonly written: string; readonly known: TextValues },
): WhyAsked | null {
  const { values, texts, isExposed, ownFiles } = facts;
  // What only its owner is sent may be made of what the persona keeps for them.
  const inTexts = kind === 'stays' ? texts.map((text) => withoutFiles(text, ownFiles)) : texts;
  if (values.some((value) => !isKnown(value, { written, known, facts }))) return 'value';
  if (hostsIn(inTexts).some((host) => !standsIn(written, host))) return 'value';
  return isExposed ? 'exposed' : null;
}

const MAX_WORDS = 50;

/** What is asked about whoever wrote it. */
export function forbiddenIn(values: readonly Value[], texts: readonly string[]): WhyAsked | null {
  if (values.some(isMoney) || texts.some(holdsCard)) return 'money';
  // What is longer than what is looked at may hold anything.
  if (texts.some((text) => text.length > MAX_TEXT)) return 'value';
  return texts.some((text) => hideSecrets(text) !== text) ? 'secret' : null;
}

/** Whether nothing but the risk of the call wants to be asked about: a rule or a tool that says so by name is heard. */
export const isByRisk = ([chosen, ...others]: readonly Layer[]): boolean =>
  chosen?.decision === 'approve' && others.length === 0 && chosen.by.startsWith('risk ');

/** By what is declared, never by the name of a tool. One that did not come with the gateway is nobody's word here. */
function kindOf(call: DeclaredCall): OwnWordsKind | null {
  const { risk, scope, isBundled, holdsSecrets, recipients, names, stays, canUndo, targets } = call;
  if (!isBundled || holdsSecrets) return null;
  if (recipients.length > 0)
    return scope.startsWith('mail:') && risk !== 'destructive' && names !== null ? 'mail' : null;
  if (risk === 'destructive') return canUndo && scope === 'files:delete' && targets.length > 0 ? 'undoable' : null;
  return stays ? 'stays' : null;
}

/** What they wrote now. */
const writtenOf = (pieces: readonly Piece[]): string =>
  pieces
    .filter(({ kind }) => kind === 'written')
    .map(({ text }) => text)
    .join('\n\n');

/** By what each of them is named; null: somebody is not. */
function namedRecipients(
  { call, book, others, isOwnerAddress }: OwnWordsFacts,
  said: string,
): readonly string[] | null {
  const addresses = addressesNamed(said);
  const went = new Set(others.addresses.map(addressKey));
  const reached = call.recipients.filter((address) => !isOwnerAddress(address));
  const wordFor = (address: string): string | null => {
    const key = addressKey(address);
    if (key === null) return null;
    if (addresses.has(key)) return key;
    // Two of a family have one such name. Whom the mail itself went to is the one of them whom its sender had in mind.
    return book.nameIn(said, key) ?? (went.has(key) ? book.titledIn(said, key) : null);
  };
  const named = reached.flatMap((address) => wordFor(address) ?? []);
  if (named.length === reached.length) return named;
  const [all, rest] = [
    reached.filter((one) => went.has(addressKey(one))),
    reached.filter((one) => !went.has(addressKey(one))),
  ];
  const restNamed = rest.flatMap((address) => wordFor(address) ?? []);
  return restNamed.length === rest.length && isAll(all, others) ? [...others.addresses, ...restNamed] : null;
}

/**
 * Whether a line says that others' words follow, or has their sign: in a mail that answers none the reader lets it be. So do rows
 * such as `From: …` and `Subject: …`, one below the other, with an address.
 */
function isCopied(written: string): boolean {
  const lines = written.split('\n');
  // Of a mail that is longer nobody has looked at all of it.
  if (lines.length > MAX_LINES) return true;
  return (
    lines.some((line) => QUOTE_SIGN.test(line)) ||
    // A date and an address stand in many a sentence; words of others are below the one that says so.
    lines.some(
      (line, at) => isAttribution(line.trim(), true) && lines.slice(at + 1).some((below) => below.trim() !== ''),
    ) ||
    lines.some((line, at) => isRow(line) && headerBlockAt(lines.slice(at, at + HEADER_ROWS))?.hasAddress === true)
  );
}

const [MAX_LINES, HEADER_ROWS] = [2000, 12];

/** What a picture is called, and to whom a link writes. */
const BRACKETS = /\[image: [^[\]]{0,110}\]|\[[^\s[\]@]{1,64}@[^\s[\]@]{1,255}\]/gu;

/** Without links, where they lead and what pictures are called: that is their maker's as a rule, whoever puts them into a mail. */
const saidIn = (written: string): string => withoutUrls(withoutLinkTargets(written).replace(BRACKETS, ' '));

/** Of scripts that put no blanks between words, and their signs. */
const UNPARTED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3000-\u303f\uff00-\uffef]/gu;
const ADDRESS =
  /(?<=^|[\s"(),:;<>[\]\\])([^\s"(),:;<>@[\]\\]{1,64})@([\p{L}\p{M}\p{N}._-]{1,253})(?![\p{L}\p{M}\p{N}._@-])/gu;
const OPENING = /^['*~`‘“„«–—•…]+/u;

/**
 * Those that stand there in full: who wrote to "müller@" has not named "ller@", as a reader of links would take it. One behind
 * a word in another script than its own has to have a blank before it, but in those that have none.
 */
const addressesNamed = (said: string): ReadonlySet<string> =>
  new Set(
    [...plainly(said).replace(UNPARTED, ' ').matchAll(ADDRESS)].flatMap(([, local = '', domain = '']) => {
      const key = addressKey(`${local.replace(OPENING, '')}@${domain.replace(/[._-]{1,253}$/, '')}`);
      return key === null ? [] : [key];
    }),
  );

/** All that the mail went to: where each of them belongs to the house. */
function isAll(reached: readonly string[], { addresses, isHouse }: OwnWordsFacts['others']): boolean {
  const [to, of] = [reached, addresses].map((list) => new Set(list.map(addressKey)));
  return (
    isHouse &&
    to !== undefined &&
    of !== undefined &&
    of.size > 0 &&
    to.size === of.size &&
    [...of].every((one) => to.has(one))
  );
}

/** As the tools take it. The name of the root is out of it by now; a folder of that name is meant itself. */
export const pathOf = (name: string): string => name.replace(/^(?:\.\/+)+/, '');

/**
 * Whether they wrote the name of a thing, as a whole: `plan.txt` is another file than `old/plan.txt`. Sign by sign: two names
 * that look the same are two files. People may begin a path at the root of the files.
 */
function isWritten(said: string, name: string): boolean {
  const wanted = pathOf(name);
  if (wanted.trim() === '') return false;
  const text = said.replace(/(?<![\p{L}\p{M}\p{N}@_./\\-])(?:\.\/|files\/)/gu, '');
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [before = ' ', after] = [text[at - 1], text.slice(at + wanted.length)];
    if (!/[\p{L}\p{M}\p{N}@_./\\-]/u.test(before) && !/^(?:[\p{L}\p{M}\p{N}@_/\\-]|\.[\p{L}\p{N}])/u.test(after))
      return true;
  }
  return false;
}

/** What may name a file, with its folders. */
const FILE =
  /(?<![\p{L}\p{N}@._/\\:-])(?:[\p{L}\p{N}_-]{1,64}\/){0,6}[\p{L}\p{N}_-]{1,64}(?:\.[\p{L}\p{N}_-]{1,24}){1,4}(?![\p{L}\p{N}@/\\_-])/gu;

/** What these texts name that has the shape of a file. */
export const filesNamedIn = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => (text.length > MAX_TEXT ? [] : [...text.matchAll(FILE)].map(([name]) => name)))),
];

const withoutFiles = (text: string, files: ReadonlySet<string>): string =>
  text.replace(FILE, (name) => (files.has(name) ? ' ' : name));

/** What may be a host, or the name of a file, without anything that says so: `shop.example`. */
const hostsIn = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(BARE_HOST)].map(([host]) => host))),
];

const MAX_TEXT = 100_000;
const BARE_HOST = /(?<![\p{L}\p{N}@._-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}@_-]|\.[\p{L}\p{N}])/gu;

/** The number of a card, by its check digit. */
const holdsCard = (text: string): boolean =>
  text.length <= MAX_TEXT && [...text.matchAll(CARD)].some(([digits]) => isCard(digits.replace(/\D/g, '')));

const CARD = /(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g;

function isCard(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** A bare number is none of it, unless something says so. */
const isMoney = ({ kind, isBare }: Value): boolean => kind === 'account' || (kind === 'amount' && isBare !== true);

function isKnown(
  value: Value,
  {
    written,
    known,
    facts,
  }: {
    readonly written: string;
    readonly known: TextValues;
    readonly facts: Pick<OwnWordsFacts, 'isOwnerAddress' | 'call'>;
  },
): boolean {
  const { kind, keys, isBare } = value;
  switch (kind) {
    case 'amount':
      return isBare === true;
    case 'address':
      return keys.some(
        (key) =>
          known.addresses.has(key) ||
          facts.isOwnerAddress(key) ||
          // Whoever gets the mail has been looked at.
          facts.call.recipients.some((address) => addressKey(address) === key),
      );
    case 'url':
      return keys.some((key) => known.urls.has(key));
    case 'host':
      return keys.some((key) => standsIn(written, key));
    default:
      return false;
  }
}
