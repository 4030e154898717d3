import type { EngineError, GenerateRequest, ProviderCode, Whose } from '#contract';
import { backoffMs } from '../../lib/backoff.ts';
import { usageOfFailed } from '../../models/answers/usage.ts';
import { bookedPrice, costOf } from '../../models/cost.ts';
import type { Cause } from '../../models/outages.ts';
import { targetName } from '../../models/targets.ts';
import { estimateMessage, estimateTokens } from '../../models/tokens.ts';
import { afterFailure, whoseOf } from '../../models/whose.ts';
import type { LoopEvent } from '../../record/decisions.ts';
import type { PayloadOf } from '../../record/events.ts';
import type { Target } from '../../record/settings.ts';
import type { BudgetLimit } from '../../storage/types/budget.ts';
import type { LoopRun } from './loop-run.ts';

export type ModelOutcome =
  | { readonly kind: 'event'; readonly event: LoopEvent }
  /** Put the run back: its thread waits, but no lease and no slot is held. */
  | { readonly kind: 'wait'; readonly until: number }
  | Deferral;

/** Put the run back until what it waits for is over, hours or days if need be. */
export type Deferral =
  | {
      readonly kind: 'defer';
      /** Whose the failure is: the vendor's, or nobody knows yet; the owner's to mend; of this mail alone. */
      readonly code: 'provider_unavailable' | 'provider_setup' | 'request_failed';
      readonly cause: Cause;
      /** The vendor asked to be left alone for so long. */
      readonly askedMs: number;
    }
  | { readonly kind: 'defer'; readonly code: 'budget'; readonly limit: BudgetLimit };

interface FailedRequest {
  readonly target: Target;
  readonly request: GenerateRequest;
  readonly error: EngineError;
  readonly ms: number;
}

/** Puts a failed call on record, with whose it was; what the run does then. */
export async function recordFailure(run: LoopRun, failed: FailedRequest): Promise<ModelOutcome> {
  const { settings, models, clock } = run;
  const { target, error, ms } = failed;
  const later = laterThan(run, target);
  const isOver = error.code === 'timeout' && run.recorder.activeMs() >= settings.limits.run_timeout_s * 1000;
  const { code, next, whose, wasUnclear } = judged(run, failed, later);
  // It was the run that had no time left: no fault of the provider's, which may have needed only some seconds.
  const rests = next.coolMs > 0 && !isOver;
  if (rests) await models.cooldowns.rest(target.provider, clock.now() + next.coolMs);
  const ended: PayloadOf<'model_call_ended'> = {
    ok: false,
    ...target,
    at: later.at,
    ms,
    code,
    whose,
    message: error.message.slice(0, 500),
    retry_after_ms: error.retry === 'never' ? null : error.retry.afterMs,
    next: next.next,
    ...(next.next === 'plainer' ? { plain: next.plain } : {}),
    ...(wasUnclear ? { was_unclear: true as const } : {}),
    ...(rests ? { rested: true as const } : {}),
    ...settled(run, failed),
    ...(later.withoutTools.length > 0 ? { without_tools: later.withoutTools } : {}),
  };
  run.recorder.event('model_call_ended', ended);
  run.log.warn({ provider: target.provider, model: target.model, code, whose, next: next.next }, 'model call failed');
  if (isOver) return { kind: 'event', event: { type: 'begin' } };
  if (code === 'unparsable') return { kind: 'event', event: { type: 'unparsable', why: 'unreadable' } };
  if (next.next === 'retry') {
    run.recorder.forgive(ms);
    return { kind: 'wait', until: clock.now() + next.afterMs };
  }
  if (next.next !== 'exhausted') return { kind: 'event', event: { type: 'begin' } };
  if (whose === 'request') run.refused();
  if (code === 'content_refused') return { kind: 'event', event: { type: 'refusal' } };
  const waitsFor = waitsAfter({ code, whose, wasUnclear });
  // To its sender a model that does not take this mail alone is one that refused it.
  const told = code === 'model_gone' ? 'bad_request' : code;
  if (waitsFor === null) return { kind: 'event', event: { type: 'provider_exhausted', code: told } };
  // Its time is for work, not for asking models that do not answer.
  run.recorder.forgive(ms);
  const cause = { cause: code, provider: target.provider, message: ended.message ?? '', whose };
  return { kind: 'defer', code: waitsFor, cause, askedMs: error.retry === 'never' ? 0 : error.retry.afterMs };
}

/** A call that was given up for its time, or whose answer broke off or could not be read, is billed; by how much few vendors say. */
function settled(run: LoopRun, { target, request, error, ms }: FailedRequest): Partial<PayloadOf<'model_call_ended'>> {
  const isLate = error.code === 'timeout' && ms >= LATE_MS;
  if (!isLate && !error.begun && error.usage === null && error.code !== 'unparsable') {
    run.recorder.release();
    return {};
  }
  const { usage, isEstimate } = usageOfFailed(request, { ms, said: error.usage });
  const cost_usd = costOf(usage, bookedPrice(target, run.models.info(target), run.prices));
  run.recorder.spendBeside(usage, cost_usd, { usage: isEstimate, price: false });
  return { cost_usd, booked: { input: usage.input, output: usage.output } };
}

/** A connection that never came about is given up sooner. */
const LATE_MS = 15_000;

interface Later {
  /** The place of the target that failed. */
  readonly at: number;
  readonly hasNext: boolean;
  /** Targets behind it that the run cannot use. */
  readonly withoutTools: readonly string[];
}

function laterThan(run: LoopRun, target: Target): Later {
  const targets = targetsOf(run);
  const at = targets.indexOf(target);
  const later = targets.slice(at + 1);
  const withoutTools = later.filter((other) => !isCapable(run, other)).map(targetName);
  return { at, hasNext: withoutTools.length < later.length, withoutTools };
}

/** The models that the run may use. */
export const targetsOf = ({ state, settings }: LoopRun): readonly Target[] => state.targets ?? settings.targets;

/** Whether a model can do the run's work. */
export const isCapable = ({ settings, models }: LoopRun, target: Target): boolean =>
  settings.tools.length === 0 || models.info(target).tools;

/** What follows, and whose it was: as the vendor says, or, where it may be either's, as other mails found. */
function judged(run: LoopRun, { target, request, error }: FailedRequest, { at, hasNext }: Later) {
  const { state } = run;
  // Failures of another target, which began to rest meanwhile, are not this one's.
  const attempts = at === state.target ? state.providerFailures + 1 : 1;
  const thrown = error.code as ProviderCode;
  const said = saidOf(run, error);
  const isVague = thrown === 'bad_request' && whoseOf(error) === 'unclear';
  const isTooLong = isVague && isLong(run, target, request);
  const code = isTooLong ? 'context_overflow' : thrown;
  const first = isTooLong ? 'request' : said;
  const given = {
    code,
    retry: error.retry,
    attempts,
    hasNext,
    compacted: state.compacted,
    backoffMs: backoffMs({ attempt: attempts, firstMs: 1000, maxMs: 60_000, random: run.random() }),
    isProbe: state.isWaiting || run.isInDoubt(),
  };
  // A refusal that names no reason may be for the length: what can be left out is, once.
  const isShortened = isVague && !state.compacted && canBeShorter(run);
  const plainer = isShortened || hasNext ? null : plainerThan(run, { target, request, error }, isVague);
  if (plainer) return { code, next: plainer, whose: 'request' as const, wasUnclear: false };
  const next = isShortened ? SHORTER : afterFailure({ ...given, whose: first });
  if (isShortened) return { code, next, whose: 'request' as const, wasUnclear: false };
  const whose = whoseByOthers(run, target, { code, whose: first });
  // Tried again at once: what others met until then counts.
  if (first === 'request' || next.next === 'retry') return { code, next, whose: first, wasUnclear: false };
  if (whose !== 'request') return { code, next: afterFailure({ ...given, whose }), whose, wasUnclear: false };
  // Others were answered, so it is this mail: what can be left out of it may be what is not taken.
  if (code === 'auth') return { code: 'content_refused' as const, next: ENDS, whose, wasUnclear: true };
  const found = !state.compacted && canBeShorter(run) ? SHORTER : next;
  return { code, next: found, whose, wasUnclear: true };
}

/** Where nobody was asked for want of a price, that tells nothing of the vendor. */
const whoseByOthers = (run: LoopRun, target: Target, { code, whose }: { code: ProviderCode; whose: Whose }): Whose =>
  code === 'no_price' ? whose : run.judge({ target: targetName(target), code, whose });

/**
 * The same request without what its vendor may not take of it, where it was refused without a reason, where nobody takes
 * it as it is, or where it is too long and has become as short as it can. Null: it is as plain as it gets.
 */
function plainerThan(run: LoopRun, { target, request, error }: Omit<FailedRequest, 'ms'>, isVague: boolean) {
  const isTooLong = error.code === 'context_overflow' && run.state.compacted;
  const isNowhere = error.code === 'model_gone' && whoseOf(error) === 'unclear';
  if (!isVague && !isTooLong && !isNowhere) return null;
  const how = { plain: run.state.plain, about: run.prompt.userBlock, shorter: isTooLong };
  const plain = run.models.plainer?.(target, request, how) ?? null;
  return plain === null || plain === 0 ? null : ({ next: 'plainer', coolMs: 0, plain } as const);
}

/** What was refused in the middle of a run, whose mail the model has read, is about the run; a task is due again anyway. */
function saidOf({ state, settings }: LoopRun, error: EngineError): Whose {
  const said = whoseOf(error);
  const isOwn = state.modelCalls > 0 || settings.frame?.trigger === 'task';
  return said === 'unclear' && error.code === 'bad_request' && isOwn ? 'request' : said;
}

const ENDS = { next: 'exhausted', coolMs: 0 } as const;
const SHORTER = { next: 'compact', coolMs: 0 } as const;

/** From here on a refusal that names no reason is one of a request that is too long. */
const LONG_SHARE = 0.5;

function isLong(run: LoopRun, target: Target, { system, tools, messages }: GenerateRequest): boolean {
  const texts = [...system, JSON.stringify(tools)].reduce((sum, text) => sum + estimateTokens(text), 0);
  const tokens = messages.reduce((sum, message) => sum + estimateMessage(message), texts);
  return tokens >= run.models.info(target).context_tokens * LONG_SHARE;
}

/** What makes a difference where it is left out. */
const WORTH_TOKENS = 1000;

const canBeShorter = ({ prompt, state }: LoopRun): boolean =>
  [...prompt.history, ...state.messages].reduce((sum, message) => sum + estimateMessage(message), 0) >= WORTH_TOKENS;

/** What the run waits for; null: for nothing, it ends. Pure. */
function waitsAfter(failure: { code: ProviderCode; whose: Whose; wasUnclear: boolean }) {
  const { code, whose, wasUnclear } = failure;
  if (whose === 'setup') return 'provider_setup';
  if (whose !== 'request') return 'provider_unavailable';
  // Told by others alone that it is this mail: it may be answered after all, and nobody else waits for that.
  return wasUnclear && code !== 'bad_request' && code !== 'model_gone' ? 'request_failed' : null;
}
