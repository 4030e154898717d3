import SQLite from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { makeRig, type Rig } from './rig.ts';

/** What databases were asked to run since it was emptied, but for the brackets around a transaction. */
const ran: string[] = [];
const { prepare } = SQLite.prototype;
vi.spyOn(SQLite.prototype, 'prepare').mockImplementation(function (this: SQLite.Database, sql: string) {
  const statement = prepare.call(this, sql);
  for (const name of ['run', 'all', 'get'] as const) {
    const original = statement[name];
    const counted = (...values: unknown[]) => {
      if (!/^(begin|commit|rollback|pragma)\b/.test(sql)) ran.push(sql.replaceAll(/\s+/g, ' ').trim());
      return Reflect.apply(original, statement, values);
    };
    Object.defineProperty(statement, name, { value: counted });
  }
  return statement;
});

describe('a mail that is answered', () => {
  let rig: Rig | undefined;
  afterEach(() => rig?.close());

  it('takes so many statements, and no more', async () => {
    rig = await makeRig({ models: () => ({ text: 'Here it is.' }) });
    await statementsOf(rig);
    rig.time.now += 60_000;
    const { intake, run, delivery } = await statementsOf(rig);
    // Every mail pays for one more: is there none among these that could ask, or write, the same?
    expect(
      { intake: intake.length, run: run.length, delivery: delivery.length },
      [...intake, ...run, ...delivery].join('\n'),
    ).toEqual({
      intake: 11,
      run: 28,
      delivery: 4,
    });
  });
});

async function statementsOf({ deliver, laneOf, withStore, clock }: Rig) {
  const of = async (work: () => Promise<unknown>): Promise<string[]> => {
    ran.length = 0;
    await work();
    return [...ran];
  };
  const lane = laneOf('first');
  return {
    intake: await of(() => deliver()),
    run: await of(() =>
      withStore(async (store) => {
        const [work] = await lane.claim('ada', store, 1);
        await work?.(store, new AbortController().signal);
      }),
    ),
    delivery: await of(() => withStore((store) => deliverOne(store, clock.now()))),
  };
}

async function deliverOne(store: Store, now: number): Promise<void> {
  const claim = { instance: 'first', deadHolders: 'all others' as const, now, leaseMs: 1000, limit: 1 };
  const [mail] = await store.claimOutbox(claim);
  if (!mail) throw new Error('no mail is to be sent');
  await store.settleOutbox(mail.id, {
    state: 'sent',
    attempts: 1,
    nextAttemptAt: now,
    unknownSince: null,
    lastError: null,
    recipients: mail.recipients.map(({ address }) => ({ address, state: 'sent', smtp: '250 ok' })),
    now,
    lease: mail.leased_by,
  });
}
