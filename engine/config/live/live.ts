import { type FSWatcher, statSync, watch } from 'node:fs';
import { join, posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { EngineError, type Log } from '#contract';
import type { Clock } from '../../lib/clock.ts';
import { type ExtensionNames, unknownProviders, unknownResolvers } from '../cross-checks.ts';
import { buildDirectory, type PersonaRules, rulesOf } from '../directory.ts';
import { finishChange } from '../journal/journal.ts';
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
import type { Configs, PersonaDirectory, PersonaEntry, Problem, TaskEntry } from '../types.ts';
import type { WorkspaceFiles } from '../workspace-files.ts';
import { type ChangedFolders, createPersonaRecords, type PersonaRecords } from './persona-records.ts';
import { extensionsStamp } from './stamp.ts';

/** Two of these stay below the two seconds that are promised, also on a busy machine. */
const TICK_MS = 750;
const FRESH_MS = 1000;
/** A save is several events; together they are one look. */
const DEBOUNCE_MS = 50;
/** Personas that are checked in each tick; with no more than these, an edit is noticed within two ticks. */
const EVERY_TICK = 1000;
const LEAST_SLICE = 500;
const FULL_SWEEP_TICKS = 32;

export interface LiveChange {
  readonly configs: boolean;
  /** Ids of personas that came, went or changed. */
  readonly personas: ReadonlySet<string>;
  /** Ids of personas whose `tasks/*.md` changed. */
  readonly tasks: ReadonlySet<string>;
  /** A manifest under the workspace's `extensions`, or the code beside one, changed; load the extensions again, then call `recheck`. */
  readonly extensions: boolean;
}

export interface LiveConfig {
  current(): Configs;
  personas(): PersonaDirectory;
  /** All that is wrong in the files as they stand now, also where a last good version is in force. */
  problems(): readonly Problem[];
  /** As `personas().get`, after a look at that persona's folder (at most one a second). For use before a run. */
  freshPersona(id: string): PersonaEntry | undefined;
  /** Looks at that persona's folder now: for whoever has just written a file in it. Costs as little with many personas. */
  lookAtPersona(id: string): void;
  /** The task files of a persona, by name. */
  tasksOf(id: string): readonly TaskEntry[];
  personasWithTasks(): readonly string[];
  /** Called after a change is in force; returns the way to stop. */
  onChange(listener: (change: LiveChange) => void): () => void;
  /** What `known` returns has changed. */
  recheck(): void;
  /** Looks at every file now: for commands, which may run where no gateway watches the files. */
  sweep(): void;
  start(): void;
  stop(): void;
}

/**
 * The configuration as it stands on disk, with the last good version of what is broken. Reads everything before it
 * returns; throws `config_invalid` when a config file is bad then (call `loadConfigs` first for the list of problems).
 * `known` null: names of providers and resolvers are not checked. `fallback` stands for files that are bad from the
 * start: for looking at a workspace, never for running it.
 */
export function createLiveConfig(options: {
  workspace: string;
  log: Log;
  clock: Clock;
  known?: () => ExtensionNames | null;
  fallback?: Configs | null;
}): LiveConfig {
  const { workspace, log, clock } = options;
  const known = options.known ?? (() => null);
  const extensionsFolder = join(workspace, 'extensions');
  const configs = createLiveConfigs(workspace, known, options.fallback);
  const records = createPersonaRecords(workspace);
  const listeners = new Set<(change: LiveChange) => void>();
  const freshened = new Map<string, number>();
  const reported = new Set<string>();
  let rules: PersonaRules = rulesOf(configs.current(), known());
  let seen = extensionsStamp(extensionsFolder);
  let directory = buildDirectory([]);
  let problems: readonly Problem[] = [];

  const rebuild = (): void => {
    directory = buildDirectory(Array.from(records.settled(), ({ entry }) => entry));
    problems = allProblems(configs.problems(), rules, records, directory);
    reportNew(problems, reported, log);
  };

  const settleRules = (): void => {
    rules = rulesOf(configs.current(), known());
    records.resettle(rules);
  };

  /** Everything of the workspace but the insides of the persona folders, then those of `ids`. */
  const look = (ids: () => Iterable<string>, force = false): void => {
    const found: ChangedFolders = { personas: new Set(), tasks: new Set() };
    endChange(workspace, log);
    const configsChanged = configs.reload(force);
    if (configsChanged || force) settleRules();
    records.refreshFolders(rules, found);
    for (const id of ids()) records.check(id, rules, found);
    const now = extensionsStamp(extensionsFolder);
    const extensions = now !== seen;
    seen = now;
    const changed = configsChanged || force || found.personas.size > 0 || found.tasks.size > 0;
    if (changed) rebuild();
    if (changed || extensions) tell({ ...found, configs: configsChanged, extensions });
  };

  const lookAtPersona = (id: string): void => {
    freshened.set(id, clock.now());
    const found: ChangedFolders = { personas: new Set(), tasks: new Set() };
    records.check(id, rules, found);
    if (found.personas.size + found.tasks.size === 0) return;
    rebuild();
    tell({ ...found, configs: false, extensions: false });
  };

  const tell = (change: LiveChange): void => {
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        log.error({ error }, 'a listener of the configuration failed');
      }
    }
  };

  const tick = (): void => {
    try {
      look(() => new Set([...records.unsettled().slice(0, EVERY_TICK), ...records.nextSlice(sliceOf(records.size))]));
    } catch (error) {
      log.error({ error }, 'looking at the configuration failed; the last good one stays');
    }
  };

  look(() => [], true);
  const timers: { tick?: NodeJS.Timeout; soon?: NodeJS.Timeout | undefined } = {};
  const soon = (): void => {
    timers.soon ??= setTimeout(() => {
      timers.soon = undefined;
      tick();
    }, DEBOUNCE_MS).unref();
  };
  const folders = ['configs', 'personas', 'extensions'].map((name) => join(workspace, name));
  const watching = watchFolders(folders, soon);

  return {
    current: configs.current,
    personas: () => directory,
    problems: () => problems,
    tasksOf: records.tasksOf,
    personasWithTasks: records.withTasks,
    freshPersona(id) {
      const before = freshened.get(id) ?? Number.NEGATIVE_INFINITY;
      if (clock.now() - before >= FRESH_MS && directory.get(id)) lookAtPersona(id);
      return directory.get(id);
    },
    // A name of no folder makes no record.
    lookAtPersona: (id) => (directory.get(id) ? lookAtPersona(id) : undefined),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    recheck: () => look(() => [], true),
    sweep: () => look(() => records.ids()),
    start() {
      watching.ensure();
      timers.tick ??= setInterval(() => {
        watching.ensure();
        tick();
      }, TICK_MS).unref();
    },
    stop() {
      clearInterval(timers.tick);
      clearTimeout(timers.soon);
      timers.soon = undefined;
      delete timers.tick;
      watching.close();
    },
  };
}

/** What whoever wrote settings was killed at is completed before any of it is read. */
function endChange(workspace: string, log: Log): void {
  try {
    const ended = finishChange(workspace);
    if (ended !== 'none') log.warn({ ended }, 'a change of settings that was broken off was ended');
  } catch (error) {
    log.error({ error }, 'a change of settings that was broken off could not be ended');
  }
}

const sliceOf = (count: number): number =>
  count <= EVERY_TICK ? count : Math.max(LEAST_SLICE, Math.ceil(count / FULL_SWEEP_TICKS));

/** Each problem once: one of configs/context.json stands in every persona's entry. */
function allProblems(
  ofConfigs: readonly Problem[],
  rules: PersonaRules,
  records: Pick<PersonaRecords, 'settled' | 'folderProblems' | 'withTasks' | 'tasksOf'>,
  directory: PersonaDirectory,
): readonly Problem[] {
  const found = new Set<Problem>([
    ...ofConfigs,
    ...rules.everybody,
    ...rules.withoutProvider,
    ...rules.withoutFallback,
  ]);
  for (const each of records.folderProblems()) found.add(each);
  for (const { problems } of records.settled()) for (const each of problems) found.add(each);
  for (const id of records.withTasks())
    for (const entry of records.tasksOf(id)) for (const each of entry.problems) found.add(each);
  for (const entry of directory.all()) if (entry.state === 'error') for (const each of entry.problems) found.add(each);
  return [...found];
}

/** Logs each problem when it appears, and again only after it was gone. */
function reportNew(problems: readonly Problem[], reported: Set<string>, log: Log): void {
  const now = new Set(problems.map(describeProblem));
  for (const line of now) if (!reported.has(line)) log.warn({}, line);
  reported.clear();
  for (const line of now) reported.add(line);
}

interface FolderWatch {
  /** Watches what is not watched yet: a folder that was absent, or was removed and made again. */
  ensure(): void;
  close(): void;
}

/**
 * One non-recursive watch per folder, as a hint to look at once. It may miss events (network file systems, limits of
 * the kernel), so whoever uses it also looks from time to time.
 */
function watchFolders(folders: readonly string[], onEvent: () => void): FolderWatch {
  const watched = new Map<string, { watcher: FSWatcher; inode: number }>();
  const drop = (folder: string): void => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  const ensureOne = (folder: string): void => {
    const inode = inodeOf(folder);
    if (watched.get(folder)?.inode === inode) return;
    drop(folder);
    if (inode === undefined) return;
    try {
      const watcher = watch(folder, { persistent: false }, onEvent);
      watcher.on('error', () => drop(folder));
      watched.set(folder, { watcher, inode });
    } catch {
      // No watch left in the kernel: the regular look has to do.
    }
  };
  return {
    ensure: () => folders.forEach(ensureOne),
    close: () => folders.forEach(drop),
  };
}

function inodeOf(folder: string): number | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

interface LiveConfigs {
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

/** Far below the two seconds in which an edit takes effect. */
const KEEP_MS = 500;
const MAX_KEPT = 1000;

interface Kept<Value> {
  readonly value: Promise<Value>;
  readonly until: number;
}

/**
 * The same files, each read at most twice a second however much mail comes: five files for every mail, with their
 * links resolved, take longer than the rest of a prompt. What lies under `data/` is written by runs and must be seen
 * by the very next one, so that is always read.
 */
export function keepTexts(files: WorkspaceFiles, now: () => number): WorkspaceFiles {
  return {
    readText: keeping(files.readText, now),
    list: keeping(files.list, now),
    walk: keeping(files.walk, now),
    // Read when a file has changed, and large.
    readBytes: files.readBytes,
  };
}

function keeping<Value>(read: (path: string) => Promise<Value>, now: () => number): (path: string) => Promise<Value> {
  const kept = new Map<string, Kept<Value>>();
  return (path) => {
    const normal = posix.normalize(path);
    if (normal.startsWith('data/')) return read(path);
    const before = kept.get(normal);
    if (before && before.until > now()) return before.value;
    const value = read(path);
    kept.delete(normal);
    kept.set(normal, { value, until: now() + KEEP_MS });
    // What could not be read is tried again at once.
    value.catch(() => kept.delete(normal));
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
