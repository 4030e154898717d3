/** Worked out when it is first asked for, and then kept: most answers ask for none of it. */
export function lazily<Value>(make: () => Value): () => Value {
  const kept: Value[] = [];
  return () => {
    if (kept.length === 0) kept.push(make());
    return kept[0] as Value;
  };
}
