import type { Columns } from '../../types/columns.ts';
import type {
  ConsoleCode,
  ConsoleLogIn,
  ConsolePasskey,
  ConsoleSession,
  DeadLetter,
  GatewayAudit,
  RefusedMail,
  SeenMail,
  SenderQuestion,
  ToolQuestion,
} from '../../types/gateway.ts';

// The tables of gateway.db. What a column means stands with the types.

type SeenTable = Columns<SeenMail, 'id'>;

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

/** `recipients`: a JSON array of addresses. */
export type RefusedMailTable = Columns<Omit<RefusedMail, 'recipients'> & { readonly recipients: string | null }>;

export interface GatewayTables {
  wakeups: { persona_id: string; due_at: number | null; generation: number };
  seen: SeenTable;
  cursors: { mailbox: string; uidvalidity: string; uid: number; since: number | null };
  mail_tries: MailTryTable;
  dead_letters: Columns<DeadLetter>;
  refused_mail: RefusedMailTable;
  sender_questions: Columns<SenderQuestion>;
  tool_questions: Columns<ToolQuestion>;
  console_codes: Columns<ConsoleCode>;
  console_log_ins: Columns<ConsoleLogIn>;
  console_passkeys: Columns<ConsolePasskey>;
  console_sessions: Columns<ConsoleSession>;
  gateway_audit: Columns<Omit<GatewayAudit, 'detail'>> & { detail_json: string };
  settings: { key: string; value: string };
  overviews: { persona_id: string; format: number; stamp: string; overview_json: string };
  changed_personas: { persona_id: string };
}
