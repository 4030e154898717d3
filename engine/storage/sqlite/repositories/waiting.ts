import { sql } from 'kysely';
import { HOUR_MS } from '../../../lib/time.ts';
import { endsWith, indexedBy } from '../../dialect.ts';
import type { StepBatch } from '../../ports/runs.ts';
import type { TakenUp, Waiting } from '../../ports/waiting.ts';
import { deferredPatch } from '../../ports/waiting.ts';
import type { NewJob } from '../../types/jobs.ts';
import type { DeferredCode, Incident, StoredRun } from '../../types/runs.ts';
import { isTest, ownEvent } from '../../types/runs.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';
import { addToDay } from './budget.ts';
import { addJobs } from './jobs.ts';
import { appendEvents, eventsOf, isFirstOfThread } from './runs.ts';
import { writeStep } from './steps.ts';

// Runs that wait for something: they stay `queued`, due only when they are given up, until what they wait for is over.

/** Puts a run that was worked on back, with all that it has done; its lease is free. */
export async function parkRun(
  trx: Trx,
  batch: StepBatch,
  { run, waiting, uncount }: { run: StoredRun; waiting: Waiting; uncount: string | null },
): Promise<void> {
  if (isTest(run)) throw new Error('a test was about to wait');
  await writeStep(trx, batch);
  // It takes its place among the runs of the day on which it begins.
  if (uncount !== null) await addToDay(trx, uncount, { runs: -1, tokens: 0, usd: 0, reservedUsd: 0 });
  await tellOf(trx, waiting, [run]);
}

const dueUnbegun = compiledQuery<{ now: number }>()((db: Reader, $) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where('status', 'in', [sql.lit('queued' as const), sql.lit('running' as const)])
    .where('status', '=', 'queued')
    .where('due_at', '<=', $.now)
    .where('started_at', 'is', null)
    .where('deferred_code', 'is', null)
    // A test never waits.
    .where('kind', '<>', sql.lit('test' as const)),
);

export const hasDueUnbegun = async (db: Reader, now: number): Promise<boolean> =>
  (await dueUnbegun(db, { now })).rows.length > 0;

/** Whatever is due and was not begun waits as well; `onlyNew`: but what has waited before. How many runs that were. */
export async function deferUnbegun(trx: Trx, waiting: Waiting, { onlyNew }: { onlyNew: boolean }): Promise<number> {
  const found = (await dueUnbegun(trx, { now: waiting.now })).rows;
  const rows = onlyNew ? found.filter(({ deferred_at }) => deferred_at === null) : found;
  for (const run of rows) {
    await trx.updateTable('runs').set(deferredPatch(run.deferred_at, waiting)).where('id', '=', run.id).execute();
    const { code, until } = waiting;
    const seq = ((await eventsOf(trx, run.id)).at(-1)?.seq ?? -1) + 1;
    await appendEvents(trx, run.id, seq, [ownEvent('deferred', { code, until })], waiting.now);
  }
  await tellOf(trx, waiting, rows);
  return rows.length;
}

async function tellOf(trx: Trx, waiting: Waiting, runs: readonly StoredRun[]): Promise<void> {
  const { tell, now } = waiting;
  if (runs.length === 0 || tell === null) return;
  const window = tell.window ?? String((await openIncident(trx, waiting)).since);
  const senders = runs.flatMap(({ kind, tier, sender }) =>
    kind === 'message' && tier !== 'unauthenticated' && sender !== null ? [sender] : [],
  );
  const notes = [...new Set(senders)].map((sender) => tell.note({ window, sender, dueAt: now + tell.sendersAfterMs }));
  const notice = tell.notice({ window, dueAt: now + tell.ownersAfterMs });
  // Who was told of this one before is not told again: the id is the purpose of the mail.
  await addJobs(trx, await untold(trx, [...notes, notice]));
}

/** Without those whose mail was written: a job that is asked for again would compose it only to throw it away. */
async function untold(trx: Trx, jobs: readonly NewJob[]): Promise<NewJob[]> {
  const told = await trx
    .selectFrom('outbox')
    .select('purpose')
    .where('run_id', '=', '')
    .where(
      'purpose',
      'in',
      jobs.map(({ id }) => id),
    )
    .execute();
  const known = new Set(told.map(({ purpose }) => purpose));
  return jobs.filter(({ id }) => !known.has(id));
}

async function openIncident(trx: Trx, { code, cause, now }: Waiting): Promise<Incident> {
  const known = await incidentOf(trx, code);
  const row = { code, ...(cause ?? { cause: '', provider: '', message: '', whose: null }) };
  if (known && (known.since >= now || (await hasWaited(trx, code, now)))) {
    // The newest failure says best what is to be mended.
    if (cause) await trx.updateTable('incidents').set(cause).where('code', '=', code).execute();
    return known;
  }
  await trx
    .insertInto('incidents')
    .values({ ...row, since: now })
    .onConflict((conflict) => conflict.column('code').doUpdateSet({ ...row, since: now }))
    .execute();
  return { ...row, since: now };
}

/** Where nobody has waited before it is another outage, whoever was told of the last one. */
const hasWaited = async (trx: Trx, code: DeferredCode, now: number): Promise<boolean> =>
  (await trx
    .selectFrom('runs')
    .select('id')
    .where('status', 'in', ['queued', 'running'])
    .where('deferred_at', '<', now)
    .where((where) => where.or([where('due_at', '<=', now), where('deferred_code', '=', code)]))
    .limit(1)
    .executeTakeFirst()) !== undefined;

export const incidentOf = (db: Reader, code: DeferredCode): Promise<Incident | undefined> =>
  db.selectFrom('incidents').selectAll().where('code', '=', code).executeTakeFirst();

const CODES = [
  'persona_paused',
  'persona_stopped',
  'budget',
  'provider_unavailable',
  'provider_setup',
  'request_failed',
  'sender_rate_limited',
] as const;
const selectCodes = compiledQuery<Record<never, never>>()(
  (_: Reader) => sql<{ code: DeferredCode; until: number | null }>`
    select wanted.code, (select min(deferred_until) from runs ${indexedBy('runs_deferred')}
        where deferred_code = wanted.code) as until
    from (${sql.join(
      CODES.map((code) => sql`select ${sql.lit(code)} as code`),
      sql` union all `,
    )}) as wanted
    where exists (select 1 from runs ${indexedBy('runs_deferred')} where deferred_code = wanted.code)`,
);

/** What runs wait for, and until when the first of each does. */
export const deferredCodes = async (db: Reader): Promise<readonly { code: DeferredCode; until: number | null }[]> =>
  (await selectCodes(db, {})).rows;

/** Runs that wait for this, as far as `which` names them, in the order in which they came. */
const waitingFor = (db: Reader, code: DeferredCode, which: TakenUp) =>
  db
    .selectFrom('runs')
    .select('seq')
    .where('deferred_code', '=', code)
    // Whoever asks for all has to be worked at once, not behind an earlier mail of the thread that waits as well.
    .$if(which.kind === 'one', (query) => query.where(isFirstOfThread('runs')))
    .$if(which.kind === 'due', (query) => query.where('deferred_until', '<=', which.kind === 'due' ? which.now : 0))
    .orderBy(({ eb }) => eb('id', '=', which.kind === 'one' ? which.last : ''))
    .orderBy('created_at')
    .orderBy('seq')
    .$if(which.kind === 'one', (query) => query.limit(1));

/** Whether one of those that wait for this would be worked at once. */
export const hasOneToTakeUp = async (db: Reader, code: DeferredCode): Promise<boolean> =>
  (await waitingFor(db, code, { kind: 'one', last: '' }).execute()).length > 0;

/** What they waited for is over: due in the order in which they came, as far as `which` names them. */
export async function takeUp(trx: Trx, code: DeferredCode, which: TakenUp): Promise<number> {
  const result = await trx
    .updateTable('runs')
    .set((row) => ({ deferred_code: null, deferred_until: null, due_at: row.ref('created_at') }))
    .where('seq', 'in', waitingFor(trx, code, which))
    .executeTakeFirst();
  if (which.kind === 'all') await trx.deleteFrom('incidents').where('code', '=', code).execute();
  return Number(result.numUpdatedRows);
}

/**
 * Mail that waits for its turn takes it by the limit as it is now, in the order in which it came. When the first of it
 * may begin; null where none waits.
 */
export async function respread(
  trx: Trx,
  { runsPerHour, now }: { readonly runsPerHour: number | null; readonly now: number },
): Promise<number | null> {
  const waiting = await trx
    .selectFrom('runs')
    .select(['seq', 'sender', 'tier', 'deferred_until as until'])
    .where('deferred_code', '=', 'sender_rate_limited')
    .orderBy('created_at')
    .orderBy('seq')
    .execute();
  // Without a turn they keep the one that they were promised.
  if (runsPerHour === 0) return waiting.length === 0 ? null : Math.min(...waiting.map(({ until }) => until ?? now));
  const turns = new Map<string, number[]>();
  const firsts: number[] = [];
  for (const { seq, sender, tier, until } of waiting) {
    const isProven = tier !== 'unauthenticated';
    const key = `${isProven} ${sender ?? ''}`;
    const taken = turns.get(key) ?? (await beganWithin(trx, { sender, isProven, since: now - HOUR_MS }));
    turns.set(key, taken);
    const earlier = runsPerHour === null ? undefined : taken.at(-runsPerHour);
    const at = Math.max(now, (earlier ?? Number.NEGATIVE_INFINITY) + HOUR_MS);
    taken.push(at);
    firsts.push(at);
    if (at !== until) await trx.updateTable('runs').set({ deferred_until: at }).where('seq', '=', seq).execute();
  }
  return firsts.length === 0 ? null : Math.min(...firsts);
}

/** When runs of the sender began, or came, that do not wait for their turn; the latest last. */
async function beganWithin(
  trx: Trx,
  { sender, isProven, since }: { readonly sender: string | null; readonly isProven: boolean; readonly since: number },
): Promise<number[]> {
  const rows = await trx
    .selectFrom('runs')
    .select(['started_at', 'created_at'])
    .where('sender', '=', sender)
    .where('tier', isProven ? '!=' : '=', 'unauthenticated')
    .where('kind', '=', 'message')
    .where((where) => where.or([where('started_at', '>', since), where('created_at', '>', since)]))
    .where((where) =>
      where.or([where('deferred_code', 'is', null), where('deferred_code', '!=', 'sender_rate_limited')]),
    )
    .execute();
  return rows.map((row) => row.started_at ?? row.created_at).sort((a, b) => a - b);
}

/** How many mails wait, by what they wait for. */
export const countDeferred = (db: Reader) =>
  db
    .selectFrom('runs')
    .select(['deferred_code as code', (all) => all.fn.countAll<number>().as('count')])
    .select((all) => [
      all.fn.min<number | null>('deferred_at').as('since'),
      all.fn.min<number | null>('deferred_until').as('until'),
    ])
    .where('deferred_code', 'is not', null)
    .where('kind', '=', 'message')
    .groupBy('deferred_code')
    .execute();

/** Mails that wait, or are being tried at this moment, oldest first: of one sender, or of all. */
export const waitingMails = (db: Reader, { sender, limit }: { sender?: string; limit: number }) =>
  db
    .selectFrom('runs')
    .innerJoin('messages', 'messages.id', 'runs.message')
    .select(['runs.id as run_id', 'runs.thread_id', 'runs.sender', 'runs.tier', 'runs.deferred_code as code'])
    .select(['messages.id as message', 'messages.from_name', 'messages.subject'])
    .select((run) => run.fn.coalesce('runs.deferred_at', 'runs.created_at').as('since'))
    .where('runs.status', 'in', ['queued', 'running'])
    .where('runs.deferred_at', 'is not', null)
    // Nothing fails for it, and its sender was told when it came.
    .where((where) =>
      where.or([where('deferred_code', 'is', null), where('deferred_code', '!=', 'sender_rate_limited')]),
    )
    .where('runs.kind', '=', 'message')
    .$if(sender !== undefined, (query) => query.where('runs.sender', '=', sender ?? ''))
    .orderBy('runs.created_at')
    .limit(limit)
    .execute();

/** Whether a note went to this sender since then that mail of theirs waits, but for one about a spent budget. */
export const isToldOfWaiting = async (
  db: Reader,
  { sender, since }: { readonly sender: string; readonly since: number },
): Promise<boolean> =>
  (await db
    .selectFrom('outbox')
    .select('id')
    .where('run_id', '=', '')
    .where('purpose', '>=', 'waiting_note:')
    .where('purpose', '<', 'waiting_note;')
    .where('purpose', 'not like', 'waiting_note:budget:%')
    .where(endsWith(sql.ref('purpose'), `:${sender}`))
    .where('created_at', '>=', since)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** True once a day: owners are to be told that the day's budget is nearly spent. */
export async function markWarned(trx: Trx, day: string, now: number): Promise<boolean> {
  const result = await trx
    .updateTable('budget_days')
    .set({ warned_at: now })
    .where('day', '=', day)
    .where('warned_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Who spent the most since then. */
export const dearestSender = (db: Reader, since: number) =>
  db
    .selectFrom('runs')
    .select(['sender', (all) => all.fn.sum<number>('cost_usd').as('usd')])
    .where('created_at', '>=', since)
    .where('kind', '<>', 'test')
    .where('sender', 'is not', null)
    .groupBy('sender')
    .orderBy('usd', 'desc')
    .limit(1)
    .executeTakeFirst();
