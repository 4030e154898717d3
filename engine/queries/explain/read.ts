import { type RunLog, readLog } from '../../record/run-log.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import type { ApprovalState } from '../../storage/types/approvals.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { QueryPorts } from '../ports.ts';
import { type Chain, chainOf } from './chain.ts';
import { rememberedIn } from './memory-sources.ts';

const OPEN = new Set(['queued', 'running', 'waiting_approval']);

/** What is on record of a run, and how one thing led to the next. */
export async function readChain(
  ports: QueryPorts,
  persona: string,
  run: StoredRun,
): Promise<{ log: RunLog; chain: Chain }> {
  const { artifacts } = personaFiles(ports.dataDir, persona);
  return ports.stores.use(persona, async (store) => {
    const log = readLog(await store.runEvents(run.id), artifacts);
    const rows = await store.toolEventsOfRuns([run.id]);
    const approvals = await store.approvalsOfRun(run.id);
    const remembered = await rememberedIn(log, store);
    return { log, chain: chainOf(log, { rows, approvals, isOver: !OPEN.has(run.status), remembered }) };
  });
}

/** A call of a child run that owners were asked about. */
export interface AskedBelow {
  readonly approval_id: string;
  readonly run_id: string;
  readonly tool: string;
  readonly state: ApprovalState;
  readonly decided_by: string | null;
}

/** What the child runs of a run, and theirs, have asked owners for; oldest first. */
export async function askedBelow(
  { stores }: QueryPorts,
  persona: string,
  log: RunLog,
  run: Pick<StoredRun, 'id'>,
): Promise<readonly AskedBelow[]> {
  if (!log.has('child_started')) return [];
  const rows = await stores.use(persona, (store) => store.approvalsBelow(run.id));
  return rows.map(({ id, run_id, tool, state, decided_by }) => ({ approval_id: id, run_id, tool, state, decided_by }));
}
