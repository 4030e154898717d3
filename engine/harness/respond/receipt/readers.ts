import type { Persona } from '../../../config/types.ts';
import { addressKey, matchesPattern } from '../../../mail/mime/address.ts';
import type { LoadedRun } from '../../../storage/ports/runs.ts';
import type { Store } from '../../../storage/ports/store.ts';

import type { Described } from './calls.ts';

/** Whoever gets a mail reads its receipt; `all`: an owner, `files`: a member, `own`: what concerns them alone. */
export interface Reader {
  readonly address: string;
  readonly sees: 'all' | 'files' | 'own';
  /** What of the mail that is answered this reader wrote or was sent. */
  readonly words: string;
  /** What of it this reader wrote as new. */
  readonly wrote: string;
  /** Nobody proved that it is this reader who wrote. */
  readonly isUnproven: boolean;
}

/** The tier of the sender is proven; everybody else who is named in the mail may know what concerns them, as on any thread. */
export function readersOf(
  recipients: readonly string[],
  { loaded, persona }: { readonly loaded: LoadedRun; readonly persona: Pick<Persona, 'owners'> },
): Reader[] {
  const { run, message, trigger } = loaded;
  const isMail = trigger.kind === 'mail';
  const named = [message.from_address ?? '', ...message.to, ...message.cc];
  const words = [message.subject, message.new_text, message.quoted_text, message.forwarded_text, ...named].join('\n');
  const sender = addressKey(run.sender ?? '');
  return recipients.map((recipient): Reader => {
    const address = addressKey(recipient) ?? '';
    const isSender = isMail && address === sender;
    const isUnproven = isSender && run.tier === 'unauthenticated';
    const isOwner = persona.owners.some((owner) => matchesPattern(address, owner));
    const hasMail = isMail && named.some((one) => addressKey(one) === address);
    const wrote = isSender ? `${message.subject}\n${message.new_text}` : '';
    const read = { address, words: hasMail ? words : '', wrote, isUnproven };
    if (isOwner && !isUnproven) return { ...read, sees: 'all' };
    return { ...read, sees: isSender && run.tier === 'member' ? 'files' : 'own' };
  });
}

/**
 * Whether somebody among the readers may not know what a call was done to. An address is known to whom it is, to whom
 * named it, and to whom a mail of this thread showed it; the same rows decide which mail somebody is shown.
 */
export async function isHidden(
  { act, targets, title }: Pick<Described, 'act' | 'targets' | 'title'>,
  readers: readonly Reader[],
  { store, threadId }: { readonly store: Pick<Store, 'shownWith'>; readonly threadId: string },
): Promise<boolean> {
  for (const reader of readers) {
    if (reader.sees === 'all') continue;
    if (act !== 'mail' && act !== 'part' && reader.sees === 'files') continue;
    const unknown = targets.filter((target) => !stands(target, reader));
    if (unknown.length === 0 && (act === 'mail' || targets.length > 0 || title === null)) continue;
    if (act !== 'mail' || reader.isUnproven) return true;
    const shown = await store.shownWith({ threadId, reader: reader.address, addresses: unknown.map(keyOf) });
    if (unknown.some((target) => !shown.has(keyOf(target)))) return true;
  }
  return false;
}

const keyOf = (address: string): string => addressKey(address) ?? '';

function stands(target: string, { address, words }: Reader): boolean {
  if (target === '') return false;
  const [text, wanted] = [words.toLowerCase(), target.toLowerCase()];
  if (keyOf(target) === address && address !== '') return true;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    // A longer name that it is a part of is another.
    const rest = text.slice(at + wanted.length, at + wanted.length + 2);
    if (!/[\w.+-]/.test(text[at - 1] ?? ' ') && !/^(?:[\w@-]|\.\w)/.test(rest)) return true;
  }
  return false;
}

/**
 * By what a member may hear of a mail whose addresses they were not shown: an owner is "the owner" (null), and anybody whose
 * address has a name before its @ that they wrote is called by that word, which tells them nothing that they did not say.
 * Undefined where somebody cannot be named so: a line without a name tells its reader nothing.
 */
export async function namedFor(
  { act, targets }: Described,
  readers: readonly Reader[],
  rows: { readonly store: Pick<Store, 'shownWith'>; readonly threadId: string; isOwner(address: string): boolean },
): Promise<readonly (string | null)[] | undefined> {
  const members = readers.filter(({ sees }) => sees !== 'all');
  if (act !== 'mail' || members.some(({ sees, isUnproven }) => sees === 'own' || isUnproven)) return undefined;
  const names: (string | null)[] = [];
  for (const target of targets) {
    const isShown = !(await isHidden({ act, targets: [target], title: null }, members, rows));
    const word = isShown ? target : rows.isOwner(target) ? null : wordIn(target, members);
    if (word === undefined) return undefined;
    names.push(word);
  }
  return names.length === 0 ? undefined : [...new Set(names)];
}

const MIN_NAME = 3;

function wordIn(target: string, members: readonly Reader[]): string | undefined {
  const local = keyOf(target).split('@', 1)[0] ?? '';
  const names = local.split(/[^\p{L}]+/u).filter((name) => name.length >= MIN_NAME);
  return members
    .map(({ wrote }) => (wrote.match(/[\p{L}\p{M}]+/gu) ?? []).find((word) => names.includes(word.toLowerCase())))
    .reduce((first, word) => (first === undefined || word === undefined ? undefined : first));
}
