import { isDeepStrictEqual } from 'node:util';

/**
 * A thing that is built of settings: at its first use, and again at the first use after they have changed. What
 * was built before goes to `retire`, for it may still be in use.
 */
export function rebuiltOnChange<Settings, Thing>(
  settings: () => Settings,
  make: (settings: Settings) => Thing,
  retire: (old: Thing) => void = () => {},
): () => Thing {
  let made: { settings: Settings; thing: Thing } | null = null;
  return () => {
    const now = settings();
    if (made !== null && (made.settings === now || isDeepStrictEqual(made.settings, now))) return made.thing;
    const old = made;
    made = { settings: now, thing: make(now) };
    if (old) retire(old.thing);
    return made.thing;
  };
}
