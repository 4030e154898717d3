import type { Generated } from 'kysely';
import type { SeenDecision } from '../../types/gateway.ts';
import type { Tier } from '../../types/mail.ts';

// The tables of gateway.db.

export interface SeenTable {
  id: Generated<number>;
  message_id: string;
  persona_id: string | null;
  recipient: string | null;
  direction: 'in' | 'out';
  decision: SeenDecision;
  code: string | null;
  from_address: string | null;
  tier: Tier | null;
  detail: string | null;
  subject: string;
  received_at: number;
  thread_id: string | null;
  run_id: string | null;
  mailbox: string | null;
  uidvalidity: string | null;
  uid: number | null;
}

/** A mail of a mailbox that was taken up and is not settled. */
export interface MailTryTable {
  mailbox: string;
  uidvalidity: string;
  uid: number;
  /** How often it was taken up since it last came to an end: more than once only after a crash or a fault. */
  begun: number;
  /** How often it was left for later by what takes longer each time. */
  deferrals: number;
  next_at: number;
}

export interface DeadLetterTable {
  id: string;
  persona_id: string | null;
  message_id: string;
  stage: string;
  code: string;
  message: string;
  raw_path: string | null;
  /** Of what is kept of it. */
  bytes: number;
  at: number;
}

export interface GatewayTables {
  wakeups: { persona_id: string; due_at: number | null; generation: number };
  seen: SeenTable;
  cursors: { mailbox: string; uidvalidity: string; uid: number; since: number | null };
  mail_tries: MailTryTable;
  dead_letters: DeadLetterTable;
  settings: { key: string; value: string };
}
