export interface ResolverCall {
  readonly name: string;
  readonly argument: string | null;
}

/** Which parts of the prompt a child run has: who it is and what stands, and the packet; no memory of any thread. */
export const isHandedOn = ({ name, argument }: ResolverCall): boolean =>
  ['standing-rules', 'invocation-metadata', 'current-input'].includes(name) ||
  (name === 'load-file' && argument?.startsWith('data/') === false);

/** Reads `name` or `name(argument)`; placeholders such as `{persona_id}` in the argument are filled in. */
export function parseResolverCall(text: string, placeholders: Readonly<Record<string, string>>): ResolverCall {
  const open = text.indexOf('(');
  if (open < 0) return { name: text, argument: null };
  const argument = text
    .slice(open + 1, -1)
    .replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => placeholders[name] ?? whole);
  return { name: text.slice(0, open), argument };
}
