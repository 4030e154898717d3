import type { ToolCall } from '#contract';
import type { SecurityConfig } from '../config/types.ts';
import { instantOf, wallAt } from '../lib/schedule/zone.ts';
import type { QuotaSpent } from '../policy/permission.ts';
import { MOST_TOLD_BACK, TELLS_BACK, type ToldBack } from '../policy/told-back.ts';
import type { LoopState } from '../record/state.ts';
import type { Store } from '../storage/ports/store.ts';
import type { StoredRun } from '../storage/types/runs.ts';

import type { Calls } from './calls.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Asks the limits of calls about one that is to be made, and counts it: the row is there before the call is. Nothing is
 * asked of the database where the configuration names no limit.
 */
export function quotaOf(options: {
  toldBack: ToldBack | null;
  security: Pick<SecurityConfig, 'tool_policy' | 'calls_per_sender_per_hour'>;
  store: Pick<Store, 'useTool'>;
  run: StoredRun;
  state: Pick<LoopState, 'modelCalls' | 'pending'>;
  day: string;
  timezone: string;
  now(): number;
}): Calls['useTool'] {
  const { toldBack, security, store, run, state, day, timezone, now } = options;
  return async ({ id, name }: ToolCall, reserves) => {
    const quota = security.tool_policy.quotas[name];
    const limits = {
      perRun: leastOf(quota?.max_per_run ?? null, toldBack !== null && name === TELLS_BACK ? MOST_TOLD_BACK : null),
      perDay: quota?.max_per_day ?? null,
      perSenderHour: run.sender === null ? null : security.calls_per_sender_per_hour,
    };
    if (Object.values(limits).every((limit) => limit === null)) return null;
    const at = now();
    const { modelCalls: turn, pending } = state;
    const begun = [...(pending?.intended.keys() ?? []), ...(pending?.begun.keys() ?? [])];
    const use = { runId: run.id, fence: run.fence, turn, callId: id, tool: name, sender: run.sender, day, at, begun };
    const spent = await store.useTool(use, limits, reserves);
    if (spent === null) return null;
    const spentBy = (code: QuotaSpent['code'], most: number | null, until: number | null): QuotaSpent => ({
      code,
      limit: spent.limit,
      most: most ?? 0,
      retry_at: until,
      retry_after_ms: until === null ? null : Math.max(0, until - at),
    });
    switch (spent.limit) {
      case 'max_per_run':
        return spentBy('policy_quota_exceeded', limits.perRun, null);
      case 'max_per_day':
        return spentBy('policy_quota_exceeded', limits.perDay, nextDay(at, timezone));
      case 'calls_per_sender_per_hour':
        return spentBy('policy_rate_limited', limits.perSenderHour, spent.oldest + HOUR_MS);
    }
  };
}

const leastOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** The first instant of the next day on the clocks of the zone. */
function nextDay(now: number, zone: string): number {
  const wall = wallAt(zone, now);
  return instantOf(zone, wall - (wall % DAY_MS) + DAY_MS);
}
