import type { Generated } from 'kysely';
import type { RefusedMail, SeenDecision, SenderQuestion, ToolQuestion } from '../../types/gateway.ts';
import type { Tier } from '../../types/mail.ts';

// The tables of gateway.db.

interface SeenTable {
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
interface MailTryTable {
  mailbox: string;
  uidvalidity: string;
  uid: number;
  /** How often it was taken up since it last came to an end: more than once only after a crash or a fault. */
  begun: number;
  /** How often it was left for later by what takes longer each time. */
  deferrals: number;
  next_at: number;
}

export interface RefusedMailTable {
  raw_sha256: string;
  message_id: string;
  at: number;
  bytes: number;
  door: RefusedMail['door'];
  mailbox: string | null;
  authserv_id: string | null;
  ip: string | null;
  helo: string | null;
  mail_from: string | null;
  return_path: string | null;
  /** A JSON array of addresses. */
  recipients: string | null;
  counted_as: string;
  raw: Uint8Array;
}

interface DeadLetterTable {
  id: string;
  persona_id: string | null;
  message_id: string;
  stage: string;
  code: string;
  message: string;
  raw_path: string | null;
  /** Bytes that are kept on disk. */
  bytes: number;
  at: number;
}

/** Each column as the question has it. */
type SenderQuestionTable = { -readonly [Key in keyof SenderQuestion]: SenderQuestion[Key] };

type ToolQuestionTable = { -readonly [Key in keyof ToolQuestion]: ToolQuestion[Key] };

export interface GatewayTables {
  wakeups: { persona_id: string; due_at: number | null; generation: number };
  seen: SeenTable;
  cursors: { mailbox: string; uidvalidity: string; uid: number; since: number | null };
  mail_tries: MailTryTable;
  dead_letters: DeadLetterTable;
  refused_mail: RefusedMailTable;
  sender_questions: SenderQuestionTable;
  tool_questions: ToolQuestionTable;
  settings: { key: string; value: string };
  overviews: { persona_id: string; format: number; stamp: string; overview_json: string };
  changed_personas: { persona_id: string };
}
