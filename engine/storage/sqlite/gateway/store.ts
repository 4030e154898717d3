import { type Kysely, sql, type Transaction } from 'kysely';
import { least } from '../../dialect.ts';
import type { GatewayStore } from '../../ports/gateway.ts';
import type {
  MailPlace,
  NewSeenMail,
  Pause,
  RefusedLimits,
  RefusedMail,
  SeenMail,
  Wakeup,
} from '../../types/gateway.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { openDatabase } from '../database/open.ts';
import type { Synchronous } from '../database/transactions.ts';
import { isWriteLocked } from '../database/write-lock.ts';
import { consoleOperations } from './console-operations.ts';
import { deadLetterOperations } from './dead-letter-operations.ts';
import { deferredOperations, forgetTry } from './deferred-operations.ts';
import { gatewayMigrations } from './migrations.ts';
import { overviewOperations } from './overview-operations.ts';
import { keepRefused, refusedMailOperations } from './refused-mail-operations.ts';
import { asAsked, boundedSeen, seenBounds, seenId } from './seen-bounds.ts';
import { seenListing } from './seen-listing.ts';
import { senderQuestionOperations } from './sender-question-operations.ts';
import type { GatewayTables } from './tables.ts';
import { toolQuestionOperations } from './tool-question-operations.ts';

type GatewayTrx = Transaction<GatewayTables>;

/** Within this after a bump nothing needs to be written to announce more: a wakeup stays due for KEPT_DUE_MS. */
const STILL_DUE_MS = 1000;

const PAUSED = 'paused:';
const RESTS = 'rests_until:';

/** One statement, so that nothing comes between the look and the change. */
async function setPaused(
  trx: GatewayTrx,
  { key, state, from }: { readonly key: string; readonly state: Pause; readonly from: Pause | undefined },
): Promise<boolean> {
  if (state === null) {
    const gone = trx.deleteFrom('settings').where('key', '=', key);
    const { numDeletedRows } = await (from ? gone.where('value', '=', from) : gone).executeTakeFirstOrThrow();
    return from === undefined || numDeletedRows > 0n;
  }
  if (from) {
    const changed = trx.updateTable('settings').set({ value: state }).where('key', '=', key).where('value', '=', from);
    return (await changed.executeTakeFirstOrThrow()).numUpdatedRows > 0n;
  }
  const put = trx.insertInto('settings').values({ key, value: state });
  const { numInsertedOrUpdatedRows } = await put
    .onConflict((conflict) =>
      from === null ? conflict.column('key').doNothing() : conflict.column('key').doUpdateSet({ value: state }),
    )
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** gateway.db. Wakeups are a superset of the work in the persona databases, never the truth. */
export function openGatewayStore(file: string): GatewayStore {
  const { db, transact, dataVersion, close } = openDatabase<GatewayTables>(file, gatewayMigrations);
  const write = (work: (trx: GatewayTrx) => Promise<unknown>, synchronous?: Synchronous): Promise<void> =>
    transact(async (trx) => void (await work(trx)), synchronous);

  const bump = (personaId: string, dueAt: number) =>
    write((trx) =>
      trx
        .insertInto('wakeups')
        .values({ persona_id: personaId, due_at: dueAt, generation: 1 })
        .onConflict((conflict) =>
          conflict.column('persona_id').doUpdateSet({
            due_at: least(sql`coalesce(wakeups.due_at, excluded.due_at)`, sql`excluded.due_at`),
            generation: sql<number>`wakeups.generation + 1`,
          }),
        )
        .execute(),
    );
  const changeSetting = (key: string, value: string): Promise<void> =>
    write((trx) =>
      trx
        .insertInto('settings')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute(),
    );
  const findSetting = async (key: string): Promise<string | undefined> =>
    (await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst())?.value;
  /** When this process last bumped a persona that had something due at once. */
  const bumped = new Map<string, number>();

  let paused: { version: number; states: ReadonlyMap<string, string> } = { version: -1, states: new Map() };
  /** Asked once in a turn of the event loop: whether another process has written costs as much as a row. */
  let version: number | null = null;
  const versionNow = (): number => {
    if (version !== null) return version;
    setImmediate(() => {
      version = null;
    });
    version = dataVersion();
    return version;
  };
  const settingsUnder = (prefix: string) =>
    db.selectFrom('settings').selectAll().where('key', 'like', `${prefix}%`).execute();
  const pauses = async (): Promise<ReadonlyMap<string, string>> => {
    const version = versionNow();
    if (version !== paused.version) {
      const rows = await settingsUnder(PAUSED);
      paused = { version, states: new Map(rows.map(({ key, value }) => [key.slice(PAUSED.length), value])) };
    }
    return paused.states;
  };

  return {
    dataVersion,

    /** Something is due for the persona at `dueAt`. Returns once committed. */
    bumpWakeup: bump,

    /** `bumpWakeup` to now; writes nothing when the wakeup is sure to stay due for a while. */
    async ensureDueNow(personaId: string, now: number): Promise<void> {
      const before = bumped.get(personaId);
      if (before !== undefined && now >= before && now - before < STILL_DUE_MS) return;
      await bump(personaId, now);
      bumped.set(personaId, now);
    },

    /**
     * After the persona's own next due time was read; does nothing when it was bumped since. Only for a wakeup whose
     * generation has been the same for KEPT_DUE_MS.
     */
    clearWakeup: (wakeup: { personaId: string; generation: number; dueAt: number | null }) =>
      write((trx) =>
        trx
          .updateTable('wakeups')
          .set({ due_at: wakeup.dueAt })
          .where('persona_id', '=', wakeup.personaId)
          .where('generation', '=', wakeup.generation)
          .execute(),
      ),

    /** What is due, oldest first, a page at a time: after `after` where given. */
    async dueWakeups(now: number, limit: number, after?: Wakeup): Promise<Wakeup[]> {
      const { rows } = await sql<{ persona_id: string; due_at: number; generation: number }>`
        select persona_id, due_at, generation from wakeups
        where due_at <= ${now} and (due_at, persona_id) > (${after?.dueAt ?? -1}, ${after?.personaId ?? ''})
        order by due_at, persona_id limit ${limit}`.execute(db);
      return rows.map((row) => ({ personaId: row.persona_id, dueAt: row.due_at, generation: row.generation }));
    },

    async nextWakeupAt(): Promise<number | null> {
      const row = await db
        .selectFrom('wakeups')
        .select('due_at')
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.due_at ?? null;
    },

    /** At start, under the workspace lock: every lease of the dead process is free, so all open work is due now. */
    makeAllDue: (now: number) =>
      write((trx) =>
        trx
          .updateTable('wakeups')
          .set({ due_at: now, generation: sql<number>`generation + 1` })
          .where('due_at', '>', now)
          .execute(),
      ),

    /**
     * `place`: these rows are all that is now known of that place; earlier `deferred` rows of it are over, and so are
     * its tries unless it is deferred again. What only repeats what a persona's database says of its runs and of its
     * own mail need not be on disk before all else.
     */
    recordSeen: (
      rows: readonly NewSeenMail[],
      place: MailPlace | null = null,
      kept?: { readonly mail: RefusedMail; readonly most: RefusedLimits },
    ) =>
      write(
        async (trx) => {
          if (place) await deleteDeferred(trx, place);
          if (place && rows.every(({ decision }) => decision !== 'deferred')) await forgetTry(trx, place);
          const keptNow = kept?.mail.raw_sha256;
          const seen = rows.map((row) => ({ ...boundedSeen(row), kept_sha256: keptNow ?? row.kept_sha256 ?? null }));
          if (seen.length > 0) await insertSeen(trx, { rows: seen });
          if (kept) await keepRefused(trx, { ...kept.mail, message_id: seenId(kept.mail.message_id) }, kept.most);
        },
        place === null && rows.every((row) => row.run_id !== null) ? 'normal' : 'full',
      ),

    /** The mail is no longer there: nothing is left to settle. */
    forgetDeferred: (place: MailPlace) =>
      write(async (trx) => {
        await deleteDeferred(trx, place);
        await forgetTry(trx, place);
      }),

    /** The runs of the newest mail, newest first; looks at so many rows and no more. */
    async recentRuns(limit: number): Promise<readonly { persona: string; runId: string }[]> {
      const rows = await db
        .selectFrom('seen')
        .select(['persona_id', 'run_id'])
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      const runs = new Map<string, string>();
      for (const { persona_id, run_id } of rows) {
        if (persona_id !== null && run_id !== null) runs.set(run_id, persona_id);
      }
      return [...runs].map(([runId, persona]) => ({ persona, runId }));
    },

    async seenByMessageId(messageId: string): Promise<SeenMail[]> {
      const rows = db.selectFrom('seen').selectAll().where('message_id', '=', seenId(messageId));
      return asAsked(await rows.orderBy('id').limit(200).execute(), messageId);
    },

    /** Whether the mail that lies there was seen and none of its personas was left for later. */
    async isPlaceSettled(place: MailPlace): Promise<boolean> {
      const rows = await db
        .selectFrom('seen')
        .select('decision')
        .where('mailbox', '=', place.mailbox)
        .where('uidvalidity', '=', place.uidvalidity)
        .where('uid', '=', place.uid)
        .execute();
      return rows.length > 0 && rows.every(({ decision }) => decision !== 'deferred');
    },

    loadCursor: (mailbox: string) =>
      db
        .selectFrom('cursors')
        .select(['uidvalidity', 'uid', 'since'])
        .where('mailbox', '=', mailbox)
        .executeTakeFirst(),

    saveCursor: (mailbox: string, cursor: { uidvalidity: string; uid: number; since: number | null }) =>
      write((trx) =>
        trx
          .insertInto('cursors')
          .values({ mailbox, ...cursor })
          .onConflict((conflict) => conflict.column('mailbox').doUpdateSet(cursor))
          .execute(),
      ),

    ...deferredOperations(db, transact),
    ...deadLetterOperations(db, transact),
    ...seenBounds(db, transact),
    ...seenListing(db),
    ...refusedMailOperations(db, transact),
    ...senderQuestionOperations(db, transact),
    ...toolQuestionOperations(db, transact),
    ...consoleOperations(db, transact),
    ...overviewOperations(db, transact),

    async setting(key: string, make: () => string): Promise<string> {
      await write((trx) =>
        trx
          .insertInto('settings')
          .values({ key, value: make() })
          .onConflict((conflict) => conflict.column('key').doNothing())
          .execute(),
      );
      return (await findSetting(key)) ?? make();
    },

    findSetting,
    changeSetting,

    canWrite: async () => file === ':memory:' || !isWriteLocked(file),

    /** A provider is not to be asked until then; the row stays, and stands for nothing once the time is over. */
    keepResting: ({ provider, until }: { readonly provider: string; readonly until: number }) =>
      changeSetting(`${RESTS}${provider}`, String(until)),

    async resting(now: number): Promise<{ provider: string; until: number }[]> {
      const rows = await settingsUnder(RESTS);
      return rows
        .map(({ key, value }) => ({ provider: key.slice(RESTS.length), until: Number(value) }))
        .filter(({ until }) => until > now);
    },

    /** Whether an owner has paused or stopped the persona; read again only after another process wrote. */
    isPaused: async (personaId: string): Promise<boolean> => (await pauses()).has(personaId),
    pausedPersonas: async (): Promise<ReadonlySet<string>> => new Set((await pauses()).keys()),
    /** How an owner has put the persona to rest; null while it works. */
    pauseOf: async (personaId: string): Promise<Pause> => {
      const state = (await pauses()).get(personaId);
      return state === undefined ? null : state === 'stopped' ? 'stopped' : 'paused';
    },
    /** Stopped: paused, and none of its mail leaves but notices. */
    isStopped: async (personaId: string): Promise<boolean> => (await pauses()).get(personaId) === 'stopped',
    async setPaused(personaId: string, state: Pause, from?: Pause): Promise<boolean> {
      const isSet = await transact((trx) => setPaused(trx, { key: `${PAUSED}${personaId}`, state, from }));
      paused = { version: -1, states: new Map() };
      return isSet;
    },

    async renamePersona(from: string, to: string): Promise<void> {
      await write(async (trx) => {
        for (const table of ['seen', 'dead_letters', 'sender_questions', 'tool_questions'] as const) {
          await trx.updateTable(table).set({ persona_id: to }).where('persona_id', '=', from).execute();
        }
        // That of the new id is made at the next look.
        await trx.deleteFrom('overviews').where('persona_id', 'in', [from, to]).execute();
        await trx.deleteFrom('wakeups').where('persona_id', '=', to).execute();
        await trx.updateTable('wakeups').set({ persona_id: to }).where('persona_id', '=', from).execute();
        await trx
          .updateTable('settings')
          .set({ key: `${PAUSED}${to}` })
          .where('key', '=', `${PAUSED}${from}`)
          .execute();
      });
      paused = { version: -1, states: new Map() };
    },

    close,
  };
}

const insertSeen = compiledQuery<{ rows: readonly NewSeenMail[] }>()((db: Kysely<GatewayTables>, $) =>
  db.insertInto('seen').values($.rows),
);

const deleteDeferred = (trx: GatewayTrx, place: MailPlace) =>
  trx
    .deleteFrom('seen')
    .where('mailbox', '=', place.mailbox)
    .where('uidvalidity', '=', place.uidvalidity)
    .where('uid', '=', place.uid)
    .where('decision', '=', sql.lit('deferred'))
    .execute();
