import { isDeepStrictEqual } from 'node:util';
import { EngineError } from '#contract';
import { type ExtensionNames, unknownProviders, unknownResolvers } from '../cross-checks.ts';
import {
  CONFIG_FILES,
  CONFIG_NAMES,
  type ConfigName,
  type ConfigTexts,
  completeConfigs,
  misnamedFiles,
  parseConfigs,
  readConfigTexts,
} from '../load.ts';
import { describeProblem } from '../problems/problem.ts';
import type { Configs, Problem } from '../types.ts';

export interface LiveConfigs {
  current(): Configs;
  problems(): readonly Problem[];
  /** Looks at the files; true when the values or the problems are others than before. `force`: `known` changed. */
  reload(force: boolean): boolean;
}

/**
 * `configs/*.json` and `extensions/extensions.json` with the last good version of each file. They are six small
 * files, so their text is compared, which no coarse file time can fool. Throws `config_invalid` when one is bad at
 * the start, unless `fallback` has what stands for it then.
 */
export function createLiveConfigs(
  workspace: string,
  known: () => ExtensionNames | null,
  fallback: Configs | null = null,
): LiveConfigs {
  const missing = new Set<ConfigName>();
  let texts = readConfigTexts(workspace);
  let misnamed = misnamedFiles(workspace);
  const first = parseConfigs(texts, workspace);
  let problems: readonly Problem[] = [...first.problems, ...misnamed];
  const initial = completeConfigs(first, fallback);
  if (!initial || (problems.length > 0 && fallback === null)) {
    throw new EngineError('config_invalid', problems.map(describeProblem).join('\n'));
  }
  let current: Configs = initial;

  const reload = (force: boolean): boolean => {
    const seen = overGaps(readConfigTexts(workspace), texts, missing);
    const others = misnamedFiles(workspace);
    if (!force && isDeepStrictEqual(seen, texts) && isDeepStrictEqual(others, misnamed)) return false;
    texts = seen;
    misnamed = others;
    const parts = parseConfigs(texts, workspace);
    const values = { ...parts.values };
    // Renamed by mistake, a file would count as absent and its rules as lifted.
    const renamed = CONFIG_NAMES.filter((name) => misnamed.some(({ nearest }) => nearest === CONFIG_FILES[name]));
    const unknown = newlyUnknown(completeConfigs(parts, current) ?? current, current, known());
    const refused = CONFIG_NAMES.filter((name) => unknown.some(({ file }) => file === CONFIG_FILES[name]));
    for (const name of [...renamed, ...refused]) values[name] = null;
    const next = completeConfigs({ values, problems: [] }, current) ?? current;
    const found = [...parts.problems, ...misnamed, ...unknown];
    const changed = !isDeepStrictEqual(next, current) || !isDeepStrictEqual(found, problems);
    if (!isDeepStrictEqual(next, current)) current = next;
    problems = found;
    return changed;
  };

  return { current: () => current, problems: () => problems, reload };
}

/**
 * Editors that save by renaming leave a moment without the file, and an absent file is a valid one: taken at its
 * word it would drop every mailbox. So absence counts when it is seen twice.
 */
function overGaps(now: ConfigTexts, before: ConfigTexts, missing: Set<ConfigName>): ConfigTexts {
  const seen = { ...now };
  for (const name of CONFIG_NAMES) {
    const vanished = now[name].state === 'absent' && before[name].state !== 'absent';
    if (vanished && !missing.has(name)) {
      missing.add(name);
      seen[name] = before[name];
    } else missing.delete(name);
  }
  return seen;
}

/** Names that nothing provides and that the version in force did not have: an invalid edit, not a bad start. */
function newlyUnknown(next: Configs, current: Configs, known: ExtensionNames | null): Problem[] {
  if (!known) return [];
  const place = { file: CONFIG_FILES.inference, key: '' };
  const resolvers = unknownResolvers(current, known).length > 0 ? [] : unknownResolvers(next, known);
  const providers =
    unknownProviders(current.inference, known, place).length > 0 ? [] : unknownProviders(next.inference, known, place);
  return [...resolvers, ...providers];
}
