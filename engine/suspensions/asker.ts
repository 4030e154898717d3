import { matchesPattern } from '../mail/mime/address.ts';
import { bounded, withoutDirections } from '../mail/text/invisible.ts';
import type { Store } from '../storage/ports/store.ts';
import type { StoredRun } from '../storage/types/runs.ts';

/**
 * Who asked hears that it waits, if they belong here and do not decide it themselves. Somebody outside has asked for
 * nothing of the kind: a supplier who made an offer was told that his request needs an approval.
 */
export const awaitsOthers = ({ tier, sender }: StoredRun, owners: readonly string[]): boolean =>
  (tier === 'owner' || tier === 'member') && !owners.some((owner) => matchesPattern(sender ?? '', owner));

/** The name that people know the owner by, where there is one owner and he has written under it. */
export async function ownerName(
  owners: readonly string[],
  store: { nameOfSender: Store['nameOfSender'] },
): Promise<string | null> {
  const [owner, ...others] = owners;
  return owner === undefined || others.length > 0 ? null : nameKnown(owner, store);
}

/** Whoever is asked, as a mail to `sender` and no other reader calls them. */
export interface AskedOwners {
  /** By the names that people know them by; without the sender where that is one of them. */
  readonly names: readonly string[];
  readonly isSender: boolean;
}

/** All owners are asked; one who never wrote has no name. */
export async function askedOwners(
  owners: readonly string[],
  sender: string | null,
  store: { nameOfSender: Store['nameOfSender'] },
): Promise<AskedOwners> {
  const others = owners.filter((owner) => sender === null || !matchesPattern(sender, owner));
  const names = await Promise.all(others.map((owner) => nameKnown(owner, store)));
  return { names: [...new Set(names.flatMap((name) => name ?? []))], isSender: others.length < owners.length };
}

async function nameKnown(owner: string, store: { nameOfSender: Store['nameOfSender'] }): Promise<string | null> {
  const name = bounded(
    withoutDirections(await store.nameOfSender(owner))
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    60,
  ).text;
  return name === '' || name.includes('@') ? null : name;
}
