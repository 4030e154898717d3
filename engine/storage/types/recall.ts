import type { StoredMessage, Tier, Viewer } from './mail.ts';

/** What earlier mail is recalled by. */
export interface EpisodeSearch {
  /** Words of which any may stand in it; nothing of them is read as a query language. */
  readonly words: readonly string[];
  readonly viewer: Viewer;
  /** Shown anyway. */
  readonly exceptThread: string | null;
  readonly limit: number;
  /** Written before this, Unix ms; absent: whenever. */
  readonly before?: number;
  /** What has less of the words by their weights, 0 to 1, is not wanted: as far as it is known without reading it. */
  readonly minShare: number;
}

/** Words, each once and as a number: two of a thousand are taken for the same once in ten thousand texts. */
export type Words = Int32Array;

/** One message of its own words that may tell something, by how much of the words it and those beside it have. */
export interface LikelyEpisode {
  readonly seq: number;
  readonly score: number;
  /** How much of all that was looked for it has by itself: 0 to 1. */
  readonly share: number;
  /** Of what its sender wrote, by which it is compared with others. */
  readonly words: Words;
  /** Its answer may follow it. */
  readonly asks: boolean;
  /** The messages before and after it in its thread, whoever may see them; null where there is none. */
  readonly before: number | null;
  readonly after: number | null;
}

/** A message as it is recalled: what its sender wrote, and whose words these are. */
export interface Episode
  extends Pick<
    StoredMessage,
    | 'seq'
    | 'message_id'
    | 'thread_id'
    | 'direction'
    | 'from_address'
    | 'from_name'
    | 'subject'
    | 'tier'
    | 'in_reply_to'
    | 'references'
    | 'new_text'
  > {
  /** Empty where nothing was forwarded with it; else as much of it as tells that something was. */
  readonly forwarded_text: string;
  /** `new_text` is what its sender wrote; false where it is all of a mail in which nothing else stood, such as a forward. */
  readonly own_words: boolean;
  /** It said something that was to be forgotten since, or answers such a mail. */
  readonly taken_back: boolean;
  /**
   * Of an answer of ours: for whom it was written by a run that was shown nobody else's words. Null where that is not on record, as of
   * answers that older versions wrote.
   */
  readonly clean_for: { readonly tier: Tier; readonly sender: string | null } | null;
  /** Unix ms. */
  readonly written_at: number;
  /** Ids of its attachments that can be read, in their order. */
  readonly attachments: readonly string[];
}
