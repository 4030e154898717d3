import type { Owner, Persona } from './types.ts';

/** Pure. */
const addressOfOwner = (owner: Owner): string => (typeof owner === 'string' ? owner : owner.address);

/** Pure. In the order in which they stand there. */
export const addressesOfOwners = (owners: readonly Owner[]): string[] => owners.map(addressOfOwner);

/** Pure. By the address in lower case: in what those owners are written to who have one named. Of two the later counts. */
export const languagesOfOwners = (owners: readonly Owner[]): NonNullable<Persona['ownerLanguages']> =>
  Object.fromEntries(
    owners.flatMap((owner) => (typeof owner === 'string' ? [] : [[owner.address.toLowerCase(), owner.language]])),
  );
