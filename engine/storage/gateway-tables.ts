import type { Generated, Insertable, Selectable } from 'kysely';
import type { Tier } from './tables.ts';

// The tables of gateway.db.

export type SeenDecision =
  | 'accepted'
  | 'duplicate'
  | 'recorded'
  | 'refused'
  | 'dead_letter'
  | 'deferred'
  // Of mail that left.
  | 'sent'
  | 'failed'
  | 'unknown';

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
  dead_letters: DeadLetterTable;
  settings: { key: string; value: string };
}

export type SeenRow = Selectable<SeenTable>;
export type NewSeen = Insertable<SeenTable>;
export type DeadLetterRow = Selectable<DeadLetterTable>;
