/** Who leases rows. */
export interface Holder {
  readonly instance: string;
  /**
   * Whose leases count for nothing before their end. `all others`: the workspace lock, which this process holds, proves
   * that every other holder is dead. Absent: nobody's.
   */
  readonly deadHolders?: 'all others' | undefined;
}
