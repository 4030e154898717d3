import type { JsonObject } from '#contract';
import { didYouMean, problem } from '../../config/problems/problem.ts';
import type { ExtensionKind, ExtensionsConfig, Problem } from '../../config/types.ts';
import { nearestOf } from '../../lib/text/nearest.ts';
import { type FoundExtension, KINDS, type KindFolder } from './find.ts';

const LISTING = 'extensions/extensions.json';

/** What is to become of one extension. */
export type Plan =
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
export function planExtensions(found: readonly FoundExtension[], listing: ExtensionsConfig): Plan[] {
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
