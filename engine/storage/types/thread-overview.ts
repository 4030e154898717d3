import type { StoredMessage, Tier, Viewer } from './mail.ts';

export interface ThreadsWanted {
  /** Unix ms. */
  readonly since: number;
  readonly viewer: Viewer;
  /** Whose requests are told of with what they wait for. */
  readonly asker: { readonly address: string; readonly tier: Tier } | 'owner' | 'nobody';
  readonly limit: number;
  /** Of the newest so many mails; absent: 5,000. */
  readonly newest?: number;
  /** Only those that wait for somebody and have mail from or to one of these, but for the thread itself; absent: all. */
  readonly waitingWith?: { readonly addresses: readonly string[]; readonly thread: string };
}

/** A conversation by its newest mail that the viewer may see. */
export interface SeenThread {
  readonly thread_id: string;
  readonly subject: string;
  readonly mails: number;
  /** Who wrote in it, the last one first. */
  readonly people: readonly { readonly name: string; readonly address: string; readonly isProven: boolean }[];
  readonly last_direction: 'in' | 'out';
  readonly last_from: string | null;
  readonly last_name: string;
  readonly last_tier: Tier | null;
  readonly last_to: readonly string[];
  /** Unix ms. */
  readonly last_at: number;
  readonly taken_by: string | null;
  /** 1: a mail of ours began it. */
  readonly begun_by_us: number;
  /** Its first mail, by which it is known whose word the subject is. */
  readonly first: Pick<
    StoredMessage,
    'direction' | 'tier' | 'from_address' | 'subject' | 'in_reply_to' | 'references' | 'forwarded_text'
  >;
  /** Of the run that works on that mail, or wrote it; null: none. */
  readonly status: string | null;
  readonly outcome: string | null;
  readonly deferred_code: string | null;
  /** Questions that no owner has answered. */
  readonly asked: number;
  /** Those of them that are answered in words. */
  readonly asked_in_words: number;
  /** Answers that lie in Drafts. */
  readonly drafts: number;
}
