import type { ToolCall } from '#contract';
import type { AuditRow } from '../../storage/approval-tables.ts';
import type { Permission } from './governor.ts';

/** An audit row before the recorder adds id, time and run. */
export type AuditEntry = Pick<AuditRow, 'actor' | 'event' | 'tool' | 'decision'> & {
  readonly approvalId?: string;
  readonly detail: object;
};

/** The audit's view of a refusal: which rule it was and over what, neither of which a model or a stranger is told. */
export const auditDenial = (call: ToolCall, permission: Extract<Permission, { verdict: 'deny' }>): AuditEntry => ({
  actor: 'policy',
  event: 'tool_call_denied',
  tool: call.name,
  decision: permission.code,
  detail: {
    call_id: call.id,
    by: permission.by,
    ...(permission.asked.surface ? { reason: 'not_on_surface' } : {}),
    risk: permission.risk,
    // What it was judged by: rules and lists that neither the model nor the sender hears of.
    evidence: permission.asked,
    arguments: call.arguments ?? call.rawArguments ?? null,
  },
});
