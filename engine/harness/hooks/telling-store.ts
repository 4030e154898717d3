import type { HookEvent, HookEventName } from '#contract';
import { iso } from '../../lib/clock.ts';
import { readStaged } from '../../record/codec/run-events.ts';
import { taskEndedJob } from '../../record/jobs/job-kinds.ts';
import type { FinishBatch, StepBatch } from '../../storage/ports/runs.ts';
import type { Store, Stores } from '../../storage/ports/store.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { OutboxEntry } from '../../storage/types/outbox.ts';
import type { PlannedTime } from '../../storage/types/tasks.ts';
import { type Hooks, hookJobs, isHeard } from './hook-jobs.ts';

/**
 * A persona's store that tells hooks: with each change that one listens to, the jobs of the hooks, in the transaction of
 * the change. Who writes the change knows nothing of it, and what no hook listens to costs no row and no read.
 */
function tellingStore(store: Store, persona: string, load: () => Promise<Hooks>): Store {
  /** The jobs of these events, where any hook listens; `make` reads what they carry. */
  async function jobsOf(
    names: readonly HookEventName[],
    now: number,
    make: () => Promise<readonly Told[]> | readonly Told[],
  ): Promise<readonly NewJob[]> {
    const hooks = await load();
    if (!isHeard(hooks, names)) return [];
    return (await make()).flatMap(({ event, about }) => hookJobs(hooks, event, about, now));
  }

  async function runOf(runId: string) {
    const run = await store.getRun(runId);
    // Of a test nobody hears.
    if (!run || run.kind === 'test') return null;
    return { thread_id: run.thread_id, kind: run.kind, message_id: run.message_id };
  }

  async function toldOfStep<Batch extends StepBatch>(batch: Batch): Promise<Batch> {
    const { runId } = batch.lease;
    const calls = await jobsOf(['tool_called', 'tool_ended'], batch.now, () => callsIn(batch, persona));
    const begins = batch.events.some(({ type }) => type === 'context_built');
    const started = !begins
      ? []
      : await jobsOf(['run_started'], batch.now, async () => {
          const data = await runOf(runId);
          return data === null ? [] : [{ event: { name: 'run_started', persona, runId, data }, about: runId }];
        });
    const selected = !begins
      ? []
      : await jobsOf(['playbook_selected'], batch.now, () =>
          selectedIn(batch, persona).map((event) => ({ event, about: runId })),
        );
    return withJobs(batch, [...started, ...selected, ...calls]);
  }

  const toldOfEnd = async (batch: FinishBatch): Promise<FinishBatch> => {
    const { runId } = batch.lease;
    const { status = 'done', outcome = null, code = null } = batch.patch;
    const ended = await jobsOf(['run_ended'], batch.now, async () => {
      const run = await runOf(runId);
      const reply_message_id = batch.reply?.message.message_id ?? null;
      const data = run && { status, outcome, code, ...run, reply_message_id };
      return data === null ? [] : [{ event: { name: 'run_ended', persona, runId, data }, about: runId }];
    });
    return withJobs(await toldOfStep(batch), [...ended, ...(await requested(batch.held ?? [], batch.now))]);
  };

  const requested = (rows: readonly Approval[], now: number) =>
    jobsOf(['approval_requested'], now, () =>
      rows.map(({ id, run_id, tool, risk }) => ({
        event: { name: 'approval_requested', persona, runId: run_id, data: { approval_id: id, tool, risk } },
        about: id,
      })),
    );

  return {
    ...store,
    ...tellingLearning(store, persona, load),
    commitStep: async (batch) => store.commitStep(await toldOfStep(batch)),
    finishRun: async (batch) => store.finishRun(await toldOfEnd(batch)),
    holdRun: async (batch) => store.holdRun(withJobs(await toldOfStep(batch), await requested(batch.held, batch.now))),
    replaceApproval: async (old, replacement, jobs, audit, now) =>
      store.replaceApproval(old, replacement, [...jobs, ...(await requested([replacement], now))], audit, now),

    async decideApprovals(verdicts, audit, now, jobs = () => []) {
      const hooks = await load();
      if (!isHeard(hooks, ['approval_decided'])) return store.decideApprovals(verdicts, audit, now, jobs);
      const rows = await Promise.all(
        verdicts.map(async (verdict) => ({ verdict, row: await store.getApproval(verdict.id) })),
      );
      return store.decideApprovals(verdicts, audit, now, (decided) => [
        ...jobs(decided),
        ...rows.flatMap(({ verdict: { id, state, by }, row }) => {
          if (!row || !decided.some((one) => one.id === id && one.outcome === 'decided')) return [];
          const data = { approval_id: id, tool: row.tool, state, by: state === 'expired' ? null : by };
          const event: HookEvent = { name: 'approval_decided', persona, runId: row.run_id, data };
          return hookJobs(hooks, event, id, now);
        }),
      ]);
    },

    async settleTask(task, now, decide) {
      const hooks = await load();
      if (!isHeard(hooks, ['task_due'])) return store.settleTask(task, now, decide);
      const dueJobs = ({ dueAt, run }: PlannedTime): readonly NewJob[] => {
        if (run === null) return [];
        const data = { task, due_at: iso(dueAt) };
        const event: HookEvent = { name: 'task_due', persona, runId: run.run.id, data };
        return hookJobs(hooks, event, `${task}:${dueAt}`, now);
      };
      return store.settleTask(task, now, (found) => {
        const plan = decide(found);
        if (plan === null) return null;
        const times = plan.settleWaiting === null ? plan.times : [...plan.times, plan.settleWaiting];
        return { ...plan, jobs: times.flatMap(dueJobs) };
      });
    },

    async recordTaskEnd(ended, decide) {
      const hooks = await load();
      const { runId, now } = ended;
      // The end of the task's mail is told as a delivery.
      const isOfRun = ended.jobId === taskEndedJob(runId, now, 'run').id;
      if (!isOfRun || !isHeard(hooks, ['task_ended'])) return store.recordTaskEnd(ended, decide);
      return store.recordTaskEnd(ended, (found) => {
        const end = decide(found);
        const { task, due_at, run_status, outcome, run_code } = found.time;
        const data = { task, due_at: iso(due_at), status: run_status ?? 'done', outcome, code: run_code };
        const event: HookEvent = { name: 'task_ended', persona, runId, data };
        return { ...end, jobs: [...end.jobs, ...hookJobs(hooks, event, runId, now)] };
      });
    },

    async settleOutbox(id, outcome, jobs = []) {
      const { state, attempts, lastError, recipients, now } = outcome;
      if (state !== 'sent' && state !== 'failed') return store.settleOutbox(id, outcome, jobs);
      const name = state === 'sent' ? 'delivery_sent' : 'delivery_failed';
      const told = await jobsOf([name], now, async () => {
        const mail = await store.getOutbox(id);
        if (!mail) return [];
        const to = recipients.filter((one) => one.state === state).map(({ address }) => address);
        const data = deliveryOf(mail, to);
        const runId = runIdOf(mail);
        const event: HookEvent =
          name === 'delivery_sent'
            ? { name, persona, runId, data }
            : { name, persona, runId, data: { ...data, error: lastError } };
        return [{ event, about: `${id}:${attempts}` }];
      });
      return store.settleOutbox(id, outcome, [...jobs, ...told]);
    },

    async recordBounce(bounce) {
      const told = await jobsOf(['delivery_bounced'], bounce.now, async () => {
        const mail = await store.outboxByMessageId(bounce.messageId);
        if (!mail) return [];
        const to = bounce.failed.map(({ address }) => address);
        const event: HookEvent = {
          name: 'delivery_bounced',
          persona,
          runId: runIdOf(mail),
          data: deliveryOf(mail, to),
        };
        return [{ event, about: `${mail.id}:${to.join()}` }];
      });
      return store.recordBounce({ ...bounce, notices: (id) => [...bounce.notices(id), ...told] });
    },
  };
}

interface Told {
  readonly event: HookEvent;
  readonly about: string;
}

/** A call of a run is known by the place of its event: a vendor's ids may come again in another turn. */
function callsIn({ events, firstSeq, lease: { runId } }: StepBatch, persona: string): readonly Told[] {
  return events.flatMap((event, at): readonly Told[] => {
    const about = `${runId}:${firstSeq + at}`;
    if (event.type !== 'tool_call_intended' && event.type !== 'tool_call_ended') return [];
    const staged = readStaged(event);
    if (staged?.type === 'tool_call_intended') {
      const { call_id, tool, risk } = staged.data;
      return [{ event: { name: 'tool_called', persona, runId, data: { call_id, tool, risk } }, about }];
    }
    if (staged?.type !== 'tool_call_ended') return [];
    const { call_id, tool, ok, code } = staged.data;
    return [{ event: { name: 'tool_ended', persona, runId, data: { call_id, tool, ok, code } }, about }];
  });
}

const withJobs = <Batch extends StepBatch>(batch: Batch, jobs: readonly NewJob[]): Batch =>
  jobs.length === 0 ? batch : { ...batch, jobs: [...(batch.jobs ?? []), ...jobs] };

const deliveryOf = ({ id, message_id, kind }: OutboxEntry, to: readonly string[]) => ({
  outbox_id: id,
  message_id,
  kind,
  to,
});

/** A notice belongs to no run. */
const runIdOf = ({ run_id }: OutboxEntry): string | null => (run_id === '' ? null : run_id);

/**
 * The stores of all personas as `tellingStore` has them. `isSilent`: no hook can listen, so every store is handed on as it
 * is. `load` is asked before a change that hooks may hear of, never for a read.
 */
export function tellingStores(stores: Stores, hooks: { isSilent(): boolean; load(): Promise<Hooks> }): Stores {
  const telling = new WeakMap<Store, Store>();
  const tellingOf = (store: Store, persona: string): Store => {
    const made = telling.get(store) ?? tellingStore(store, persona, hooks.load);
    telling.set(store, made);
    return made;
  };
  return {
    ...stores,
    use: (persona, work) => stores.use(persona, (store) => work(hooks.isSilent() ? store : tellingOf(store, persona))),
  };
}

/** What of a store hooks hear of that has to do with learning. */
const tellingLearning = (
  store: Store,
  persona: string,
  load: () => Promise<Hooks>,
): Pick<Store, 'recordOutcome' | 'keepRefinement'> => ({
  async recordOutcome(outcome, jobId, jobs = []) {
    const { run_id: runId, kind, version_id, mode, succeeded, failed, followed, at } = outcome;
    const flags = { succeeded: succeeded === 1, failed: failed === 1, followed: followed === 1 };
    const data = { kind, version_id, mode, ...flags };
    const told = toldTo(await load(), { name: 'playbook_outcome', persona, runId, data }, runId, at);
    return store.recordOutcome(outcome, jobId, [...jobs, ...told]);
  },
  async keepRefinement(ended) {
    const hooks = await load();
    return store.keepRefinement({
      ...ended,
      jobs(refinement) {
        const { id, run_id: runId, kind, accepted, reason, from_version, to_version, at } = refinement;
        const data = { kind, accepted: accepted === 1, reason, from_version, to_version };
        const event: HookEvent = { name: 'playbook_refined', persona, runId, data };
        return [...ended.jobs(refinement), ...toldTo(hooks, event, id, at)];
      },
    });
  },
});

const toldTo = (hooks: Hooks, event: HookEvent, about: string, now: number): readonly NewJob[] =>
  isHeard(hooks, [event.name]) ? hookJobs(hooks, event, about, now) : [];

const SELECTED = 'playbook_selected';

/** By what playbook a run works that begins with this step. */
function selectedIn({ events, lease: { runId } }: StepBatch, persona: string): readonly HookEvent[] {
  return events.flatMap((event): readonly HookEvent[] => {
    const staged = event.type === SELECTED ? readStaged(event) : null;
    if (staged?.type !== SELECTED) return [];
    const { kind, loaded, reason = null, version = null, mode, by } = staged.data;
    return [{ name: SELECTED, persona, runId, data: { kind, loaded, reason, version, mode, by } }];
  });
}
