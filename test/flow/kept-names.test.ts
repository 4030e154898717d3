import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsFor } from '../../engine/cli/commands/index.ts';
import { CARL, mailTo, type Office, OWNER, openOffice } from './governance-rig.ts';

/** Scripts of others call these; `help` may hide them, and they work. */
const NAMES: Readonly<Record<string, string>> = {
  '': 'start init demo status doctor logs send deliver chat why audit usage version setup completion stop restart',
  persona: 'list show create validate pause resume rename delete edit today',
  mailbox: 'list test add login remove',
  mail: 'list show retry',
  senders: 'list allow block',
  threads: 'list show private',
  runs: 'list show explain replay cancel retry',
  approvals: 'list show approve deny',
  tasks: 'list show add run next history pause resume',
  outbox: 'list show retry drop',
  deadletters: 'list show requeue',
  extensions: 'list new check allow',
  providers: 'list test models',
  memory: 'search list show edit forget export rebuild',
  learn: 'status inspect diff use reset refine baseline feedback',
  service: 'install status uninstall',
  backup: 'create verify restore schedule',
  config: 'show schema set',
};

/** What stands in the documents of `--json`; more may come, and nothing goes. */
const RUN =
  'id persona thread_id message_id kind status outcome code provider model model_calls tool_calls tokens cost_usd created_at started_at ended_at reply_message_id';
const SHAPES: readonly { words: readonly string[]; in: readonly (string | number)[]; keys: string }[] = [
  { words: ['runs', 'list'], in: ['runs', 0], keys: RUN },
  { words: ['runs', 'show', 'last'], in: ['run'], keys: `${RUN} events decisions` },
  { words: ['runs', 'show', 'last'], in: ['run', 'events', 0], keys: 'seq type at data' },
  {
    words: ['why', 'last'],
    in: ['entries', 0],
    keys: 'persona direction decision code from tier subject received_at thread_id run replies',
  },
  {
    words: ['outbox', 'list'],
    in: ['outbox', 0],
    keys: 'id persona run_id message_id in_reply_to kind to state attempts next_attempt_at last_error',
  },
  {
    words: ['approvals', 'list'],
    in: ['approvals', 0],
    keys: 'id persona run_id tool arguments arguments_hash risk state number expires_at decided_by decided_at reason',
  },
  {
    words: ['tasks', 'list'],
    in: ['tasks', 0],
    keys: 'id name schedule timezone enabled next_at paused_reason file error',
  },
  { words: ['tasks', 'next'], in: ['occurrences', 0], keys: 'task due_at local estimated_cost_usd' },
  { words: ['tasks', 'history'], in: ['history', 0], keys: 'task due_at state code run_id delivery' },
  {
    words: ['extensions', 'list'],
    in: ['extensions', 0],
    keys: 'kind name source path version state replaces error',
  },
  {
    words: ['status'],
    in: [],
    keys: 'ok running pid uptime_s mailboxes personas queue outbox dead_letters cooldowns extensions config_errors refusals',
  },
  { words: ['doctor'], in: ['checks', 0], keys: 'name ok message cure problem' },
  { words: ['usage'], in: [], keys: 'ok from to total by_persona by_provider by_sender by_thread by_task' },
];

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

let office: Office;
beforeAll(async () => {
  office = await openOffice({ 'personas/ada/tasks/brief.md': "---\nschedule: '0 9 * * 1'\n---\nSay what is new.\n" });
  await office.ask('Hello there', OWNER);
  await office.ask(mailTo(CARL));
  expect((await office.cli('tasks', 'run', 'ada/brief', '--wait=180')).code).toBe(0);
});
afterAll(() => office.close());

it('every command that scripts call by its name is there', async () => {
  const all = (await commandsFor([])).flatMap((entry) => ('commands' in entry ? entry.commands : [entry]));
  const names = new Set(all.map(({ name }) => name));
  const wanted = Object.entries(NAMES).flatMap(([group, words]) =>
    words.split(' ').map((word) => (group === '' ? word : `${group} ${word}`)),
  );
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

describe('a document of --json', () => {
  it.each(SHAPES)('has what scripts read in it: $words $in', async ({ words, in: path, keys }) => {
    const { json } = await office.cli(...words);
    // biome-ignore lint/suspicious/noExplicitAny: the documents have many shapes
    const found = path.reduce((at: any, key) => at?.[key], json);
    expect(keys.split(' ').filter((key) => !Object.hasOwn(found ?? {}, key))).toEqual([]);
  });

  it('has its times as before, whatever clock people are shown', async () => {
    const [run] = (await office.cli('runs', 'list')).json.runs;
    const [event] = (await office.cli('runs', 'show', run.id)).json.run.events;
    const [entry] = (await office.cli('why', 'last')).json.entries;
    for (const time of [run.created_at, event.at, entry.received_at]) expect(time).toMatch(ISO);
  });
});
