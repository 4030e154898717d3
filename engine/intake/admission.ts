import type { Tier } from '../storage/types/mail.ts';

export type RefusalCode = 'sender_denied' | 'sender_not_allowed' | 'auth_failed' | 'from_missing' | 'from_ambiguous';

/** What the gateway says of a mail's right to a run; `known_or` leaves the last word to the thread's rows. */
export type Admission =
  | { readonly verdict: 'admit'; readonly tier: Tier }
  | { readonly verdict: 'refuse'; readonly code: RefusalCode }
  | { readonly verdict: 'known_or'; readonly otherwise: Exclude<Admission, { verdict: 'known_or' }> };
