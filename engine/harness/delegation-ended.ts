import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import { BY_DELEGATION, CONTEXT_DENIED } from '../policy/delegated.ts';
import { delegationEnded } from '../record/jobs/job-kinds.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';
import { type RunLog, readLog } from '../record/run-log.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import { ownEvent } from '../storage/types/runs.ts';
import type { Suspension } from '../storage/types/suspensions.ts';
import { childOf } from '../suspensions/kinds.ts';
import type { OutsideOutcome } from '../suspensions/outside.ts';

/** Brings what a child run has come to, to the call of its parent that waits for it: once, whoever ended it. */
export function createDelegationEnded(deps: {
  filesOf(personaId: string): Pick<PersonaFiles, 'artifacts'>;
  readonly announce: Announce;
  readonly clock: Clock;
  readonly pass: PassCrashPoint;
}): JobHandler {
  return handleJobs(delegationEnded, async (persona, job, store) => {
    const child = await store.loadRun(job.payload.run_id);
    const row = child && (await waitFor(store, child));
    if (!row) return store.endJob(job.id);
    const { artifacts } = deps.filesOf(persona.id);
    const log = readLog(child.events, artifacts);
    const { outcome, tainted } = await outcomeOf(store, child);
    const { id, cost_usd, outcome: ended } = child.run;
    const told = { child_run_id: id, outcome: ended ?? '', tainted, cost_usd, denied: deniedIn(log) };
    const now = deps.clock.now();
    const end = { id: row.id, state: 'resolved', result: { ...outcome }, by: id, now } as const;
    const also = [ownEvent('child_ended', told)];
    const isEnded = await deps.announce(persona.id, now, () => store.endSuspension({ ...end, also }, job.id));
    if (isEnded) deps.pass('run.event.child_ended');
  });
}

async function waitFor(store: Store, { run }: LoadedRun): Promise<Suspension | undefined> {
  if (run.parent_run_id === null) return undefined;
  const rows = await store.suspensionsOfRun(run.parent_run_id);
  return rows.find(
    ({ state, kind, payload }) => state === 'open' && kind === 'delegation' && childOf(payload) === run.id,
  );
}

async function outcomeOf(store: Store, { run }: LoadedRun): Promise<{ outcome: OutsideOutcome; tainted: boolean }> {
  const messages = await store.threadMessages(run.thread_id, 10);
  const written = messages.find((message) => message.direction === 'out' && message.run_id === run.id);
  const answer = written?.text ?? '';
  const tainted = written?.clean !== 1;
  if (run.status === 'done' && answer.trim() !== '')
    return { outcome: { ok: true, result: { answer, complete: run.outcome === 'final', tainted } }, tainted };
  const message = `the child run gave no answer (${run.code ?? run.outcome ?? run.status}); this part is open`;
  return { outcome: { ok: false, error: { code: 'tool_failed', message } }, tainted };
}

/** What it asked for and may not see, by the names of the tools. */
function deniedIn(log: RunLog): string[] {
  const refused = log.of('permission').filter(({ data }) => data.by === BY_DELEGATION);
  const hidden = log.of('observation').filter(({ data }) => !data.ok && data.content.includes(CONTEXT_DENIED));
  return [...new Set([...refused, ...hidden].map(({ data }) => data.tool))];
}
