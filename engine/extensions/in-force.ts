import { deepFreeze } from '../config/live/freeze.ts';
import { createRegistry } from './registry.ts';
import type { ExtensionRecord, Extensions, RegisteredHook, RegisteredTool, Registry } from './types.ts';

/**
 * The extensions without those that failed since they were loaded. A tool leaves the surface and a hook hears of
 * nothing any more. Of a provider and a resolver the name stays, since personas are configured by it: a model that
 * cannot be reached, and a part of the context that is missing, are things that a run can live with.
 */
export function inForce(loaded: Extensions): Extensions {
  return Object.freeze({
    ...loaded,
    tools: without<RegisteredTool>(loaded.tools),
    hooks: without<RegisteredHook>(loaded.hooks),
    all: Object.freeze(loaded.all.map((record) => recordNow(record, loaded))),
  });
}

function without<Entry extends RegisteredTool | RegisteredHook>(registry: Registry<Entry>): Registry<Entry> {
  const left = registry.all().filter((entry) => (entry.failure?.() ?? null) === null);
  return left.length === registry.size ? registry : createRegistry(left);
}

function recordNow(record: ExtensionRecord, loaded: Extensions): ExtensionRecord {
  const { kind, name, state, error } = record;
  const entry = loaded[`${kind}s`].get(name);
  const message = entry?.failure?.() ?? null;
  if (message === null || (state === 'error' && error !== null)) return record;
  const file = `extensions/${kind}s/${name}/${entry?.manifest.entry ?? 'manifest.json'}`;
  return deepFreeze({ ...record, state: 'error', error: { code: 'extension_failed', message, file } });
}
