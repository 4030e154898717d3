import { EngineError } from '#contract';
import { problem } from '../config/problems/problem.ts';
import type { Problem } from '../config/types.ts';
import type { RegisteredTool, Registry, ToolGrants, ToolSource } from './types.ts';

/** What tools of extensions' folders say of where they come from. */
export const FOLDERS: RegisteredTool['source'] = Object.freeze({ id: 'folders', isForeign: false });
/** The same of those that came with the gateway. */
export const BUNDLED: RegisteredTool['source'] = Object.freeze({ ...FOLDERS, isBundled: true });

/** Tools whose code was imported from folders. */
export const fromFolders = (tools: readonly RegisteredTool[]): ToolSource => ({
  id: FOLDERS.id,
  list: () => tools,
  prepare: () => null,
  left: () => [],
  record: () => null,
  waiting: () => null,
});

/**
 * All tools of the sources, without those that failed since they were loaded. A name is taken once: by the earlier
 * source, so that no server can put itself in the place of a tool that the gateway knows.
 */
export function toolsFrom(sources: readonly ToolSource[]): {
  readonly tools: Registry<RegisteredTool>;
  readonly problems: readonly Problem[];
} {
  const byName = new Map<string, RegisteredTool>();
  const problems: Problem[] = [];
  for (const tool of sources.flatMap((source) => source.list())) {
    const taken = byName.get(tool.name);
    if (taken === undefined) {
      byName.set(tool.name, tool);
      continue;
    }
    const message = `${tool.source.id} lists ${tool.name}, a name that ${taken.source.id} has already; it is left out`;
    problems.push(problem({ file: 'extensions/extensions.json', key: 'mcp', code: 'invalid_value', message }));
  }
  for (const { id, left } of sources)
    for (const what of left()) {
      const key = id.replace(':', '.');
      const message = `${id}: ${what}; it is left out`;
      problems.push(problem({ file: 'extensions/extensions.json', key, code: 'invalid_value', message }));
    }
  const working = [...byName.values()].filter((tool) => (tool.failure?.() ?? null) === null);
  return { tools: createRegistry(working), problems };
}

/** Resolves when every source that has something for these grants has tried once to find out what it has; null: none has to. */
export function prepareSources(sources: readonly ToolSource[], grants: ToolGrants | null): Promise<void> | null {
  const waiting = sources.flatMap((source) => source.prepare(grants) ?? []);
  return waiting.length === 0 ? null : Promise.all(waiting).then(() => {});
}

export function createRegistry<Entry extends { readonly name: string }>(entries: readonly Entry[]): Registry<Entry> {
  const sorted = [...entries]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((entry) => Object.freeze(entry));
  const byName = new Map(sorted.map((entry) => [entry.name, entry]));
  Object.freeze(sorted);
  return Object.freeze({
    get: (name: string) => byName.get(name),
    names: Object.freeze([...byName.keys()]),
    all: () => sorted,
    size: byName.size,
  });
}

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
