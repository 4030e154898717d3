import type { AuditRow } from '../storage/sqlite/tables/approval-tables.ts';
/** An audit row before the recorder adds id, time and run. */
export type AuditEntry = Pick<AuditRow, 'actor' | 'event' | 'tool' | 'decision'> & {
  readonly approvalId?: string;
  readonly detail: object;
};
