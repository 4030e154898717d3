import type { MailExchange } from './dns.ts';
import type { ServerOfMail } from './sender-check.ts';

/** What a checking thread is given for one mail. */
export interface CheckRequest {
  /** Emptied by the thread: a mail that waits for DNS would otherwise keep its body. */
  raw: Uint8Array;
  readonly peer: ServerOfMail | null;
  readonly hostname: string;
}

/** The thread has no network of its own: it asks the main thread. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: string;
}

export type DnsAnswer =
  | { readonly ok: true; readonly records: string[][] | string[] | MailExchange[] }
  | { readonly ok: false; readonly code: string; readonly message: string };
