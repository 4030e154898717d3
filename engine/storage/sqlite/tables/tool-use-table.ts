import type { Generated } from 'kysely';

/** A call that counts against a limit (`tool_policy.quotas`, `calls_per_sender_per_hour`). */
export interface ToolUseTable {
  id: Generated<number>;
  run_id: string;
  fence: number;
  turn: number;
  call_id: string;
  tool: string;
  sender: string | null;
  day: string;
  at: number;
}
