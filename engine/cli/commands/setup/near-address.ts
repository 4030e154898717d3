import { editDistance } from '../../../config/problems/nearest.ts';
import { byDomain } from '../../../mailbox/finding/known.ts';
import { PROVIDERS } from '../../../mailbox/finding/providers.ts';

/** So many slips of a key make one domain of another: two in a long name. */
const slipsIn = (domain: string): number => (domain.length >= 10 ? 2 : 1);

/** The address that was perhaps meant, where its domain is nearly one that many people have; else null. */
export function nearAddress(address: string): string | null {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1).toLowerCase();
  if (byDomain(domain) !== null) return null;
  const known = PROVIDERS.flatMap(({ domains }) => domains.map((one) => one.replace('*', 'com')));
  const distances = known.map((one) => [editDistance(domain, one), one] as const);
  const [[distance, near] = [Number.POSITIVE_INFINITY, '']] = distances.toSorted(([one], [other]) => one - other);
  return distance <= slipsIn(near) ? `${address.slice(0, at + 1)}${near}` : null;
}
