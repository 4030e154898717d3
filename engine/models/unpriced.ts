import { z } from 'zod';
import { EngineError, type ModelInfo } from '#contract';
import type { InferenceConfig, Persona } from '../config/types.ts';
import { readJson } from '../lib/json.ts';
import { DAY_MS } from '../lib/time.ts';
import type { Target } from '../record/settings.ts';
import type { SettingStore } from '../storage/ports/gateway.ts';
import { priceOf } from './cost.ts';
import { chainOf, targetName } from './targets.ts';

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
