/** Providers that asked for a pause. In memory on purpose: after a restart the first call finds out again. */
export interface Cooldowns {
  rest(provider: string, until: number): void;
  isResting(provider: string, now: number): boolean;
  list(now: number): readonly { readonly provider: string; readonly until: number }[];
}

export function createCooldowns(): Cooldowns {
  const untilByProvider = new Map<string, number>();
  return {
    rest: (provider, until) => void untilByProvider.set(provider, Math.max(until, untilByProvider.get(provider) ?? 0)),
    isResting: (provider, now) => (untilByProvider.get(provider) ?? 0) > now,
    list: (now) =>
      [...untilByProvider].filter(([, until]) => until > now).map(([provider, until]) => ({ provider, until })),
  };
}
