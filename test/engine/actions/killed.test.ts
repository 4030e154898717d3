import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cancelRun } from '../../../engine/actions/cancel-run.ts';
import { forgetBy } from '../../../engine/actions/facts.ts';
import { decideSender } from '../../../engine/actions/mail/decide-sender.ts';
import { changeOutbox } from '../../../engine/actions/mail/outbox.ts';
import { setPrivateBy } from '../../../engine/actions/mail/private-thread.ts';
import { retryRun } from '../../../engine/actions/retry-run.ts';
import { setBudget } from '../../../engine/actions/set-up/set-budget.ts';
import type { Store, Stores } from '../../../engine/storage/ports/store.ts';
import type { Rule } from '../../../engine/storage/types/rules.ts';
import type { Workspace } from '../../../engine/workspace.ts';
import { accept, leased, MIA, NOON, outgoing, step } from '../../storage/world.ts';
import { auditOf, killedAfter, openSite } from './site.ts';

const OLGA = 'olga@example.com';
const FILE = 'personas/ada/persona.json';
const ADA = { name: 'Ada', address: 'ada@agents.localhost', access: { allow: ['carl@else.example'] } };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function site() {
  const opened = openSite({ [FILE]: ADA });
  closers.push(opened.close);
  const { workspace, folder } = opened;
  const inAda = <Result>(work: (store: Store) => Promise<Result>) => workspace.stores.use('ada', work);
  const log = async () => (await auditOf(workspace, 'ada')).map(({ event, actor }) => [event, actor]);
  const file = () => readFileSync(join(folder.root, FILE), 'utf8');
  return { workspace, folder, inAda, log, file };
}

interface Done {
  readonly event: string;
  /** The transaction by which it is done. */
  readonly by: readonly (keyof Store)[];
  seed(store: Store): Promise<unknown>;
  act(ports: Workspace): Promise<unknown>;
  /** What it changes. */
  became(store: Store): Promise<unknown>;
  readonly is: unknown;
}

const RULE: Rule = {
  ...{ id: 'rule', text: 'Call me Mia', effect: 'words', tools: [], whom: [], scope: 'person', scope_of: MIA },
  ...{ until: null, said_by: MIA, said_tier: 'member', source_message: null, source_message_id: null },
  ...{ origin: 'mail', made_at: NOON, ended_at: null, ended_by: null, taught_json: null, in_answers: 0 },
};

const IN_THE_STORE: readonly Done[] = [
  {
    event: 'mail_given_up',
    by: ['changeOutbox'],
    seed: (store) => store.queueNotice('job', outgoing('n1', { kind: 'notice' })),
    act: (ports) => changeOutbox(ports, { personaId: 'ada', id: 'n1', change: 'drop', by: OLGA }),
    became: async (store) => (await store.listOutbox({ limit: 1 })).map(({ state }) => state),
    is: ['dropped'],
  },
  {
    event: 'run_retried',
    by: ['retryRun'],
    async seed(store) {
      await accept(store, 'a');
      await store.commitStep(step(await leased(store), { patch: { status: 'failed' } }));
    },
    act: (ports) => retryRun(ports, { personaId: 'ada', id: 'r-a', by: OLGA }),
    became: async (store) => (await store.listRuns({ limit: 9 })).map(({ status }) => status).toSorted(),
    is: ['failed', 'queued'],
  },
  {
    event: 'run_cancelled',
    by: ['seizeRun'],
    seed: (store) => accept(store, 'a'),
    act: ({ stores, ...ports }) =>
      stores.use('ada', (store) => {
        const entry = ports.live.personas().get('ada');
        if (entry?.state !== 'ready') throw new Error('there is no persona');
        return cancelRun(ports as unknown as Parameters<typeof cancelRun>[0], {
          ...{ store, persona: entry.persona, id: 'r-a', by: OLGA },
        });
      }),
    became: async (store) => (await store.getRun('r-a'))?.cancelled_by,
    is: OLGA,
  },
  {
    event: 'thread_private',
    by: ['setThreadPrivate'],
    seed: (store) => accept(store, 'a'),
    act: (ports) =>
      ports.stores.use('ada', (store) =>
        setPrivateBy({ ...ports, store, closeAfterDays: 30 }, { id: 't-a', off: false }, OLGA),
      ),
    became: async (store) => (await store.getThread('t-a'))?.private_since !== null,
    is: true,
  },
  {
    event: 'forgotten',
    by: ['forgetFacts', 'forgetRules'],
    seed: (store) => store.changeRules([{ change: 'add', rule: RULE, replaces: [] }], []),
    act: (ports) => forgetBy(ports, { personaId: 'ada', person: MIA }, OLGA),
    became: (store) => store.listRules({ all: true, limit: 9, now: NOON }),
    is: [],
  },
];

describe('a process that is killed right after the transaction by which somebody did something', () => {
  it.each(IN_THE_STORE)('leaves it done and on record: $event', async ({ event, by, seed, act, became, is }) => {
    const { workspace, inAda, log } = site();
    await inAda(seed);
    await act({ ...workspace, stores: killedAfter(workspace.stores, ...by) } as Workspace).catch(() => {});
    expect(await inAda(became)).toEqual(is);
    expect(await log()).toEqual([[event, OLGA]]);
  });

  it('has no row of what was not to be done', async () => {
    const { workspace, log } = site();
    expect(await changeOutbox(workspace, { personaId: 'ada', id: 'none', change: 'drop', by: OLGA })).toBe(
      'wrong_state',
    );
    expect(await retryRun(workspace, { personaId: 'ada', id: 'none', by: OLGA })).toBe('not_found');
    expect(await log()).toEqual([]);
  });
});

type FileAct = readonly [event: string, notDone: string, act: (ports: Workspace) => Promise<unknown>];
const decide = (ports: Workspace, sender: string, verdict: 'allow' | 'block' | 'remove') =>
  decideSender(ports, { persona: 'ada', sender, verdict, by: OLGA });
const IN_A_FILE: readonly FileAct[] = [
  [
    'budget_set',
    'budget_not_set',
    (ports) => setBudget(ports, { persona: 'ada', limits: { usd_per_day: 2 }, by: OLGA }),
  ],
  ['sender_decided', 'sender_not_decided', (ports) => decide(ports, 'fay@else.example', 'allow')],
  ['sender_decided', 'sender_not_decided', (ports) => decide(ports, 'fay@else.example', 'block')],
  ['sender_decided', 'sender_not_decided', (ports) => decide(ports, 'carl@else.example', 'remove')],
];

/** Stores in which `then` happens at the moment of the first record. */
const atRecord = (stores: Stores, then: (record: () => Promise<unknown>) => Promise<unknown>): Stores => ({
  ...stores,
  async use<Result>(persona: string, work: (store: Store) => Promise<Result>): Promise<Result> {
    let made: Result | undefined;
    await then(async () => {
      made = await stores.use(persona, work);
    });
    return made as Result;
  },
});

describe('what somebody writes into a file', () => {
  it.each(IN_A_FILE)(
    'is not there before it is on record, whenever the process is killed: %s',
    async (event, _, act) => {
      const { workspace, log, file } = site();
      const before = file();
      const killed = atRecord(workspace.stores, async () => {
        throw new Error('the process is gone');
      });
      await expect(act({ ...workspace, stores: killed } as Workspace)).rejects.toThrow('gone');
      expect([file(), await log()]).toEqual([before, []]);
      await act(workspace);
      expect(file()).not.toBe(before);
      expect(await log()).toEqual([[event, OLGA]]);
    },
  );

  it.each(IN_A_FILE)(
    'is on record as not done where the file could not be written: %s',
    async (event, notDone, act) => {
      const { workspace, folder, log, file } = site();
      const theirs = JSON.stringify({ ...ADA, name: 'Eve', budget: { usd_per_day: 9 }, access: { deny: ['*'] } });
      let isFirst = true;
      const stores = atRecord(workspace.stores, async (record) => {
        await record();
        if (isFirst) folder.write(FILE, theirs);
        isFirst = false;
      });
      await expect(act({ ...workspace, stores } as Workspace)).rejects.toThrow();
      expect(file()).toBe(theirs);
      expect(await log()).toEqual([
        [event, OLGA],
        [notDone, OLGA],
      ]);
    },
  );
});
