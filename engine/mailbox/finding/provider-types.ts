import type { Server } from '../peer/net.ts';

/** What is known of a mail service before anybody asks it. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  /** Domains of its addresses; `outlook.*` stands for any country's ending. */
  readonly domains: readonly string[];
  /** Ends of the names of its mail exchangers: domains of its customers are known by them. */
  readonly exchangers: readonly string[];
  readonly imap: Server;
  readonly smtp: Server;
  /** What it takes: its usual password, one made for this program alone, or OAuth and no password. */
  readonly login: 'password' | 'app_password' | 'oauth';
  /** Whose OAuth it takes, where that is known; null: none. */
  readonly oauth: 'google' | 'microsoft' | null;
  /** The page on which such a password is made. */
  readonly passwordPage: string | null;
  /** It files what is sent through it in Sent by itself. */
  readonly filesSent: boolean;
  /** Its folders where it calls them otherwise than Sent and Drafts. */
  readonly folders: { readonly sent: string; readonly drafts: string };
  /** The name in its own Authentication-Results, `(unnamed)` where it writes none; null where it is not known to stay the same. */
  readonly authservId: string | null;
  readonly trustedReceived: readonly string[];
  /** What its users have to do first, in sentences. */
  readonly hints: readonly string[];
}
