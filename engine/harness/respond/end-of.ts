import type { EndDecision } from '../loop/end.ts';
import type { Receipt } from './receipt/receipt.ts';

export type EndStatus = 'done' | 'failed' | 'cancelled';

export function statusOf(decision: EndDecision): EndStatus {
  if (decision.decision !== 'FAIL') return 'done';
  return decision.reason === 'cancelled' ? 'cancelled' : 'failed';
}

/** How a run ended. An answer of which nothing was done that was to be done is a part of one, whatever it says. */
export function endOf(
  decision: EndDecision,
  { record }: Pick<Receipt, 'record'>,
): { readonly outcome: string; readonly code: string | null } {
  if (decision.decision === 'FINAL') {
    const isPart = decision.outcome === 'final' && record?.in_vain === true;
    return isPart ? { outcome: 'partial', code: 'contract' } : { outcome: decision.outcome, code: null };
  }
  const code = statusOf(decision) === 'cancelled' ? null : decision.reason;
  return { outcome: decision.decision === 'FINAL_PARTIAL' ? 'partial' : statusOf(decision), code };
}
