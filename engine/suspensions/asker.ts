import { matchesPattern } from '../mail/mime/address.ts';
import type { StoredRun } from '../storage/types/runs.ts';

/**
 * Who asked hears that it waits, if they belong here and do not decide it themselves. Somebody outside has asked for
 * nothing of the kind: a supplier who made an offer was told that his request needs an approval.
 */
export const awaitsOthers = ({ tier, sender }: StoredRun, owners: readonly string[]): boolean =>
  (tier === 'owner' || tier === 'member') && !owners.some((owner) => matchesPattern(sender ?? '', owner));
