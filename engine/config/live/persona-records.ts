import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type CheckedPersona, type PersonaRules, settle } from '../directory.ts';
import { type PersonaRead, readPersona } from '../persona-file.ts';
import { readTasks } from '../tasks/task-file.ts';
import type { PersonaFile, Problem, TaskEntry } from '../types.ts';
import { personaFolders } from './personas.ts';
import { type Stamp, stampOf, taskStamp, unchanged } from './stamp.ts';

interface PersonaRecord {
  stamp: Stamp | null;
  read: PersonaRead;
  /** The file was there and was absent at the last look. */
  missing: boolean;
  good: PersonaFile | null;
  settled: CheckedPersona | null;
  tasks: TasksRecord | null;
}

/** What is known of a persona's task files; null for most personas, which have none. */
interface TasksRecord {
  readonly stamp: string;
  /** The persona's own zone, which tasks without one are read in. */
  readonly zone: string;
  readonly entries: readonly TaskEntry[];
}

/** What a look at the files found to be different. */
export interface ChangedFolders {
  readonly personas: Set<string>;
  readonly tasks: Set<string>;
}

export interface PersonaRecords {
  /** Looks for folders that came or went, when the folder `personas` changed since the last look. */
  refreshFolders(rules: PersonaRules, found: ChangedFolders): void;
  /** Looks at one persona's file, and at its tasks. */
  check(id: string, rules: PersonaRules, found: ChangedFolders): void;
  /** The rules changed: every persona is judged again, without reading a file. */
  resettle(rules: PersonaRules): void;
  /** Personas whose state may change at any moment: just written, incomplete, wrong. */
  unsettled(): string[];
  /** The next `count` personas in turn. */
  nextSlice(count: number): string[];
  ids(): string[];
  settled(): Iterable<CheckedPersona>;
  folderProblems(): readonly Problem[];
  tasksOf(id: string): readonly TaskEntry[];
  /** Ids of personas with task files. */
  withTasks(): string[];
  readonly size: number;
}

/** What stands in the persona folders and what stood there when it was last right. */
export function createPersonaRecords(workspace: string): PersonaRecords {
  const records = new Map<string, PersonaRecord>();
  const listing: { stamp: Stamp | null; ids: string[]; problems: Problem[]; cursor: number } = {
    stamp: null,
    ids: [],
    problems: [],
    cursor: 0,
  };

  const refreshFolders = (rules: PersonaRules, found: ChangedFolders): void => {
    const stamp = stampOf(join(workspace, 'personas'));
    if (unchanged(listing.stamp, stamp)) return;
    const { ids, problems } = personaFolders(workspace);
    Object.assign(listing, { stamp, ids, problems });
    const present = new Set(ids);
    for (const [id, record] of records) {
      if (present.has(id)) continue;
      records.delete(id);
      if (record.settled) found.personas.add(id);
      if (record.tasks) found.tasks.add(id);
    }
    for (const id of ids) if (!records.has(id)) check(id, rules, found);
  };

  const check = (id: string, rules: PersonaRules, found: ChangedFolders): void => {
    const record = records.get(id) ?? emptyRecord();
    records.set(id, record);
    checkPersona(id, record, rules, found);
    checkTasks(id, record, found);
  };

  const checkTasks = (id: string, record: PersonaRecord, found: ChangedFolders): void => {
    const stamp = taskStamp(join(workspace, 'personas', id, 'tasks'));
    const zone = record.good?.timezone ?? 'UTC';
    if (stamp === (record.tasks?.stamp ?? '') && (record.tasks === null || record.tasks.zone === zone)) return;
    record.tasks =
      stamp === '' ? null : { stamp, zone, entries: readTasks(workspace, id, zone, record.tasks?.entries) };
    found.tasks.add(id);
  };

  const checkPersona = (id: string, record: PersonaRecord, rules: PersonaRules, found: ChangedFolders): void => {
    const stamp = stampOf(join(workspace, 'personas', id, 'persona.json'));
    // Where the file is missing, PERSONA.md decides what the folder is, so it is checked each time.
    if (stamp.text !== '' && unchanged(record.stamp, stamp) && !record.missing) return;
    record.stamp = stamp;
    const read = readPersona(workspace, id);
    // Editors that save by renaming leave a moment without the file; mail must not bounce in it.
    record.missing = read.state === 'absent' && record.read.state !== 'absent' && !record.missing;
    if (record.missing || isDeepStrictEqual(read, record.read)) return;
    record.read = read;
    judge(id, record, rules);
    found.personas.add(id);
  };

  return {
    refreshFolders,
    check,
    resettle(rules) {
      for (const [id, record] of records) judge(id, record, rules);
    },
    unsettled: () =>
      listing.ids.filter((id) => {
        const record = records.get(id);
        return !record || record.missing || !record.stamp?.settled || record.read.state !== 'good';
      }),
    nextSlice(count) {
      const { ids, cursor } = listing;
      const slice = ids.slice(cursor, cursor + count);
      // Round the end, so that each slice is whole also after personas came or went.
      const wrapped = ids.slice(0, Math.min(cursor, count - slice.length));
      listing.cursor = wrapped.length > 0 ? wrapped.length : cursor + slice.length;
      return [...slice, ...wrapped];
    },
    ids: () => listing.ids,
    *settled() {
      for (const { settled } of records.values()) if (settled) yield settled;
    },
    folderProblems: () => listing.problems,
    tasksOf: (id) => records.get(id)?.tasks?.entries ?? [],
    withTasks: () => listing.ids.filter((id) => records.get(id)?.tasks),
    get size() {
      return listing.ids.length;
    },
  };
}

function judge(id: string, record: PersonaRecord, rules: PersonaRules): void {
  record.settled = settle(id, record.read, record.good, rules);
  record.good = record.settled?.good ?? null;
}

const emptyRecord = (): PersonaRecord => ({
  stamp: null,
  read: { state: 'absent' },
  missing: false,
  good: null,
  settled: null,
  tasks: null,
});
