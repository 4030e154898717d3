import type { Piece, Risk, Scope } from '#contract';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import { addressKey } from '../../mail/mime/address.ts';
import type { ProofGround } from '../../mail/mime/types.ts';
import { headerBlockAt, isRow } from '../../mail/text/header-block.ts';
import { isNoted } from '../../mail/text/words.ts';
import type { OwnWords, OwnWordsKind, WhyAsked } from '../../record/own-words.ts';
import type { Layer } from '../permission.ts';
import type { Value } from '../values/argument-values.ts';
import { standsIn } from '../values/provenance.ts';
import { type TextValues, valuesInText } from '../values/values.ts';
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
  const { begun, isDenied, ground, isOwner, pieces, layers, call, values, texts, isExposed } = facts;
  if (begun !== 'mail') return asks('begun');
  if (isDenied) return asks('denied');
  if (ground === null || !isOwner) return asks('proof');
  const written = writtenOf(pieces);
  // Nor is it sure who sees what stands there struck out or may be hidden, or whose words stand below a header that was copied.
  if (pieces.some(({ kind }) => kind === 'unknown') || isNoted(written) || holdsHeader(written)) return asks('unknown');
  if (!isByRisk(layers)) return asks('policy');
  const kind = kindOf(call);
  if (kind === null) return asks('kind');
  const known = valuesInText(written);
  const named = kind === 'mail' ? namedRecipients(facts, written, known) : [];
  if (named === null) return asks('recipient');
  const things = kind === 'undoable' ? call.targets : (call.names ?? []);
  if (things.some((name) => !facts.made.has(pathOf(name)) && !isWritten(written, name))) return asks('name');
  const forbidden = forbiddenIn(values, texts);
  if (forbidden) return asks(forbidden);
  const isForeign = (value: Value) => !isKnown(value, { written, known, facts });
  if (values.some(isForeign) || hostsIn(texts).some((host) => !standsIn(written, host))) return asks('value');
  if (isExposed) return asks('exposed');
  return { verdict: 'counts', kind, words: [...new Set([...named, ...things])].slice(0, MAX_WORDS) };
}

const MAX_WORDS = 50;

/** What is asked about whoever wrote it. */
function forbiddenIn(values: readonly Value[], texts: readonly string[]): WhyAsked | null {
  if (values.some(isMoney) || texts.some(holdsCard)) return 'money';
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
  written: string,
  known: TextValues,
): readonly string[] | null {
  const reached = call.recipients.filter((address) => !isOwnerAddress(address));
  const wordFor = (address: string): string | null => {
    const key = addressKey(address);
    if (key === null) return null;
    return known.addresses.has(key) ? key : book.nameIn(written, key);
  };
  const named = reached.flatMap((address) => wordFor(address) ?? []);
  if (named.length === reached.length) return named;
  const went = new Set(others.addresses.map(addressKey));
  const [all, rest] = [
    reached.filter((one) => went.has(addressKey(one))),
    reached.filter((one) => !went.has(addressKey(one))),
  ];
  const restNamed = rest.flatMap((address) => wordFor(address) ?? []);
  return restNamed.length === rest.length && isAll(all, others) ? [...others.addresses, ...restNamed] : null;
}

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

/** As people write it and as the tools take it: a path may begin at the root of the files. */
export const pathOf = (name: string): string => name.replace(/^(?:\.\/+)*(?:files\/+)?/i, '');

/** Whether they wrote the name of a thing, as a whole: `plan.txt` is another file than `old/plan.txt`. */
function isWritten(written: string, name: string): boolean {
  const wanted = pathOf(name).normalize('NFC');
  if (wanted.trim() === '') return false;
  const text = written.normalize('NFC').replace(/(?<![\p{L}\p{M}\p{N}@_./\\-])(?:\.\/|files\/)/giu, '');
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [before = ' ', after] = [text[at - 1], text.slice(at + wanted.length)];
    if (!/[\p{L}\p{M}\p{N}@_./\\-]/u.test(before) && !/^(?:[\p{L}\p{M}\p{N}@_/\\-]|\.[\p{L}\p{N}])/u.test(after))
      return true;
  }
  return false;
}

/** Rows such as `From: …` and `Subject: …`, one below the other, with an address: what stands there was copied from a mail. */
function holdsHeader(written: string): boolean {
  const lines = written.split('\n').slice(0, MAX_LINES);
  return lines.some((line, at) => isRow(line) && headerBlockAt(lines.slice(at, at + HEADER_ROWS))?.hasAddress === true);
}

const [MAX_LINES, HEADER_ROWS] = [2000, 12];

/** What may be a host, or the name of a file, without anything that says so: `shop.example`. */
const hostsIn = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.slice(0, MAX_TEXT).matchAll(BARE_HOST)].map(([host]) => host))),
];

const MAX_TEXT = 100_000;
const BARE_HOST = /(?<![\p{L}\p{N}@._-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}@_-]|\.[\p{L}\p{N}])/gu;

/** The number of a card, by its check digit. */
const holdsCard = (text: string): boolean =>
  [...text.slice(0, MAX_TEXT).matchAll(CARD)].some(([digits]) => isCard(digits.replace(/\D/g, '')));

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
  { written, known, facts }: { readonly written: string; readonly known: TextValues; readonly facts: OwnWordsFacts },
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
