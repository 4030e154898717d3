import type { ToolCall } from '#contract';
import type { AuditEntry } from '../record/recorder.ts';
import type { Permission } from './permission.ts';

/** The audit's view of a refusal: which rule it was and over what, neither of which a model or a stranger is told. */
export const auditDenial = (call: ToolCall, permission: Extract<Permission, { verdict: 'deny' }>): AuditEntry => ({
  actor: 'policy',
  event: 'tool_call_denied',
  tool: call.name,
  decision: permission.code,
  detail: {
    call_id: call.id,
    by: permission.by,
    ...(permission.asked?.surface ? { reason: 'not_on_surface' } : {}),
    risk: permission.risk,
    // What it was judged by: rules and lists that neither the model nor the sender hears of.
    evidence: permission.asked,
    arguments: call.arguments ?? call.rawArguments ?? null,
  },
});
