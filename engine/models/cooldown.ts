/** Providers that asked for a pause. Kept on disk too, so that `status` knows of them, and the next start. */
export interface Cooldowns {
  /** Resolves when it is kept. */
  rest(provider: string, until: number): Promise<void>;
  isResting(provider: string, now: number): boolean;
  list(now: number): readonly Resting[];
}

export interface Resting {
  readonly provider: string;
  readonly until: number;
}

/** `known` was kept by an earlier process; `keep` stores what is new. */
export function createCooldowns(known: readonly Resting[], keep: (resting: Resting) => Promise<void>): Cooldowns {
  const untilByProvider = new Map(known.map(({ provider, until }) => [provider, until]));
  return {
    async rest(provider, wanted) {
      const until = Math.max(wanted, untilByProvider.get(provider) ?? 0);
      untilByProvider.set(provider, until);
      await keep({ provider, until });
    },
    isResting: (provider, now) => (untilByProvider.get(provider) ?? 0) > now,
    list: (now) =>
      [...untilByProvider].filter(([, until]) => until > now).map(([provider, until]) => ({ provider, until })),
  };
}
