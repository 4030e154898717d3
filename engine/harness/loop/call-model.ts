import {
  EngineError,
  type GenerateRequest,
  type GenerateResponse,
  type ModelInfo,
  type ModelMessage,
  type ProviderCode,
} from '#contract';
import { backoffMs } from '../../lib/backoff.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { afterFailure, OUTAGES } from '../../models/after-failure.ts';
import { asProviderError } from '../../models/as-provider-error.ts';
import { waitsForMoney } from '../../models/budget-window.ts';
import { costOf, priceOf } from '../../models/cost.ts';
import { capableFrom, targetName } from '../../models/targets.ts';
import { surfaceOf } from '../../policy/surface.ts';
import type { LoopEvent } from '../../record/decisions.ts';
import { ANSWER } from '../../record/declared.ts';
import type { PayloadOf } from '../../record/events.ts';
import type { Target } from '../../record/settings.ts';
import type { BudgetLimit } from '../../storage/types/budget.ts';

import { fitObservations, roomFor } from '../../tools/observe/fit.ts';
import type { LoopRun } from './loop-run.ts';
import { markOf } from './request-mark.ts';
import { reserve } from './reserve.ts';

export type ModelOutcome =
  | { readonly kind: 'event'; readonly event: LoopEvent }
  /** Put the run back: its thread waits, but no lease and no slot is held. */
  | { readonly kind: 'wait'; readonly until: number }
  | Deferral;

/** Put the run back until what it waits for is over, hours or days if need be. */
export type Deferral =
  | {
      readonly kind: 'defer';
      readonly code: 'provider_unavailable';
      readonly cause: { readonly cause: string; readonly provider: string; readonly message: string };
      /** The vendor asked to be left alone for so long. */
      readonly askedMs: number;
    }
  | { readonly kind: 'defer'; readonly code: 'budget'; readonly limit: BudgetLimit };

const IN_USE_WAIT_MS = 1000;

/** One model call: committed as started, made once, committed as ended together with whatever follows. */
export async function callModel(run: LoopRun): Promise<ModelOutcome> {
  const target = pickTarget(run);
  if (!target) {
    const code = run.state.lastProviderCode ?? 'unavailable';
    return { kind: 'event', event: { type: 'provider_exhausted', code } };
  }
  const { request: wanted, compacted } = buildRequest(run, target);
  const reserved = await reserve(run, target, wanted);
  // What other runs have set aside comes back when their calls end, mostly unspent.
  if (reserved === 'in_use') return { kind: 'wait', until: run.clock.now() + IN_USE_WAIT_MS };
  if (reserved !== null && 'spent' in reserved) {
    if (waitsForMoney(run.state, reserved.spent)) return { kind: 'defer', code: 'budget', limit: reserved.spent };
    run.recorder.found({ kind: 'budget_spent', limit: reserved.spent });
    return { kind: 'event', event: { type: 'observed' } };
  }
  const request = reserved === null ? wanted : { ...wanted, maxOutputTokens: reserved.outputTokens };
  const call = run.state.modelCalls + run.state.providerFailures + 1;
  run.recorder.event('model_call_started', {
    call,
    ...target,
    surface: surfaceOf(request.tools).fingerprint,
    tool_choice: request.toolChoice,
    messages: request.messages.length,
    max_output_tokens: request.maxOutputTokens,
    model_info: modelFacts(run.models.info(target)),
    request: markOf(request, run.prompt.userBlock),
    ...(reserved === null ? {} : { reserved_usd: reserved.usd, capped: reserved.capped }),
    ...(compacted === 0 ? {} : { fitted: compacted }),
    ...fewerTools(run),
    ...(run.state.targets === null ? {} : { targets: run.state.targets }),
  });
  await run.recorder.commit({ provider: target.provider, model: target.model });
  run.pass(run.state.toolTurns > 0 ? 'run.step_committed' : 'run.context_committed');
  const startedAt = run.clock.now();
  try {
    const response = await generate(run, target, request);
    run.answered();
    run.pass('run.model_replied');
    return { kind: 'event', event: await recordResponse(run, target, response, run.clock.now() - startedAt) };
  } catch (error) {
    if (run.signal.aborted) throw error;
    return recordFailure(run, target, asProviderError(error), run.clock.now() - startedAt);
  }
}

/** Said only where rights were taken away since the run began: the tools that are left. */
const fewerTools = ({ settings: { tools, pinned = tools } }: LoopRun) =>
  (pinned ?? tools).length === tools.length ? {} : { tools: tools.map(({ name }) => name) };

/** What of a model had a say in the request. */
const modelFacts = ({ context_tokens, max_output_tokens, tools }: ModelInfo) => ({
  context_tokens,
  max_output_tokens,
  tools,
});

/** The target in turn; one that rests is passed over while a later one does not. */
function pickTarget(run: LoopRun): Target | undefined {
  const { models, clock } = run;
  const rest = remaining(run, run.state.target);
  return rest.find(({ provider }) => !models.cooldowns.isResting(provider, clock.now())) ?? rest[0];
}

const remaining = (run: LoopRun, from: number): readonly Target[] =>
  capableFrom(targetsOf(run), from, (target) => isCapable(run, target)).map(({ target }) => target);

const targetsOf = ({ state, settings }: LoopRun): readonly Target[] => state.targets ?? settings.targets;

const isCapable = ({ settings, models }: LoopRun, target: Target): boolean =>
  settings.tools.length === 0 || models.info(target).tools;

function buildRequest(run: LoopRun, target: Target): { request: GenerateRequest; compacted: number } {
  const { settings, prompt, state, recorder, models } = run;
  const { messages: fitted, compacted } = fitObservations(state.messages, {
    room: roomFor(models.info(target)),
    rescue: state.compacted,
  });
  const own = fitted.map((message) => forTarget(message, target));
  const history = state.compacted ? [] : prompt.history;
  const request = {
    model: target.model,
    system: settings.system,
    messages: [...history, prompt.userBlock, ...own],
    tools: settings.tools,
    toolChoice: state.lastCall === null && settings.tools.length > 0 ? ('auto' as const) : ('none' as const),
    maxOutputTokens: settings.maxOutputTokens,
    temperature: settings.temperature,
    cacheKey: recorder.threadId,
    input: { text: prompt.inputText },
  };
  return { request, compacted };
}

/** A vendor's own parts mean nothing to another vendor, and are refused by another model. */
function forTarget(message: ModelMessage, target: Target): ModelMessage {
  if (message.role !== 'assistant' || !message.providerParts) return message;
  const { provider, model } = message.providerParts;
  if (provider === target.provider && model === target.model) return message;
  return { role: 'assistant', text: message.text, toolCalls: message.toolCalls };
}

async function generate(run: LoopRun, target: Target, request: GenerateRequest): Promise<GenerateResponse> {
  if (!run.allowUnpriced && priceOf(target, run.models.info(target), run.prices) === null) {
    throw new EngineError('bad_request', `${target.provider}/${target.model} has no price and allow_unpriced is false`);
  }
  const adapter = await run.models.adapter(target.provider);
  const { model_timeout_s, run_timeout_s } = run.settings.limits;
  const response = await withDeadline((signal) => adapter.generate(request, { signal }), {
    // An answer after the run's own time could not be used any more. Timers may be a little early, the rule is exact.
    ms: Math.min(model_timeout_s * 1000, Math.max(0, run_timeout_s * 1000 - run.recorder.activeMs()) + 5),
    code: 'timeout',
    what: `${target.provider}/${target.model}`,
    parent: run.signal,
  });
  const ids = response.toolCalls.map(({ id }) => id);
  // Results are matched by id; two calls under one id could never both be answered.
  if (new Set(ids).size < ids.length) throw new EngineError('unparsable', 'two tool calls share one id');
  return response;
}

async function recordResponse(
  run: LoopRun,
  target: Target,
  response: GenerateResponse,
  ms: number,
): Promise<LoopEvent> {
  const { usage, text, toolCalls, finish, providerParts } = response;
  const info = run.models.info(target);
  const cost = response.reportedCostUsd ?? costOf(usage, priceOf(target, info, run.prices));
  run.recorder.event('model_call_ended', {
    ok: true,
    ...target,
    response: { text, toolCalls, finish, providerParts, usage },
    cost_usd: cost,
    ms,
  });
  run.recorder.spend(usage, cost);
  if (finish === 'refusal') return { type: 'refusal' };
  const { declared } = run.state;
  if (toolCalls.length > 0 && !(declared && mayAnswer(run))) return { type: 'calls', verdicts: [] };
  const said = declared?.text ?? text;
  if (said.trim() === '' && !(run.maySayNothing && finish !== 'length')) return { type: 'unparsable', why: 'blank' };
  return { type: 'final', text: said, whole: finish !== 'length', asks: declared?.question ?? false };
}

/** Whether the model of this run was shown the tool that ends it. */
const mayAnswer = ({ settings }: LoopRun): boolean => settings.tools.some(({ name }) => name === ANSWER);

async function recordFailure(run: LoopRun, target: Target, error: EngineError, ms: number): Promise<ModelOutcome> {
  const { state, settings, models, clock } = run;
  const code = error.code as ProviderCode;
  const targets = targetsOf(run);
  const at = targets.indexOf(target);
  const later = targets.slice(at + 1);
  const withoutTools = later.filter((other) => !isCapable(run, other)).map(targetName);
  const isOver = code === 'timeout' && run.recorder.activeMs() >= settings.limits.run_timeout_s * 1000;
  // Failures of another target, which began to rest meanwhile, are not this one's.
  const attempts = at === state.target ? state.providerFailures + 1 : 1;
  const next = afterFailure({
    code,
    retry: error.retry,
    attempts,
    backoffMs: backoffMs({ attempt: attempts, firstMs: 1000, maxMs: 60_000, random: run.random() }),
    hasNext: withoutTools.length < later.length,
    compacted: state.compacted,
    isProbe: state.isWaiting,
  });
  // It was the run that had no time left: no fault of the provider's, which may have needed only some seconds.
  const rests = next.coolMs > 0 && !isOver;
  if (rests) await models.cooldowns.rest(target.provider, clock.now() + next.coolMs);
  const ended: PayloadOf<'model_call_ended'> = {
    ok: false,
    ...target,
    at,
    ms,
    code,
    message: error.message.slice(0, 500),
    retry_after_ms: error.retry === 'never' ? null : error.retry.afterMs,
    next: next.next,
    ...(rests ? { rested: true as const } : {}),
    ...(withoutTools.length > 0 ? { without_tools: withoutTools } : {}),
  };
  run.recorder.event('model_call_ended', ended);
  run.recorder.release();
  run.log.warn({ provider: target.provider, model: target.model, code, next: next.next }, 'model call failed');
  if (isOver) return { kind: 'event', event: { type: 'begin' } };
  if (code === 'unparsable') return { kind: 'event', event: { type: 'unparsable', why: 'unreadable' } };
  if (next.next === 'retry') {
    run.recorder.forgive(ms);
    return { kind: 'wait', until: clock.now() + next.afterMs };
  }
  if (next.next === 'exhausted' && OUTAGES.has(code)) {
    const cause = { cause: code, provider: target.provider, message: ended.message ?? '' };
    const askedMs = error.retry === 'never' ? 0 : error.retry.afterMs;
    // Its time is for work, not for asking models that do not answer.
    run.recorder.forgive(ms);
    return { kind: 'defer', code: 'provider_unavailable', cause, askedMs };
  }
  if (next.next === 'exhausted') return { kind: 'event', event: { type: 'provider_exhausted', code } };
  return { kind: 'event', event: { type: 'begin' } };
}
