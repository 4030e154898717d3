/**
 * Where a result comes from, under the name of what it is. With `sha256`, a hash of the text that stands behind `path` in
 * UTF-8, the run finds out when an answer rests on a file that has changed since.
 */
export type Provenance = (
  | { readonly url: string }
  | { readonly path: string }
  | { readonly message_id: string }
  | { readonly ref: string }
  | { readonly id: string }
) & { readonly sha256?: string };

export interface Freshness {
  /** Of when the data are: ISO 8601. Absent: of when the call was made. */
  readonly asOf?: string;
  /** How long they hold, in seconds. Absent: a day. */
  readonly forS?: number;
  /** They were kept from an earlier look. Absent: nobody knows. */
  readonly cached?: boolean;
  /** The time that they are about: ISO 8601. */
  readonly window?: { readonly from?: string; readonly to?: string };
}

/** What part of its source a result is. */
export interface Continuation {
  /** There is more behind it. */
  readonly more: boolean;
  /** Tells this part from the others of the same source, such as its offset. */
  readonly at?: string | number;
  /** How much of how much it is, where that is known. */
  readonly share?: {
    readonly shown: number;
    readonly total: number;
    readonly unit: 'lines' | 'characters' | 'rows' | 'entries';
  };
  /** Only a sample of the source was looked at: which share of it, from 0 to 1, or `true` where nobody knows. */
  readonly sampled?: number | true;
}
