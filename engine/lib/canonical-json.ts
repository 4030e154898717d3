/**
 * One text for all JSON values that are equal, as RFC 8785 writes it but for two cases, which stay as they were first
 * hashed: questions to owners are stored under these hashes, and one that changed would void its answer. Names that are
 * array indexes (`"10"`) stand first and in the order of numbers, and half of a surrogate pair is escaped, not refused.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
