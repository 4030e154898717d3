import { realpathSync } from 'node:fs';
import type { JsonObject, Log } from '#contract';
import type { ExtensionNames } from '../../config/cross-checks.ts';
import { deepFreeze } from '../../config/live/freeze.ts';
import { describeProblem, didYouMean, problem } from '../../config/problems/problem.ts';
import type { ExtensionKind, ExtensionsConfig, Problem } from '../../config/types.ts';
import { nearestOf } from '../../lib/text/nearest.ts';
import { createGuards, type Guards } from '../guard/guard.ts';
import type { McpServers } from '../mcp/servers.ts';
import { createRegistry } from '../registry.ts';
import { fromFolders } from '../tool-sources.ts';
import type { ExtensionRecord, Extensions, RegisteredProvider, Registry } from '../types.ts';
import { type FoundExtension, findExtensions, KINDS, type KindFolder } from './find.ts';
import { shareContract } from './module-hooks.ts';
import { type OpenContext, type OpenedExtension, openExtension } from './open.ts';

interface LoadOptions {
  /** `extensions/` of the package. */
  readonly bundledDir: string;
  /** `extensions/` of the workspace; null, or the same folder, when the package is the workspace. */
  readonly workspaceDir: string | null;
  /** What extensions.json says. */
  readonly listing: ExtensionsConfig;
  readonly secretOf: (name: string) => string | undefined;
  readonly log: Log;
  /** How long the import of one entry may take; default 10 s. */
  readonly importMs?: number;
  /** Those of earlier loads, so that what failed stays off. */
  readonly guards?: Guards;
  /** The MCP servers that are known already; absent: none is looked at. */
  readonly servers?: Pick<McpServers, 'of'>;
}

/**
 * Every extension of the package and the workspace, checked and frozen. Tools, resolvers and hooks are imported now,
 * providers when they are first used. A bad one is a record in `error` and a problem; the call never rejects for it.
 * Called again, it takes up what changed on disk.
 */
export async function loadExtensions(options: LoadOptions): Promise<Extensions> {
  shareContract();
  const bundled = findExtensions(options.bundledDir, 'bundled');
  const folder = ownFolder(options);
  const workspace = folder === null ? [] : findExtensions(folder, 'workspace');
  const context: OpenContext = {
    importMs: IMPORT_MS,
    guards: createGuards(),
    ...options,
    adapterEntry: (name) => entryOfProvider(bundled, name),
  };
  const plans = planExtensions([...bundled, ...workspace], options.listing);
  const results = await Promise.all(plans.map((plan) => carryOut(plan, context)));
  const problems = results.flatMap((result) => result.problems);
  for (const each of problems) options.log.warn({}, describeProblem(each));
  const opened = results.flatMap((result) => (result.opened ? [result.opened] : []));
  const tools = createRegistry(opened.flatMap((each) => (each.kind === 'tool' ? [each.entry] : [])));
  return deepFreezeShell({
    providers: createRegistry(opened.flatMap((each) => (each.kind === 'provider' ? [each.entry] : []))),
    tools,
    sources: [fromFolders(tools.all()), ...(options.servers?.of(options.listing.mcp) ?? [])],
    resolvers: createRegistry(opened.flatMap((each) => (each.kind === 'resolver' ? [each.entry] : []))),
    hooks: createRegistry(opened.flatMap((each) => (each.kind === 'hook' ? [each.entry] : []))),
    all: results.map(({ record }) => record),
    problems,
  });
}

/** The providers alone: nothing is imported before one of them is asked. One that is bad is not among them. */
export async function loadProviders(
  options: Pick<LoadOptions, 'bundledDir' | 'workspaceDir' | 'listing' | 'secretOf' | 'log'>,
): Promise<Registry<RegisteredProvider>> {
  shareContract();
  const bundled = findExtensions(options.bundledDir, 'bundled');
  const folder = ownFolder(options);
  const found = [...bundled, ...(folder === null ? [] : findExtensions(folder, 'workspace'))];
  const context: OpenContext = {
    importMs: IMPORT_MS,
    guards: createGuards(),
    ...options,
    adapterEntry: (name) => entryOfProvider(bundled, name),
  };
  const plans = planExtensions(
    found.filter(({ kind }) => kind === 'provider'),
    { ...options.listing, tools: [], resolvers: [], hooks: [] },
  );
  const results = await Promise.all(plans.map((plan) => carryOut(plan, context)));
  return createRegistry(results.flatMap(({ opened }) => (opened?.kind === 'provider' ? [opened.entry] : [])));
}

const IMPORT_MS = 10_000;

/** The names that personas and profiles may use, for the checks of the configuration. */
export const knownNames = ({ providers, resolvers }: Extensions): ExtensionNames => ({
  providers: new Set(providers.names),
  resolvers: new Set(resolvers.names),
});

interface Result {
  readonly record: ExtensionRecord;
  readonly opened: OpenedExtension | null;
  readonly problems: readonly Problem[];
}

async function carryOut(plan: Plan, context: OpenContext): Promise<Result> {
  if (plan.act === 'miss') {
    const { kind, name, problem } = plan;
    const error = { code: 'not_found', message: problem.message, file: problem.file } as const;
    const nowhere = { path: null, version: null, replaces: null } as const;
    return {
      record: { kind, name, source: 'workspace', state: 'error', error, ...nowhere },
      opened: null,
      problems: [problem],
    };
  }
  const { found } = plan;
  const replaces = plan.act === 'load' ? plan.replaces : null;
  const { kind, name, source, path } = found;
  const known = { kind, name, source, path, version: found.manifest?.version ?? null, replaces };
  if (found.manifest) deepFreeze(found.manifest);
  if (plan.act === 'disable') {
    if (found.manifest) return { record: { ...known, state: 'disabled', error: null }, opened: null, problems: [] };
    return {
      record: { ...known, state: 'error', error: errorOf(found.problems) },
      opened: null,
      problems: found.problems,
    };
  }
  const opened = await openExtension(found, plan.config, context);
  if (opened.kind !== 'error') return { record: { ...known, state: 'loaded', error: null }, opened, problems: [] };
  const { problems } = opened;
  return { record: { ...known, state: 'error', error: errorOf(problems) }, opened: null, problems };
}

function errorOf(problems: readonly Problem[]): ExtensionRecord['error'] {
  const message = problems.map(({ key, message: what }) => (key ? `${key}: ${what}` : what)).join('; ');
  return { code: 'extension_invalid', message, file: problems[0]?.file ?? '' };
}

/** The workspace's folder; null where the package is the workspace, which has nothing but bundled extensions then. */
function ownFolder({ bundledDir, workspaceDir }: LoadOptions): string | null {
  return workspaceDir === null || realPath(workspaceDir) === realPath(bundledDir) ? null : workspaceDir;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const entryOfProvider = (bundled: readonly FoundExtension[], name: string): string | undefined =>
  bundled.find((each) => each.kind === 'provider' && each.name === name)?.entry ?? undefined;

function deepFreezeShell(extensions: Extensions): Extensions {
  for (const record of extensions.all) deepFreeze(record);
  Object.freeze(extensions.sources);
  Object.freeze(extensions.all);
  Object.freeze(extensions.problems);
  return Object.freeze(extensions);
}

const LISTING = 'extensions/extensions.json';

/** What is to become of one extension. */
type Plan =
  | {
      readonly act: 'load';
      readonly found: FoundExtension;
      readonly config: JsonObject;
      readonly replaces: 'bundled' | null;
    }
  | { readonly act: 'disable'; readonly found: FoundExtension }
  | { readonly act: 'miss'; readonly kind: ExtensionKind; readonly name: string; readonly problem: Problem };

interface Listed {
  readonly enabled: boolean;
  readonly config: JsonObject;
}

/**
 * Bundled extensions are on unless switched off (or off by their own manifest), workspace ones off unless listed, and a listed workspace one takes the
 * place of a bundled one of its name: also when it turns out to be broken, since what it replaces may be what
 * the owner wanted to be rid of.
 */
function planExtensions(found: readonly FoundExtension[], listing: ExtensionsConfig): Plan[] {
  return KINDS.flatMap(({ folder, kind }) => {
    const ofKind = found.filter((each) => each.kind === kind);
    const listed = listedIn(listing[folder]);
    const names = new Set([...ofKind.map(({ name }) => name), ...listed.keys()]);
    return [...names].sort().flatMap((name) => planOne(name, ofKind, listed.get(name), folder, kind));
  });
}

function planOne(
  name: string,
  ofKind: readonly FoundExtension[],
  listed: Listed | undefined,
  folder: KindFolder,
  kind: ExtensionKind,
): Plan[] {
  const bundled = ofKind.find((each) => each.name === name && each.source === 'bundled');
  const workspace = ofKind.find((each) => each.name === name && each.source === 'workspace');
  const here = [bundled, workspace].filter((each) => each !== undefined);
  if (here.length === 0) return [missing(name, ofKind, folder, kind)];
  if (!listed) {
    return here.map((each) =>
      each.source === 'bundled' && !isOffByItself(each)
        ? { act: 'load', found: each, config: {}, replaces: null }
        : { act: 'disable', found: each },
    );
  }
  if (!listed.enabled) return here.map((each) => ({ act: 'disable', found: each }));
  const chosen = workspace ?? bundled;
  if (!chosen) return [];
  return [{ act: 'load', found: chosen, config: listed.config, replaces: workspace && bundled ? 'bundled' : null }];
}

/** What can do nothing before its owner has set it up is no burden to those who never do. */
const isOffByItself = ({ manifest }: FoundExtension): boolean =>
  manifest?.kind === 'tool' && manifest.enabled === false;

function missing(name: string, ofKind: readonly FoundExtension[], folder: KindFolder, kind: ExtensionKind): Plan {
  const nearest = nearestOf(
    name,
    ofKind.map((each) => each.name),
  );
  const message = `no folder extensions/${folder}/${name}${didYouMean(nearest)}`;
  return {
    act: 'miss',
    kind,
    name,
    problem: problem({ file: LISTING, key: folder, code: 'not_found', message, nearest }),
  };
}

function listedIn(entries: ExtensionsConfig[KindFolder]): Map<string, Listed> {
  const listed = new Map<string, Listed>();
  for (const entry of entries) {
    if (typeof entry === 'string') listed.set(entry, { enabled: true, config: {} });
    else listed.set(entry.name, entry);
  }
  return listed;
}
