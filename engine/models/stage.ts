import type {
  EngineError,
  GenerateRequest,
  GenerateResponse,
  ModelMessage,
  ProviderCode,
  ToolCall,
  ToolSpec,
  Usage,
} from '#contract';
import type { InferenceConfig, Persona } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { localDay } from '../lib/schedule/zone.ts';
import type { StageCall } from '../record/codec/remembered.ts';
import { saidWhole } from '../record/gone-on.ts';
import type { Target } from '../record/settings.ts';
import type { FactStore } from '../storage/ports/facts.ts';
import { usageOfFailed } from './answers/usage.ts';
import { billed, bookedPrice, costOf, type Price, priceAt, priceOf } from './cost.ts';
import type { Models } from './models.ts';
import { parseTarget, targetName } from './targets.ts';
import { assertPriced, type Money } from './unpriced.ts';
import { afterFailure, asProviderError, whoseOf } from './whose.ts';

export type StageName = keyof InferenceConfig['stages'];
/** Settings of any stage. */
export type StageSettings = NonNullable<InferenceConfig['stages']['remember']>;
type SettingsOf<Name extends StageName> = NonNullable<InferenceConfig['stages'][Name]>;

/** What a stage asks: its own rules, and one text that it is asked about. */
export interface StageRequest {
  /** For the trace. */
  readonly purpose: string;
  readonly system: string;
  readonly text: string;
  /** What was said since it was asked. */
  readonly turns?: readonly ModelMessage[];
  /** Tools that it is shown; absent: none. */
  readonly tools?: readonly ToolSpec[];
  /** It is to answer now, and to call none of them. */
  readonly answersNow?: boolean;
}

export interface StageReply {
  /** Null where nobody answered. */
  readonly text: string | null;
  /** Calls of the tools that it was shown. */
  readonly toolCalls: readonly ToolCall[];
  /** Why: its share of the day is spent, or no model answered. */
  readonly code: 'budget' | 'provider' | null;
  readonly calls: readonly StageCall[];
}

/** A stage's way to its model: which, with what budget and until when is settled before it is handed over. */
export type CallStage = (request: StageRequest) => Promise<StageReply>;

/** What a stage is set to: the persona's own choice, else the workspace's; null where neither names it. */
export function stageSettings<Name extends StageName>(
  persona: Persona,
  inference: Pick<InferenceConfig, 'stages'>,
  stage: Name,
): SettingsOf<Name> | null {
  const chosen: InferenceConfig['stages'][Name] = persona.inference.stages?.[stage] ?? inference.stages[stage];
  return chosen ?? null;
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

/** What a call of a stage may cost at most, in tokens and in USD. */
interface MostOfCall {
  readonly inputTokens: number;
  readonly inputUsd: number;
  readonly outputTokens: number;
  readonly usdPerOutputToken: number;
}

/** Books the cost of a stage. */
export interface StageBooking {
  /** Within which it has to stay. */
  readonly budget: Money;
  /** Sets money aside before a call. Null: there is none for it. */
  reserve(most: MostOfCall): Promise<Reserved | null>;
}

interface Reserved {
  /** What it cost instead; null: nobody answered. */
  settle(paid: { readonly usage: Usage; readonly usd: number | null } | null): Promise<void>;
}

export interface StageOptions {
  readonly models: Models;
  readonly inference: InferenceConfig;
  readonly settings: StageSettings;
  readonly targets: readonly Target[];
  readonly booking: StageBooking;
  /** For the vendor's cache. */
  readonly runId: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
}

/** Books on the run that a job of the memory follows from, and on the memory's share of its persona's day. */
export const memoryBooking = ({
  store,
  persona,
  share,
  runId,
  clock,
}: {
  readonly store: Pick<FactStore, 'reserveMemory' | 'settleMemory'>;
  readonly persona: Pick<Persona, 'budget' | 'timezone'>;
  /** Share of the day's budget, 0 to 1. */
  readonly share: number;
  readonly runId: string;
  readonly clock: Pick<Clock, 'now'>;
}): StageBooking => ({
  budget: persona.budget,
  async reserve({ inputUsd, outputTokens, usdPerOutputToken }) {
    const day = localDay(clock.now(), persona.timezone);
    const reservedUsd = inputUsd + outputTokens * usdPerOutputToken;
    const { usd_per_day: usdPerDay } = persona.budget;
    if (!(await store.reserveMemory({ day, usd: reservedUsd, usdPerDay, share }))) return null;
    return {
      settle: (paid) =>
        store.settleMemory({
          day,
          runId,
          reservedUsd,
          usd: paid?.usd ?? 0,
          tokens: paid === null ? 0 : paid.usage.input + paid.usage.output,
        }),
    };
  },
});

const OUTPUT_TOKENS = 1000;
/** A call that was given up after this is billed all the same. */
const LATE_MS = 15_000;

export function createStageCaller(options: StageOptions): CallStage {
  return async (request) => {
    const { targets, models, clock } = options;
    const none = { text: null, toolCalls: [] };
    const calls: StageCall[] = [];
    const awake = targets.filter(({ provider }) => !models.cooldowns.isResting(provider, clock.now()));
    for (const target of awake) {
      const made = await callOne(options, target, request);
      if (made === 'budget') return { ...none, code: 'budget', calls };
      calls.push(made.call);
      if (made.response) {
        const { text, toolCalls } = made.response;
        return { text, toolCalls: saidWhole(made.response) ? toolCalls : [], code: null, calls };
      }
    }
    return { ...none, code: 'provider', calls };
  };
}

async function callOne(
  options: StageOptions,
  target: Target,
  asked: StageRequest,
): Promise<'budget' | { readonly response: GenerateResponse | null; readonly call: StageCall }> {
  const { models, clock, booking } = options;
  const request = requestOf(options, target, asked);
  const price = bookedPrice(target, models.info(target), options.inference.prices);
  const reserved = await booking.reserve(mostOf(request, price));
  if (reserved === null) return 'budget';
  const began = clock.now();
  const ended = (call: Pick<StageCall, 'ok' | 'code' | 'usage' | 'cost_usd'>): StageCall => ({
    purpose: asked.purpose,
    ...target,
    ms: clock.now() - began,
    ...call,
  });
  try {
    const response = await generate(options, target, request);
    const { usage } = response;
    const known = priceOf(target, models.info(target), options.inference.prices);
    const usd = billed(response, { known, booked: price });
    await reserved.settle({ usage, usd });
    return { response, call: ended({ ok: true, code: null, usage, cost_usd: usd }) };
  } catch (error) {
    const failure = asProviderError(error);
    const ms = clock.now() - began;
    const isLate = failure.code === 'timeout' && ms >= LATE_MS && !options.signal.aborted;
    const { usage } = usageOfFailed(request, { ms, said: failure.usage });
    const isBilled = isLate || failure.begun || failure.usage !== null || failure.code === 'unparsable';
    await reserved.settle(isBilled ? { usage, usd: costOf(usage, price) } : null);
    if (options.signal.aborted) throw error;
    await restAfter(options, target, failure);
    const code = failure.code as ProviderCode;
    return { response: null, call: ended({ ok: false, code, usage: null, cost_usd: null }) };
  }
}

/** A provider that is left alone by mail is left alone by all stages, and the other way round. */
async function restAfter({ models, clock }: StageOptions, { provider }: Target, failure: EngineError): Promise<void> {
  const { coolMs } = afterFailure({
    code: failure.code as ProviderCode,
    retry: failure.retry,
    whose: whoseOf(failure),
    attempts: 1,
    backoffMs: 0,
    hasNext: false,
    compacted: true,
    isProbe: true,
  });
  if (coolMs > 0) await models.cooldowns.rest(provider, clock.now() + coolMs);
}

function requestOf({ settings, models, runId }: StageOptions, target: Target, asked: StageRequest): GenerateRequest {
  const most = models.info(target).max_output_tokens;
  return {
    model: target.model,
    system: [asked.system],
    messages: [{ role: 'user', content: [{ type: 'text', text: asked.text }] }, ...(asked.turns ?? [])],
    tools: asked.tools ?? [],
    toolChoice: asked.tools === undefined || asked.answersNow ? 'none' : 'auto',
    maxOutputTokens: Math.min(settings.max_output_tokens ?? OUTPUT_TOKENS, most),
    temperature: settings.temperature ?? null,
    cacheKey: runId,
    input: { text: asked.text },
  };
}

/** Hardly any text has more than a token in two bytes. */
function mostOf({ system, tools, messages, maxOutputTokens }: GenerateRequest, price: Price | null): MostOfCall {
  const inputTokens = Math.ceil(Buffer.byteLength(JSON.stringify([system, tools, messages])) / 2);
  const { input, output } = price === null ? { input: 0, output: 0 } : priceAt(price, inputTokens);
  return {
    inputTokens,
    inputUsd: (inputTokens * input) / 1_000_000,
    outputTokens: maxOutputTokens ?? 0,
    usdPerOutputToken: output / 1_000_000,
  };
}

async function generate(
  { models, inference, settings, booking, signal }: StageOptions,
  target: Target,
  request: GenerateRequest,
): Promise<GenerateResponse> {
  const allowed = models.mayBeUnpriced(inference, booking.budget);
  assertPriced(target, { info: models.info(target), prices: inference.prices, allowed });
  const adapter = await models.adapter(target.provider);
  const fitted = models.fit?.(target, request, { plain: 0 });
  const response = await withDeadline((during) => adapter.generate(fitted?.request ?? request, { signal: during }), {
    ms: (settings.timeout_s ?? inference.model_timeout_s) * 1000,
    code: 'timeout',
    what: targetName(target),
    parent: signal,
  });
  return fitted?.restore(response) ?? response;
}
