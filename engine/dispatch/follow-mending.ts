import type { Waiters } from './waiting.ts';

const LOOK_MS = 500;

/**
 * Takes up what waits when somebody may have mended what it waits for: a key in `.env`, a setting, a budget. Only while
 * something waits is the file looked at.
 */
export function followMending(options: {
  waiters: Pick<Waiters, 'forget' | 'waiting'>;
  environment: { readonly revision: number };
  /** Calls back after a change is in force; returns the way to stop. */
  onChange(listener: () => void): () => void;
}): { stop(): void } {
  const { waiters, environment } = options;
  const seen = { revision: environment.revision };
  const unlisten = options.onChange(() => waiters.waiting().size > 0 && waiters.forget());
  const timer = setInterval(() => {
    if (waiters.waiting().size === 0) return;
    const { revision } = environment;
    if (revision === seen.revision) return;
    seen.revision = revision;
    waiters.forget();
  }, LOOK_MS).unref();
  return {
    stop() {
      unlisten();
      clearInterval(timer);
    },
  };
}
