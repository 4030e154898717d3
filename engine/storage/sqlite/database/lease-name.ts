// Leases of mails and jobs: `leased_by` names the holder and the claim, so that it is the fence as well.

/** How the names of all leases of an instance begin. */
export const ownLeases = (instance: string): string => `${instance}:`;

/** No row is claimed twice by one instance with the same end: the first lease has to be over before. */
export const leaseName = (instance: string, until: number): string => `${ownLeases(instance)}${until}`;
