import { payloadOf } from '../../record/recorder.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { QueryPorts } from '../ports.ts';
import { type Chain, chainOf, type Fields, type Recorded } from './chain.ts';

const OPEN = new Set(['queued', 'running', 'waiting_approval']);

/** What is on record of a run, and how one thing led to the next. */
export async function readChain(
  ports: QueryPorts,
  persona: string,
  run: StoredRun,
): Promise<{ events: readonly Recorded[]; chain: Chain }> {
  const { artifacts } = personaFiles(ports.dataDir, persona);
  return ports.stores.use(persona, async (store) => {
    const events = (await store.runEvents(run.id)).map(
      ({ seq, type, at, payload_json }): Recorded => ({
        seq,
        type,
        at,
        data: payloadOf(payload_json, artifacts) as Fields,
      }),
    );
    const rows = await store.toolEventsOfRuns([run.id]);
    const approvals = await store.approvalsOfRun(run.id);
    return { events, chain: chainOf(events, { rows, approvals, isOver: !OPEN.has(run.status) }) };
  });
}
