import { problem } from '../config/problems/problem.ts';
import type { Problem } from '../config/types.ts';
import { createRegistry } from './registry.ts';
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
