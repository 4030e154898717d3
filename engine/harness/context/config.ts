export interface ResolverCall {
  readonly name: string;
  readonly argument: string | null;
}

/** Reads `name` or `name(argument)`; placeholders such as `{persona_id}` in the argument are filled in. */
export function parseResolverCall(text: string, placeholders: Readonly<Record<string, string>>): ResolverCall {
  const open = text.indexOf('(');
  if (open < 0) return { name: text, argument: null };
  const argument = text
    .slice(open + 1, -1)
    .replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => placeholders[name] ?? whole);
  return { name: text.slice(0, open), argument };
}
