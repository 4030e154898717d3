import type { ToolCall } from '#contract';
import { iso } from '../lib/clock.ts';
import type { CallError, Executable, RefusedCall } from './call.ts';
import { BY_DELEGATION, CONTEXT_DENIED } from './delegated.ts';
import { judge } from './judges.ts';
import type { Permission, QuotaSpent } from './permission.ts';
import { BY_STANDING } from './standing-rules.ts';

/** Before the id of the rule by which a playbook denies a call. */
export const BY_PLAYBOOK = 'playbook rule ';

type Denied = Extract<Permission, { verdict: 'deny' }>;

/** What the model is told beside the code: never which rule or whose list stood in the way. */
interface Around {
  /** Names of the tools that the model may call; null where nothing was shown to a model. */
  readonly shown: readonly string[] | null;
  /** Why a tool that is granted cannot be used now. */
  readonly unready?: string | null;
}

/**
 * The model's view of a denial: what it is, what may be done in its place, and whether the same call can be tried
 * again. The sender is told of it by the receipt of the reply, the owner by the audit log (`audit.ts`).
 */
export function denialFor({ code, asked, by }: Denied, name: string, { shown, unready }: Around): CallError {
  if (asked?.quota) return quotaDenial(asked.quota, name);
  const byPlaybook = by.startsWith(BY_PLAYBOOK) ? asked?.restrictions?.find((one) => one.by === by) : undefined;
  if (byPlaybook) {
    const message = `${name} is not used for this: ${byPlaybook.reason} (${by})`;
    return { code, message, ...hintOf(shown), retryable: false };
  }
  if (asked?.standing?.deny && by.startsWith(BY_STANDING)) {
    const message = `${name} is not used for this: an owner has said ${JSON.stringify(asked.standing.deny.text)} (${by})`;
    return { code, message, hint: 'an owner alone can end that rule; do not try another way', retryable: false };
  }
  if (by === BY_DELEGATION) return { code, message: CONTEXT_DENIED, ...hintOf(shown), retryable: false };
  const error = (message: string): CallError => ({ code, message, ...hintOf(shown), retryable: false });
  if (code === 'policy_scope_missing') return error(`${name} is not available to this persona`);
  if (code === 'policy_requires_approval') return error(`${name} needs an owner's word, and this persona has no owner`);
  if (unready) return error(`${name} cannot be used now: ${unready}`);
  if (shown !== null && !shown.includes(name)) return error(`${name} is not among the tools of this request`);
  return error(`${name} is not allowed here`);
}

const hintOf = (shown: readonly string[] | null): Pick<CallError, 'hint'> => {
  if (shown === null) return {};
  return { hint: shown.length === 0 ? 'no tool can be used here; answer without' : `allowed: ${shown.join(', ')}` };
};

const SPENT: Readonly<Record<QuotaSpent['limit'], (name: string, most: number) => string>> = {
  max_per_run: (name, most) => `${name} can be called ${times(most)} for one mail, and was`,
  max_per_day: (name, most) => `${name} can be called ${times(most)} a day, and was`,
  calls_per_sender_per_hour: (_name, most) => `${times(most)} an hour a tool can be called for one sender, and was`,
};

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

export function quotaDenial({ code, limit, most, retry_at, retry_after_ms }: QuotaSpent, name: string): CallError {
  const message = SPENT[limit](name, most);
  if (retry_at === null) {
    return { code, message, hint: `${most} at most are allowed; say what is left to be done`, retryable: false };
  }
  return {
    code,
    message,
    hint: `${most} at most are allowed; the next one from ${iso(retry_at)} on`,
    retryable: true,
    retry_after_ms,
    retry_after: iso(retry_at),
  };
}

/** A call that its tool or its sender has had too many of, judged once more with that. */
export function refusedByQuota({ call, permission }: Executable, quota: QuotaSpent): RefusedCall {
  const { asked } = permission;
  const error = quotaDenial(quota, call.name);
  return { verdict: 'denied', call, error, permission: asked ? judge({ ...asked, quota }) : permission };
}

export const AFTER_FAILURE = 'an earlier call of this turn failed';

/** A call that is not made, and why. */
export function skipped(call: ToolCall, message: string): RefusedCall {
  return { verdict: 'skipped', call, error: { code: 'skipped', message }, permission: null };
}

/** One of more calls than a turn or a run may have. The mark stays on record, so that whoever asked is told that it was left. */
export function tooMany(call: ToolCall): RefusedCall {
  const message = 'too many calls at once; ask again for this one';
  return { ...skipped(call, message), error: { code: 'skipped', message, too_many: true } };
}
