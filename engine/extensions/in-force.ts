import { deepFreeze } from '../config/live/freeze.ts';
import { createRegistry } from './registry.ts';
import { toolsFrom } from './tool-sources.ts';
import type { ExtensionRecord, Extensions, RegisteredHook, Registry } from './types.ts';

/**
 * The extensions as they are now: with the tools that servers list, without those that failed since they were loaded. A tool leaves the surface and a hook hears of
 * nothing any more. Of a provider and a resolver the name stays, since personas are configured by it: a model that
 * cannot be reached, and a part of the context that is missing, are things that a run can live with.
 */
export function inForce(loaded: Extensions): Extensions {
  const { tools, problems } = toolsFrom(loaded.sources);
  return Object.freeze({
    ...loaded,
    tools,
    hooks: working(loaded.hooks),
    all: Object.freeze([
      ...loaded.all.map((record) => recordNow(record, loaded)),
      ...loaded.sources.flatMap((source) => source.record() ?? []),
    ]),
    problems: Object.freeze([...loaded.problems, ...problems]),
  });
}

function working(hooks: Registry<RegisteredHook>): Registry<RegisteredHook> {
  // One that restricts stays, and everything that it would be asked about is refused: nobody knows what it would say. One
  // that checks stays, too: that it did not look is on record with the answer.
  const left = hooks
    .all()
    .filter(
      ({ failure, definition }) =>
        (failure?.() ?? null) === null || definition.narrow || definition.judge || definition.check,
    );
  return left.length === hooks.size ? hooks : createRegistry(left);
}

function recordNow(record: ExtensionRecord, loaded: Extensions): ExtensionRecord {
  const { kind, name, state, error } = record;
  if (kind === 'mcp') return record;
  const entry = loaded[`${kind}s`].get(name);
  const silenced = kind === 'hook' ? (loaded.hooks.get(name)?.silenced?.() ?? null) : null;
  const message = entry?.failure?.() ?? silenced;
  if (message === null || (state === 'error' && error !== null)) return record;
  const file = `extensions/${kind}s/${name}/${entry?.manifest.entry ?? 'manifest.json'}`;
  return deepFreeze({ ...record, state: 'error', error: { code: 'extension_failed', message, file } });
}
