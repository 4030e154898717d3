import { z } from 'zod';
import { EngineError, type GenerateResponse, type ModelInfo, type TokenPrice, type Usage } from '#contract';
import type { InferenceConfig, Persona } from '../config/types.ts';
import type { RegisteredProvider, Registry } from '../extensions/types.ts';
import { readJson } from '../lib/json.ts';
import { instantOf, wallAt } from '../lib/schedule/zone.ts';
import { DAY_MS } from '../lib/time.ts';
import type { LoopState } from '../record/fold.ts';
import { waitingNotice } from '../record/jobs/job-kinds.ts';
import type { RunLog } from '../record/run-log.ts';
import type { Target } from '../record/settings.ts';
import type { SettingStore } from '../storage/ports/gateway.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { BudgetLimit, BudgetLimits } from '../storage/types/budget.ts';
import { chainOf, parseTarget, targetName, targetsFor } from './whose.ts';

export type Price = NonNullable<ModelInfo['usd_per_million_tokens']>;

/** USD per million tokens: inference.json beats the manifest; null where nobody knows. */
export function priceOf(target: Target, info: ModelInfo, prices: InferenceConfig['prices']): Price | null {
  return prices[targetName(target)] ?? info.usd_per_million_tokens;
}

/** What is booked by: the price, or where nobody knows it what it is taken to be at most; null: not even that. */
export const bookedPrice = (target: Target, info: ModelInfo, prices: InferenceConfig['prices']): Price | null =>
  priceOf(target, info, prices) ?? info.estimated_usd_per_million_tokens ?? null;

/**
 * What a call cost: as the vendor says, else by its price. A 0 for a model that has a price is none: a service that hands a
 * call on under its customer's own key reports no cost, and the customer is billed elsewhere.
 */
export function billed(
  { reportedCostUsd: reported, usage }: Pick<GenerateResponse, 'reportedCostUsd' | 'usage'>,
  prices: { readonly known: Price | null; readonly booked: Price | null },
): number | null {
  if (reported === null) return costOf(usage, prices.booked);
  return reported > 0 || prices.known === null ? reported : costOf(usage, prices.known);
}

/** What tokens cost of a call with so many in its prompt. */
export function priceAt(price: Price, inputTokens: number): TokenPrice {
  const tiers = (price.above_input_tokens ?? []).filter(({ tokens }) => inputTokens > tokens);
  return tiers.reduce<TokenPrice & { readonly tokens: number }>(
    (highest, tier) => (tier.tokens > highest.tokens ? tier : highest),
    { ...price, tokens: 0 },
  );
}

/** What a call cost in USD; null without a price. Cached tokens are part of the input. */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const fresh = Math.max(0, usage.input - usage.cached - usage.cacheWrite);
  const { input, output, cache_read = input, cache_write = input } = priceAt(price, usage.input);
  const usdPerMillion =
    fresh * input + usage.cached * cache_read + usage.cacheWrite * cache_write + usage.output * output;
  return usdPerMillion / 1_000_000;
}

export interface PricedTarget {
  readonly target: Target;
  /** Null where nobody knows it. */
  readonly price: Price | null;
}

/** The model that works the persona's next run, or that of a task with a model of its own (`pinned`). */
export function targetPrice(
  known: {
    readonly providers: Pick<Registry<RegisteredProvider>, 'get'>;
    readonly inference: InferenceConfig;
    firstKeyed(): string | null;
  },
  persona: Persona,
  pinned: string | null,
): PricedTarget {
  const { providers, inference } = known;
  const defaultModel = (provider: string) => providers.get(provider)?.defaultModel ?? 'default';
  const [first] = targetsFor(persona, inference, { firstKeyed: known.firstKeyed, defaultModel });
  const target = pinned === null ? (first as Target) : parseTarget(pinned);
  const info = providers.get(target.provider)?.modelInfo(target.model);
  return { target, price: info ? priceOf(target, info, inference.prices) : null };
}

const OF_THE_DAY: ReadonlySet<BudgetLimit> = new Set<BudgetLimit>(['usd_per_day', 'runs_per_day']);

/** Whether a run that has not begun yet is one too many for its day; its number was given to it when it was claimed. */
export async function isOverRunsPerDay(
  {
    run,
    log,
    day,
    store,
  }: Pick<LoadedRun, 'run'> & {
    readonly log: RunLog;
    readonly day: string;
    readonly store: Pick<Store, 'budgetOfDay'>;
  },
  { runs_per_day: most }: BudgetLimits,
): Promise<boolean> {
  if (most === null || run.settings_sha256 !== null) return false;
  const number = log.last('run_started')?.data.run_of_day;
  if (number === undefined || number <= most) return false;
  return number > most * (1 + ((await store.budgetOfDay(day))?.extra ?? 0));
}

/** A run that has done nothing yet waits for the next day's budget; one that has begun to work says what it did. */
export const waitsForMoney = (state: Pick<LoopState, 'modelCalls'>, spent: BudgetLimit): boolean =>
  state.modelCalls === 0 && OF_THE_DAY.has(spent);

/** When the day's budget begins anew in the persona's zone. */
export function nextBudgetAt(now: number, timezone: string): number {
  const wall = wallAt(timezone, now);
  return instantOf(timezone, wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS) + DAY_MS);
}

const NEARLY = 0.8;

/** Tells owners once a day when four fifths of the day's budget are spent, while there is time to raise it. */
export async function warnOfBudget(end: { persona: Persona; store: Store; day: string; now: number }): Promise<void> {
  const { persona, store, day, now } = end;
  const { usd_per_day: usd, runs_per_day: runs } = persona.budget;
  if (usd === null && runs === null) return;
  const spent = await store.budgetOfDay(day);
  if (!spent || spent.warned_at !== null) return;
  const isNear = (used: number, limit: number | null) => limit !== null && used < limit && used >= NEARLY * limit;
  if (!isNear(spent.usd, usd) && !isNear(spent.runs, runs)) return;
  const payload = { code: 'budget', window: day, near: true } as const;
  await store.warnOnce(day, now, waitingNotice.job({ id: `waiting_notice:budget_near:${day}`, due_at: now, payload }));
}

/** `due` where a step of the databases has found the work of a build that asked for no price. */
const KEY = 'unpriced';
/** For so long such a workspace works on as it did. */
const GRACE_MS = 14 * DAY_MS;

/** `told`: personas whose owners have heard of it in the mail that follows an upgrade. */
const grace = z.object({ until: z.number(), told: z.array(z.string()).default([]) });

/**
 * Until when this workspace may use models without a price within a budget, in ms; null: it may not. The time of one of a
 * build before begins with its first start under this one.
 */
export async function beginUnpriced(
  gateway: Pick<SettingStore, 'setting' | 'changeSetting'>,
  now: number,
): Promise<number | null> {
  const kept = await gateway.setting(KEY, () => '');
  if (kept === '') return null;
  const begun = readJson(grace, kept);
  if (begun) return begun.until;
  const until = now + GRACE_MS;
  await gateway.changeSetting(KEY, JSON.stringify({ until }));
  return until;
}

/** The same where it is only asked for: before its first start it has all of its time. */
export async function unpricedUntil(gateway: Pick<SettingStore, 'findSetting'>, now: number): Promise<number | null> {
  const kept = (await gateway.findSetting(KEY)) ?? '';
  if (kept === '') return null;
  return readJson(grace, kept)?.until ?? now + GRACE_MS;
}

/** The personas whose owners have heard of it in the mail that follows an upgrade. */
export const toldOfUnpriced = async (gateway: Pick<SettingStore, 'findSetting'>): Promise<readonly string[]> =>
  readJson(grace, (await gateway.findSetting(KEY)) ?? '')?.told ?? [];

/** Puts on record that they have. */
export async function unpricedIsTold(
  gateway: Pick<SettingStore, 'findSetting' | 'changeSetting'>,
  personas: readonly string[],
): Promise<void> {
  const kept = readJson(grace, (await gateway.findSetting(KEY)) ?? '');
  if (!kept) return;
  await gateway.changeSetting(KEY, JSON.stringify({ ...kept, told: [...new Set([...kept.told, ...personas])] }));
}

export type Money = Pick<Persona['budget'], 'usd_per_run' | 'usd_per_day'>;

/** Pure. Without a price a budget in USD holds nothing. `until`: as `beginUnpriced` says. */
export const mayBeUnpriced = (
  { allow_unpriced: allowed }: Pick<InferenceConfig, 'allow_unpriced'>,
  { usd_per_run, usd_per_day }: Money,
  { until, now }: { readonly until: number | null; readonly now: number },
): boolean => allowed ?? ((usd_per_run === null && usd_per_day === null) || (until !== null && now < until));

/** Pure. Whether nobody has said what a model costs, and its service will not either. */
export const isUnpriced = (target: Target, info: ModelInfo, prices: InferenceConfig['prices']): boolean =>
  info.reports_cost !== true && priceOf(target, info, prices) === null;

/** Throws `no_price` for a model that nobody has said the price of, where that is not `allowed`. */
export function assertPriced(
  target: Target,
  { info, prices, allowed }: { info: ModelInfo; prices: InferenceConfig['prices']; allowed: boolean },
): void {
  if (allowed || !isUnpriced(target, info, prices)) return;
  const why = `nobody has said what ${targetName(target)} costs, so no budget can hold`;
  throw new EngineError('no_price', why, { whose: 'setup' });
}

/**
 * Whether a persona with this budget may use models without a price, and `chainOf` for it: what is refused to one persona
 * answers others, whose mail does not wait for it.
 */
export function pricedWithin(
  models: {
    info(target: Target): ModelInfo;
    mayBeUnpriced(inference: Pick<InferenceConfig, 'allow_unpriced'>, budget: Money): boolean;
  },
  inference: Pick<InferenceConfig, 'allow_unpriced' | 'prices'>,
  budget: Money,
): { readonly allowUnpriced: boolean; chainFor(targets: readonly Target[]): string } {
  const allowUnpriced = models.mayBeUnpriced(inference, budget);
  const isRefused = (target: Target) => !allowUnpriced && isUnpriced(target, models.info(target), inference.prices);
  return {
    allowUnpriced,
    chainFor: (targets) => (targets.some(isRefused) ? `${chainOf(targets)} (each with a price)` : chainOf(targets)),
  };
}
