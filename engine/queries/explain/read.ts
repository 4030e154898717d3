import { type RunLog, readLog } from '../../record/run-log.ts';
import { personaFiles } from '../../storage/persona-files.ts';
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
