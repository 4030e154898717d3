/** Of the newest model call, as it is on record. */
export interface Exposed {
  /** Null in records of older versions. */
  readonly fingerprint: string | null;
  /** Null: all that was pinned. */
  readonly names: readonly string[] | null;
}
