/** What an owner said yes to, as far as it is more than the call's arguments. */
export interface Approved {
  /** Hash of the preview that the owner was shown; null where the arguments said all. */
  readonly basis: string | null;
}
