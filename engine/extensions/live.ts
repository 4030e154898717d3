import { isDeepStrictEqual } from 'node:util';
import type { Log } from '#contract';
import { deepFreeze } from '../config/live/freeze.ts';
import type { LiveChange } from '../config/live/live.ts';
import type { ExtensionsConfig } from '../config/types.ts';
import type { Guards } from './guard/guard.ts';
import { KINDS } from './loading/find.ts';
import type { McpServers } from './mcp/servers.ts';
import { createRegistry } from './registry.ts';
import { FOLDERS, fromFolders, prepareSources, toolsFrom } from './tool-sources.ts';
import type { ExtensionRecord, Extensions, RegisteredHook, Registry, ToolGrants } from './types.ts';

export interface LiveExtensions {
  /** Loads them at the first call; later calls return what is in force. */
  load(): Promise<Extensions>;
  /** What is in force; null before the first load. */
  current(): Extensions | null;
  /** As `prepareSources`. Never rejects. */
  prepareTools(grants: ToolGrants | null): Promise<void> | null;
  /** For `LiveConfig.onChange`: loads again when manifests or the list of extensions changed. */
  follow(change: LiveChange): void;
}

/** Extensions that are loaded again when their manifests or extensions.json change while the gateway runs. */
export function createLiveExtensions(options: {
  listing(): ExtensionsConfig;
  load(listing: ExtensionsConfig): Promise<Extensions>;
  /** Called after other extensions have come into force. */
  onLoaded(): void;
  readonly guards: Guards;
  readonly servers: Pick<McpServers, 'onChange'>;
  readonly log: Log;
}): LiveExtensions {
  const state: {
    /** The extensions as they were loaded; `current` has those that still work. */
    loaded: Extensions | null;
    current: Extensions | null;
    loading: Promise<void> | null;
    listing: ExtensionsConfig | null;
  } = { loaded: null, current: null, loading: null, listing: null };
  const takeUp = () => {
    if (state.loaded) state.current = inForce(state.loaded);
  };
  options.guards.onFailure(takeUp);
  options.servers.onChange(takeUp);

  const loadNow = async (): Promise<void> => {
    const listing = options.listing();
    const loaded = await options.load(listing);
    // What a file has rejected while it was imported is reported when all promises at hand are settled.
    await new Promise((resolve) => setImmediate(resolve));
    state.listing = listing;
    state.loaded = state.loaded === null ? loaded : keepingLastGood(state.loaded, loaded, listing);
    takeUp();
    options.onLoaded();
  };
  /** One load after the other: two at once could end in the wrong order. */
  const queue = (): Promise<void> => {
    state.loading = (state.loading ?? Promise.resolve()).then(loadNow, loadNow);
    return state.loading;
  };
  const current = (): Extensions => {
    if (!state.current) throw new Error('the extensions were not loaded');
    return state.current;
  };

  return {
    load: () => (state.loading ?? queue()).then(current),
    current: () => state.current,
    prepareTools: (grants) => prepareSources(state.loaded?.sources ?? [], grants),
    follow(change) {
      if (state.current === null) return;
      if (!change.extensions && isDeepStrictEqual(options.listing(), state.listing)) return;
      queue()
        .then(current)
        .then(
          ({ all }) =>
            options.log.info({ loaded: all.filter(({ state: is }) => is === 'loaded').length }, 'extensions'),
          (error: unknown) => options.log.error({ error: String(error) }, 'extensions could not be loaded again'),
        );
    },
  };
}

/** What an edit broke goes on as it was; what was removed or switched off is gone. */
function keepingLastGood(before: Extensions, now: Extensions, listing: ExtensionsConfig): Extensions {
  const broken = (kind: ExtensionRecord['kind'], name: string) =>
    now.all.some(
      (one) => one.kind === kind && one.name === name && one.error?.code === 'extension_invalid' && isOn(one, listing),
    );
  const merge = <Entry extends { readonly name: string }>(
    kind: ExtensionRecord['kind'],
    old: Registry<Entry>,
    fresh: Registry<Entry>,
  ) => {
    const kept = old.all().filter(({ name }) => fresh.get(name) === undefined && broken(kind, name));
    return kept.length === 0 ? fresh : createRegistry([...fresh.all(), ...kept]);
  };
  const tools = merge('tool', before.tools, now.tools);
  return Object.freeze({
    providers: merge('provider', before.providers, now.providers),
    tools,
    sources: now.sources.map((source) => (source.id === FOLDERS.id ? fromFolders(tools.all()) : source)),
    resolvers: merge('resolver', before.resolvers, now.resolvers),
    hooks: merge('hook', before.hooks, now.hooks),
    all: now.all,
    problems: now.problems,
  });
}

/** A broken one that is switched off is in error, too: its manifest is still checked. */
function isOn({ kind, name, source }: ExtensionRecord, listing: ExtensionsConfig): boolean {
  const folder = KINDS.find((one) => one.kind === kind)?.folder;
  const entry = folder && listing[folder].find((one) => (typeof one === 'string' ? one : one.name) === name);
  if (entry === undefined) return source === 'bundled';
  return typeof entry === 'string' || entry.enabled;
}

/**
 * The extensions as they are now: with the tools that servers list, without those that failed since they were loaded. A tool leaves the surface and a hook hears of
 * nothing any more. Of a provider and a resolver the name stays, since personas are configured by it: a model that
 * cannot be reached, and a part of the context that is missing, are things that a run can live with.
 */
function inForce(loaded: Extensions): Extensions {
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
