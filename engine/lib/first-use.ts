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
