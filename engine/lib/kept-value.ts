import { isDeepStrictEqual } from 'node:util';

/**
 * Makes something at its first use and keeps it. For packages that a gateway without mail has no need of: each is
 * loaded source, its compiled form and what it builds, ten to twenty times the size of its file.
 */
export function atFirstUse<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The same for modules; what could not be loaded is tried again at the next use. */
export function loadedAtFirstUse<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/**
 * A thing that is built of settings: at its first use, and again at the first use after they have changed. They are asked
 * for when `source` gives something else than before. What was built before goes to `retire`, for it may still be in use.
 */
export function rebuiltOnChange<Source, Settings, Thing>(
  source: () => Source,
  settingsOf: (source: Source) => Settings,
  make: (settings: Settings) => Thing,
  retire: (old: Thing) => void = () => {},
): () => Thing {
  let made: { source: Source; settings: Settings; thing: Thing } | null = null;
  return () => {
    const from = source();
    if (made !== null && made.source === from) return made.thing;
    const old = made;
    const settings = settingsOf(from);
    const isSame = old !== null && isDeepStrictEqual(old.settings, settings);
    made = { source: from, settings, thing: isSame ? old.thing : make(settings) };
    if (old !== null && !isSame) retire(old.thing);
    return made.thing;
  };
}
