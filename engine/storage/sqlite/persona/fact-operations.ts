import { type Kysely, sql } from 'kysely';
import { asReal, greatest } from '../../dialect.ts';
import type { MemoryReservation, Remembered } from '../../ports/facts.ts';
import type { AuditRecord } from '../../types/approvals.ts';
import type { Fact, FactChange, FactListing, FactReader } from '../../types/facts.ts';
import type { Transact } from '../database/transactions.ts';
import { audit } from '../repositories/approvals.ts';
import { addCost, addToDay, dayOf } from '../repositories/budget.ts';
import { changeFacts, eraseFacts, forgetsAny } from '../repositories/facts/change.ts';
import * as facts from '../repositories/facts/read.ts';
import { emptyLogOf } from '../repositories/facts/securely.ts';
import { addJobs, endJob } from '../repositories/jobs.ts';
import { appendEvents, nextSeqOf } from '../repositories/runs.ts';
import type { PersonaTables, Trx } from './schema/tables.ts';

type Asked = { readonly words: readonly string[]; readonly now: number; readonly limit: number };

/** The part of the Store that has to do with what the persona remembers. */
export function factOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  const emptyLog = () => emptyLogOf(db);
  return {
    factsFor: (reader: FactReader, asked: Asked) => facts.factsFor(db, reader, asked),
    nearestFacts: (subject: string, asked: Asked) => facts.nearestFacts(db, subject, asked),
    disputedFacts: (limit: number) => facts.disputedFacts(db, limit),
    answersWith: (fact: string) => facts.answersWith(db, fact),
    correctionOf: (message: string): Promise<{ fact: string; at: number } | undefined> =>
      db.selectFrom('corrected_answers').select(['fact', 'at']).where('message', '=', message).executeTakeFirst(),
    factById: async (id: string): Promise<Fact | undefined> => (await facts.factsByIds(db, [id]))[0],
    factsByIds: (ids: readonly string[]) => facts.factsByIds(db, ids),
    listFacts: (listing: FactListing) => facts.listFacts(db, listing),
    countFacts: (subject: string, now: number) => facts.countFacts(db, subject, now),
    countSayers: (phrase: string, subject: string, limit: number) => facts.countSayers(db, phrase, subject, limit),
    async isForgottenSource(message: string): Promise<boolean> {
      const found = db.selectFrom('facts').select('seq').where('source_message', '=', message);
      return (await found.where('status', '=', 'forgotten').limit(1).executeTakeFirst()) !== undefined;
    },
    async changeFacts(changes: readonly FactChange[]): Promise<void> {
      await transact((trx) => changeFacts(trx, changes));
      if (forgetsAny(changes)) await emptyLog();
    },
    async factsOfMessage(message: string): Promise<readonly string[]> {
      const rows = await db.selectFrom('facts').select('id').where('source_message', '=', message).execute();
      return rows.map(({ id }) => id);
    },
    async factsOfPerson(address: string): Promise<readonly string[]> {
      const key = address.toLowerCase();
      const { rows } = await sql<{ id: string }>`
        select id from facts where said_by = ${key} union select id from facts where subject = ${key}`.execute(db);
      return rows.map(({ id }) => id);
    },
    async forgetFacts(ids: readonly string[], told: readonly AuditRecord[] = []): Promise<void> {
      await transact(async (trx) => {
        await audit(trx, told);
        await eraseFacts(trx, ids);
      });
      await emptyLog();
    },

    beginTry: (jobId: string): Promise<void> =>
      transact(async (trx) => {
        await trx.updateTable('jobs').set({ attempts: sql`attempts + 1` }).where('id', '=', jobId).execute();
      }, 'normal'),
    reserveMemory: ({ day, usd, usdPerDay, share }: MemoryReservation): Promise<boolean> =>
      transact(async (trx) => {
        if (usdPerDay !== null) {
          const spent = await dayOf(trx, day);
          const free = usdPerDay - (spent?.usd ?? 0) - (spent?.reserved_usd ?? 0);
          if ((spent?.memory_usd ?? 0) + usd > usdPerDay * share || usd > free) return false;
        }
        await addMemory(trx, day, { usd, tokens: 0 });
        return true;
      }),
    settleMemory: ({
      day,
      runId,
      reservedUsd,
      usd,
      tokens,
    }: {
      readonly day: string;
      readonly runId: string;
      readonly reservedUsd: number;
      readonly usd: number;
      readonly tokens: number;
    }): Promise<void> =>
      transact(async (trx) => {
        await addMemory(trx, day, { usd: usd - reservedUsd, tokens });
        await addCost(trx, runId, usd);
      }),
    endRemembering: ({ jobId, runId, changes, event, jobs, now }: Remembered): Promise<boolean> =>
      transact(async (trx) => {
        if (!(await endJob(trx, jobId))) return false;
        if (changes.length > 0) await changeFacts(trx, changes);
        await appendEvents(trx, runId, await nextSeqOf(trx, runId), [event], now);
        await addJobs(trx, jobs);
        return true;
      }),
  };
}

/** Set aside by being booked: a process that dies in between has spent no more than this. */
async function addMemory(trx: Trx, day: string, { usd, tokens }: { usd: number; tokens: number }): Promise<void> {
  await addToDay(trx, day, { runs: 0, tokens, usd, reservedUsd: 0 });
  await trx
    .updateTable('budget_days')
    .set({ memory_usd: greatest(sql`0`, sql`memory_usd + ${asReal(usd)}`) })
    .where('day', '=', day)
    .execute();
}
