import type { AuditRecord } from '../storage/types/approvals.ts';

/** An audit row before the recorder adds id, time and run. */
export type AuditEntry = Pick<AuditRecord, 'actor' | 'event' | 'tool' | 'decision'> & {
  readonly approvalId?: string;
  readonly detail: object;
};
