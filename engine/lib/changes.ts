/** What has changed: rows of a persona, or the mail that came for one; null: for nobody who is here. */
export interface Changed {
  readonly kind: 'persona' | 'mail';
  readonly persona: string | null;
}

/** Who wants to hear of commits, and of whom they hear. Nothing is kept: whoever was away looks by themselves. */
export interface Changes {
  /** After the commit. */
  tell(changed: Changed): void;
  /** Returns the way to stop. */
  listen(listener: (changed: Changed) => void): () => void;
  /** Grows with each change that was told. */
  count(): number;
}

export function createChanges(): Changes {
  const listeners = new Set<(changed: Changed) => void>();
  let told = 0;
  return {
    tell(changed) {
      told += 1;
      for (const listener of listeners) listener(changed);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    count: () => told,
  };
}
