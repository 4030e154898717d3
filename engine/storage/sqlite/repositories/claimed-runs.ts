import { z } from 'zod';
import { parseJson } from '../../../lib/json.ts';
import type { AnsweredRequest, ClaimedRun, LoadedRun, RunsClaim, Trigger } from '../../ports/runs.ts';
import type { StoredThread } from '../../types/mail.ts';
import type { StoredEvent, StoredRun } from '../../types/runs.ts';
import { ownEvent } from '../../types/runs.ts';
import { packet } from '../../types/suspensions.ts';
import type { TaskSnapshot } from '../../types/tasks.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { messageOf, snapshotOf } from '../persona/schema/rows.ts';

import type { Reader, Trx } from '../persona/schema/tables.ts';
import * as approvals from './approvals.ts';
import { messageById, messageWithAttachments } from './arrivals.ts';
import { countRun } from './budget.ts';
import { takenInBy } from './further-mail.ts';
import * as runs from './runs.ts';
import { suspensionsOf } from './suspensions/rows.ts';

/** Leases what is due, oldest first, one of a thread, `limit` at most. */
export async function claimDueRuns(trx: Trx, wanted: RunsClaim): Promise<readonly ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  while (claimed.length < wanted.limit) {
    const next = await claimOne(trx, wanted);
    if (!next) break;
    claimed.push(next);
  }
  return claimed;
}

async function claimOne(trx: Trx, wanted: RunsClaim): Promise<ClaimedRun | undefined> {
  const leased = await runs.leaseDueRun(trx, wanted);
  if (!leased) return undefined;
  const loaded = await loadRun(trx, leased.run);
  const crashes = await runs.countCrash(trx, leased.run, loaded.events, leased.takenOver);
  // One that was put back for want of budget has given up its place among the runs of that day.
  const last = loaded.events.findLast(({ type }) => type === 'run_started' || type === 'deferred');
  const isCounted = last !== undefined && !(last.type === 'deferred' && isUncounted(last));
  const started = loaded.events.findLast(({ type }) => type === 'run_started');
  const isUnderWay = started !== undefined && isCounted;
  if (isUnderWay && !leased.takenOver) return { ...loaded, crashes };
  const begin = ownEvent('run_started', {
    instance: wanted.instance,
    // No mail begins with it, and no model is asked.
    ...(loaded.decided
      ? {}
      : isUnderWay
        ? placeOf(started)
        : { run_of_day: await countRun(trx, wanted.day), day: wanted.day }),
    ...(leased.takenOver ? { taken_over: true } : {}),
  });
  const begun = await runs.appendEvents(trx, leased.run.id, loaded.events.length, [begin], wanted.now);
  return { ...loaded, events: [...loaded.events, ...begun], crashes };
}

const handedOver = z.object({ packet });

/** Its place among the runs of its day, which it keeps. */
const placeOf = ({ payload_json }: StoredEvent): z.infer<typeof place> => parseJson(place, payload_json);
const place = z.object({ run_of_day: z.number().optional(), day: z.string().optional() });

const isUncounted = ({ payload_json }: StoredEvent): boolean =>
  (JSON.parse(payload_json) as { uncounted?: boolean }).uncounted === true;

const selectThread = compiledQuery<{ id: string }>()((db: Reader, $) =>
  db.selectFrom('threads').selectAll().where('id', '=', $.id),
);

export const threadById = async (db: Reader, id: string): Promise<StoredThread | undefined> =>
  (await selectThread(db, { id })).rows[0];

export async function loadRun(trx: Trx, run: StoredRun): Promise<LoadedRun> {
  const thread = await threadById(trx, run.thread_id);
  const mail = await messageWithAttachments(trx, run.message);
  if (!thread || !mail) throw new Error(`run ${run.id} has lost its thread or its mail`);
  const toolEvents =
    run.tool_calls === 0 && run.model_calls === 0
      ? []
      : await trx
          .selectFrom('thread_tool_events')
          .selectAll()
          .where('run_id', '=', run.id)
          .orderBy('step_index')
          .execute();
  const events = await runs.eventsOf(trx, run.id);
  const decided = approvals.decidedIn(events);
  const hasFurther = events.some(({ type }) => type === 'mail_taken_in');
  return {
    run,
    thread,
    message: messageOf(mail.row),
    attachments: mail.attachments,
    ...(hasFurther ? { further: await takenInBy(trx, run) } : {}),
    events,
    toolEvents,
    approvals: [
      ...(decided ? await approvals.ofDecided(trx, decided) : []),
      ...(run.tool_calls === 0 ? [] : await approvals.ofRun(trx, run.id)),
    ],
    suspensions: events.some(({ type }) => type === 'suspended') ? await suspensionsOf(trx, run.id) : [],
    trigger: await triggerOf(trx, { run, thread, events }),
    ...(decided && { decided }),
  };
}

async function triggerOf(
  trx: Trx,
  { run, thread, events }: Pick<LoadedRun, 'run' | 'thread' | 'events'>,
): Promise<Trigger> {
  const queued = run.kind === 'delegation' ? events.find(({ type }) => type === 'run_queued') : undefined;
  if (queued && run.parent_run_id !== null) {
    const { packet: handed } = parseJson(handedOver, queued.payload_json);
    return { kind: 'delegation', parentRunId: run.parent_run_id, packet: handed };
  }
  const task = run.kind === 'task' ? await snapshotOfRun(trx, run.id) : null;
  if (task !== null) return { kind: 'task', task };
  const { id, kind, begun_by_run: begunBy } = thread;
  const begun = begunBy === null ? undefined : await runs.runById(trx, begunBy);
  return {
    kind: 'mail',
    answersTask: run.kind === 'task' ? null : await taskAnswered(trx, { id, kind, begun }),
    answersRequest: begun === undefined ? null : await requestOfThread(trx, id, begun),
  };
}

/** The task whose mail was answered: its own mail, or one that a tool sent in a run of it. */
async function taskAnswered(
  trx: Trx,
  { id, kind, begun }: Pick<StoredThread, 'id' | 'kind'> & { readonly begun: StoredRun | undefined },
): Promise<string | null> {
  if (kind === 'task') return taskOfThread(trx, id);
  return begun?.kind === 'task' ? ((await snapshotOfRun(trx, begun.id))?.task ?? null) : null;
}

async function snapshotOfRun(trx: Trx, runId: string): Promise<TaskSnapshot | null> {
  const row = await trx.selectFrom('task_times').select('snapshot_json').where('run_id', '=', runId).executeTakeFirst();
  return snapshotOf(row?.snapshot_json ?? null);
}

/** What began the thread is a run of its task; asked for the oldest, so that it costs the same however long it grew. */
async function taskOfThread(trx: Trx, threadId: string): Promise<string | null> {
  const begun = await trx
    .selectFrom('runs')
    .select('id')
    .where('thread_id', '=', threadId)
    .where('kind', '=', 'task')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return begun ? ((await snapshotOfRun(trx, begun.id))?.task ?? null) : null;
}

/** Two rows by their keys, however long the thread grew. What a task sent was sent for nobody. */
async function requestOfThread(trx: Trx, threadId: string, run: StoredRun): Promise<AnsweredRequest | null> {
  const [sent] = await trx
    .selectFrom('messages')
    .selectAll()
    .where('thread_id', '=', threadId)
    .orderBy('seq')
    .limit(1)
    .execute();
  if (run.kind !== 'message' || sent?.direction !== 'out') return null;
  const request = await messageById(trx, run.message);
  return request ? { sent: messageOf(sent), run, request: messageOf(request) } : null;
}
