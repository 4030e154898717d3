import { expect } from 'vitest';
import type {
  ArtifactsCapability,
  CalendarCapability,
  FilesCapability,
  KnowledgeCapability,
  MailCapability,
  MemoryCapability,
  OutgoingCapability,
  ScheduleCapability,
  ShellCapability,
  TablesCapability,
  ToolContext,
  WaitingCapability,
  WebCapability,
} from '#contract';
import { silentLog } from '../../../engine/lib/log/log.ts';

const absent = (name: string) => () => Promise.reject(new Error(`${name} was not expected to be used`));

const noMail: MailCapability = {
  search: absent('search'),
  find: absent('find'),
  threads: absent('threads'),
  read: absent('read'),
  readAttachment: absent('readAttachment'),
};
const noFiles: FilesCapability = {
  list: absent('list'),
  read: absent('read'),
  text: absent('text'),
  write: absent('write'),
  owner: absent('owner'),
  compare: absent('compare'),
  remove: absent('remove'),
  restore: absent('restore'),
};
const noWeb: WebCapability = {
  fetch: absent('fetch'),
  readHtml: absent('readHtml'),
  readDocument: absent('readDocument'),
};
const noOutgoing: OutgoingCapability = { preview: absent('preview'), send: absent('send') };
const noShell: ShellCapability = { run: absent('shell') };
const noTables: TablesCapability = { query: absent('tables'), attach: absent('tables') };
const noCalendar: CalendarCapability = {
  prepare: absent('prepare'),
  answer: absent('answer'),
  prepareMeeting: absent('prepareMeeting'),
  meet: absent('meet'),
  findTime: absent('findTime'),
};
const noArtifacts: ArtifactsCapability = { readPage: absent('readPage'), attach: absent('attach') };

const noKnowledge: Omit<KnowledgeCapability, 'whole'> = { find: absent('find'), read: absent('read') };

const noMemory: MemoryCapability = {
  remember: absent('remember'),
  waits: absent('waits'),
  preview: absent('preview'),
  forget: absent('forget'),
};
const noWaiting: WaitingCapability = {
  list: absent('waiting'),
  change: absent('waiting'),
  withdraw: absent('waiting'),
};
const noSchedule: ScheduleCapability = { preview: absent('preview'), apply: absent('apply') };

/** What a tool gets when it runs; a capability that the test did not give fails when touched. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    persona: { id: 'ada', name: 'Ada', address: 'ada@agents.localhost', timezone: 'UTC' },
    threadId: 'thread-1',
    runId: 'run-1',
    config: {},
    secrets: {},
    signal: new AbortController().signal,
    log: silentLog,
    mail: noMail,
    files: noFiles,
    web: noWeb,
    outgoing: noOutgoing,
    artifacts: noArtifacts,
    delegation: { begin: absent('begin') },
    rules: { asks: absent('asks'), preview: absent('preview'), keep: absent('keep'), takeBack: absent('takeBack') },
    playbooks: { preview: absent('preview'), apply: absent('apply'), takeBack: absent('takeBack') },
    owners: { passOn: absent('passOn') },
    callback: { address: absent('address') },
    calendar: noCalendar,
    schedule: noSchedule,
    shell: noShell,
    tables: noTables,
    knowledge: noKnowledge,
    memory: noMemory,
    waiting: noWaiting,
    ...given,
  };
}

export const errorWith = (code: string, words = '') =>
  expect.objectContaining({ name: 'EngineError', code, message: expect.stringContaining(words) });
