import type { InferenceConfig, Persona } from '../config/types.ts';
import type { Target } from '../record/settings.ts';

/**
 * The models a run may use, in order: the persona's choice, else the workspace's, else the first provider with a
 * key in the environment, else `offline`; then the fallbacks. To look for a key is to look at `.env`.
 */
export function targetsFor(
  persona: Persona,
  inference: InferenceConfig,
  options: { firstKeyed(): string | null; defaultModel(provider: string): string },
): readonly Target[] {
  const own = persona.inference;
  const provider = own.provider ?? inference.provider ?? options.firstKeyed() ?? 'offline';
  // A persona that names only a provider does not want the other provider's model.
  const model = own.model ?? (own.provider && own.provider !== inference.provider ? null : inference.model);
  const first = { provider, model: model ?? options.defaultModel(provider) };
  const fallback = (own.fallback ?? inference.fallback).map(parseTarget);
  return [first, ...fallback.filter((target) => targetName(target) !== targetName(first))];
}

/**
 * The targets from `from` on that can do the run's work, with their places. A run that has tools is not given to a
 * model that cannot call any: without what it could have looked up, its answer would be a guess.
 */
export function capableFrom(
  targets: readonly Target[],
  from: number,
  can: (target: Target) => boolean,
): readonly { readonly target: Target; readonly at: number }[] {
  return targets.map((target, at) => ({ target, at })).filter(({ target, at }) => at >= from && can(target));
}

/**
 * The same with a task's own model first, where it has one: what runs unattended does not change its model because a
 * setting changed. The fallbacks stay, and whoever reads the outcome is told of them.
 */
export function pinnedTo(pinned: string | null, targets: readonly Target[]): readonly Target[] {
  if (pinned === null) return targets;
  return [parseTarget(pinned), ...targets.slice(1).filter((target) => targetName(target) !== pinned)];
}

/** Splits `provider/model` at the first slash; the vendor's id may contain more. */
export function parseTarget(text: string): Target {
  const slash = text.indexOf('/');
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}

/**
 * The models that a persona may ask, as the key under which an outage of all of them is recorded. By model, not by
 * provider: a model that is gone is no outage for those who use another one.
 */
export const chainOf = (targets: readonly Target[]): string => targets.map((target) => targetName(target)).join(' ');

/**
 * The models that a run goes on with which was put back because none of its own answered: those of today, where the
 * settings name others by now. Null: its own.
 */
export function insteadOf(own: readonly Target[], today: readonly Target[]): readonly Target[] | null {
  const names = (targets: readonly Target[]) => targets.map(targetName).join(' ');
  return names(own) === names(today) ? null : today;
}

export const targetName = (target: Target): string => `${target.provider}/${target.model}`;
