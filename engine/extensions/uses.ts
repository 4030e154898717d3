import { EngineError } from '#contract';

/**
 * What the code says that it uses has to be what its manifest asks for, since owners read the manifest alone. Throws
 * `extension_invalid` that says what to write where. Code that says nothing gets what its manifest asks for.
 */
export function agreeOnCapabilities(uses: readonly string[] | undefined, asked: readonly string[]): void {
  if (uses === undefined) return;
  const unasked = uses.filter((name) => !asked.includes(name));
  const unused = asked.filter((name) => !uses.includes(name));
  if (unasked.length + unused.length === 0) return;
  const cures = [
    ...(unasked.length === 0 ? [] : [`"uses" names ${unasked.join(', ')}, which the manifest does not ask for`]),
    ...(unused.length === 0 ? [] : [`the manifest asks for ${unused.join(', ')}, which "uses" does not name`]),
  ];
  const same = `"capabilities": ${JSON.stringify([...uses].sort())}`;
  throw new EngineError('extension_invalid', `${cures.join('; ')}: write ${same} into manifest.json, or change "uses"`);
}

/** Capabilities of an observer: those it `uses`, or the default where its code does not say. */
export function capabilitiesFor<Name extends string>(
  uses: readonly Name[] | undefined,
  asked: readonly Name[],
  always: readonly Name[],
): readonly Name[] {
  return uses ?? [...always, ...asked];
}

/** The capabilities of these names; no other key is there. */
export function only<All extends object>(all: All, names: readonly string[]): All {
  // Put together and not cut down: an object that had a key taken away is slow from then on.
  const handed: All = Object.create(Object.prototype);
  for (const name of Object.keys(all)) if (names.includes(name)) Reflect.set(handed, name, Reflect.get(all, name));
  return handed;
}
