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
