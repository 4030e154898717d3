import { EngineError, type GenerateRequest, type GenerateResponse, type ProviderCode } from '#contract';
import type { InferenceConfig, Persona } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { localDay } from '../lib/schedule/local-day.ts';
import type { StageCall } from '../record/codec/remembered.ts';
import type { Target } from '../record/settings.ts';
import type { FactStore } from '../storage/ports/facts.ts';
import { afterFailure } from './after-failure.ts';
import { asProviderError } from './as-provider-error.ts';
import { costOf, type Price, priceOf } from './cost.ts';
import type { Models } from './models.ts';
import { parseTarget, targetName } from './targets.ts';

export type StageSettings = NonNullable<InferenceConfig['stages']['remember']>;

/** What a stage asks: its own rules, and one text that it is asked about. */
export interface StageRequest {
  /** For the trace. */
  readonly purpose: string;
  readonly system: string;
  readonly text: string;
}

export interface StageReply {
  /** Null where nobody answered. */
  readonly text: string | null;
  /** Why: its share of the day is spent, or no model answered. */
  readonly code: 'budget' | 'provider' | null;
  readonly calls: readonly StageCall[];
}

/** A stage's way to its model: which, with what budget and until when is settled before it is handed over. */
export type CallStage = (request: StageRequest) => Promise<StageReply>;

/** What a stage is set to: the persona's own choice, else the workspace's; null where neither names it. */
export function stageSettings(
  persona: Persona,
  inference: InferenceConfig,
  stage: keyof InferenceConfig['stages'],
): StageSettings | null {
  return persona.inference.stages?.[stage] ?? inference.stages[stage] ?? null;
}

/** The models of a stage, in order. `own`: those that answer mail. */
export function stageTargets(
  { provider, model, fallback }: StageSettings,
  own: readonly Target[],
  defaultModel: (provider: string) => string,
): readonly Target[] {
  const [answers] = own;
  const chosen = provider ?? answers?.provider ?? 'offline';
  const first =
    provider === undefined && model === undefined && answers
      ? answers
      : { provider: chosen, model: model ?? defaultModel(chosen) };
  const rest = fallback === undefined ? own.slice(1) : fallback.map(parseTarget);
  return [first, ...rest.filter((target) => targetName(target) !== targetName(first))];
}

export interface StageOptions {
  readonly models: Models;
  readonly inference: InferenceConfig;
  readonly settings: StageSettings;
  readonly targets: readonly Target[];
  readonly persona: Persona;
  /** Of the day's budget, 0 to 1. */
  readonly share: number;
  readonly store: Pick<FactStore, 'reserveMemory' | 'settleMemory'>;
  /** The run that its cost is booked on. */
  readonly runId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const OUTPUT_TOKENS = 1000;

export function createStageCaller(options: StageOptions): CallStage {
  return async (request) => {
    const { targets, models, clock } = options;
    const calls: StageCall[] = [];
    const awake = targets.filter(({ provider }) => !models.cooldowns.isResting(provider, clock.now()));
    for (const target of awake) {
      const made = await callOne(options, target, request);
      if (made === 'budget') return { text: null, code: 'budget', calls };
      calls.push(made.call);
      if (made.text !== null) return { text: made.text, code: null, calls };
    }
    return { text: null, code: 'provider', calls };
  };
}

async function callOne(
  options: StageOptions,
  target: Target,
  asked: StageRequest,
): Promise<'budget' | { readonly text: string | null; readonly call: StageCall }> {
  const { models, store, persona, clock, runId, share } = options;
  const request = requestOf(options, target, asked);
  const price = priceOf(target, models.info(target), options.inference.prices);
  const day = localDay(clock.now(), persona.timezone);
  const reservedUsd = dearest(request, price);
  const { usd_per_day: usdPerDay } = persona.budget;
  if (!(await store.reserveMemory({ day, usd: reservedUsd, usdPerDay, share }))) return 'budget';
  const began = clock.now();
  const ended = (call: Pick<StageCall, 'ok' | 'code' | 'usage' | 'cost_usd'>): StageCall => ({
    ...{ purpose: asked.purpose, ...target, ms: clock.now() - began },
    ...call,
  });
  try {
    const { text, usage, reportedCostUsd } = await generate(options, target, request);
    const cost = reportedCostUsd ?? costOf(usage, price);
    await store.settleMemory({ day, runId, reservedUsd, usd: cost ?? 0, tokens: usage.input + usage.output });
    return { text, call: ended({ ok: true, code: null, usage, cost_usd: cost }) };
  } catch (error) {
    await store.settleMemory({ day, runId, reservedUsd, usd: 0, tokens: 0 });
    if (options.signal.aborted) throw error;
    const failure = asProviderError(error);
    await restAfter(options, target, failure);
    const code = failure.code as ProviderCode;
    return { text: null, call: ended({ ok: false, code, usage: null, cost_usd: null }) };
  }
}

/** A provider that is left alone by mail is left alone by all stages, and the other way round. */
async function restAfter({ models, clock }: StageOptions, { provider }: Target, failure: EngineError): Promise<void> {
  const { coolMs } = afterFailure({
    ...{ code: failure.code as ProviderCode, retry: failure.retry, attempts: 1, backoffMs: 0 },
    ...{ hasNext: false, compacted: true, isProbe: true },
  });
  if (coolMs > 0) await models.cooldowns.rest(provider, clock.now() + coolMs);
}

function requestOf({ settings, models, runId }: StageOptions, target: Target, asked: StageRequest): GenerateRequest {
  const most = models.info(target).max_output_tokens;
  return {
    model: target.model,
    system: [asked.system],
    messages: [{ role: 'user', content: [{ type: 'text', text: asked.text }] }],
    tools: [],
    toolChoice: 'none',
    maxOutputTokens: Math.min(settings.max_output_tokens ?? OUTPUT_TOKENS, most),
    temperature: settings.temperature ?? null,
    cacheKey: runId,
    input: { text: asked.text },
  };
}

/** What the call can cost at most: hardly any text has more than a token in two bytes. */
function dearest({ system, messages, maxOutputTokens }: GenerateRequest, price: Price | null): number {
  if (price === null) return 0;
  const input = Math.ceil(Buffer.byteLength(JSON.stringify([system, messages])) / 2);
  return (input * price.input + (maxOutputTokens ?? 0) * price.output) / 1_000_000;
}

async function generate(
  { models, inference, settings, signal }: StageOptions,
  target: Target,
  request: GenerateRequest,
): Promise<GenerateResponse> {
  if (!inference.allow_unpriced && priceOf(target, models.info(target), inference.prices) === null) {
    throw new EngineError('bad_request', `${targetName(target)} has no price and allow_unpriced is false`);
  }
  const adapter = await models.adapter(target.provider);
  return withDeadline((during) => adapter.generate(request, { signal: during }), {
    ms: (settings.timeout_s ?? inference.model_timeout_s) * 1000,
    code: 'timeout',
    what: targetName(target),
    parent: signal,
  });
}
