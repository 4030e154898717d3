import { join } from 'node:path';
import type { Log } from '#contract';
import type { Clock } from '../../lib/clock.ts';
import type { ExtensionNames } from '../cross-checks.ts';
import { buildDirectory, type PersonaRules, rulesOf } from '../directory.ts';
import { finishChange } from '../journal/journal.ts';
import { describeProblem } from '../problems/problem.ts';
import type { Configs, PersonaDirectory, PersonaEntry, Problem, TaskEntry } from '../types.ts';
import { createLiveConfigs } from './live-configs.ts';
import { type ChangedFolders, createPersonaRecords, type PersonaRecords } from './persona-records.ts';
import { extensionsStamp } from './stamp.ts';
import { watchFolders } from './watch-folders.ts';

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
  /** The task files of a persona, by name. */
  tasksOf(id: string): readonly TaskEntry[];
  personasWithTasks(): readonly string[];
  /** Called after a change is in force; returns the way to stop. */
  onChange(listener: (change: LiveChange) => void): () => void;
  /** What `known` returns has changed. */
  recheck(): void;
  /** Looks at every file now. */
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
      if (clock.now() - before < FRESH_MS || !directory.get(id)) return directory.get(id);
      freshened.set(id, clock.now());
      const found: ChangedFolders = { personas: new Set(), tasks: new Set() };
      records.check(id, rules, found);
      if (found.personas.size + found.tasks.size === 0) return directory.get(id);
      rebuild();
      tell({ ...found, configs: false, extensions: false });
      return directory.get(id);
    },
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
