import { EngineError, type GenerateRequest } from '#contract';
import { FEATURES } from '../../features/features.ts';
import { replayRun } from '../../harness/replay/replay.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import type { QueryPorts } from '../ports.ts';
import { findRunOfAnything } from './find-run.ts';

export interface RecordedRequest {
  /** 1 is the run's first call to a model. */
  readonly call: number;
  readonly request: GenerateRequest;
}

export interface RunPrompts {
  readonly run_id: string;
  readonly persona: string;
  /** What differs from the record, so that nobody may believe this; null: it is what was sent. */
  readonly difference: string | null;
  readonly asked: readonly RecordedRequest[];
}

/** What models were given in a run, rebuilt from what is on record as the loop built it then. Throws `not_found`. */
export async function promptsOf(ports: QueryPorts, id: string, wanted: number | null): Promise<RunPrompts> {
  const { persona, row: run } = await findRunOfAnything(ports, id);
  const { artifacts } = personaFiles(ports.dataDir, persona);
  const asked: RecordedRequest[] = [];
  // Each request is held against the hash of what was sent.
  const difference = await ports.stores.use(persona, async (store) => {
    const loaded = await store.loadRun(run.id);
    if (!loaded) throw new EngineError('not_found', `no run has the id ${run.id}`);
    const { difference: found } = await replayRun({
      loaded,
      store,
      parts: FEATURES.parts,
      artifacts,
      answer: null,
      recursionSecret: '',
      log: ports.log,
      requested: (number, request) => asked.push({ call: number, request }),
    });
    // What comes behind the last request made no difference to any.
    const last = loaded.events.findLast(({ type }) => type === 'model_call_started')?.seq ?? 0;
    return found !== null && (found.seq ?? 0) <= last ? found.what : null;
  });
  const chosen = asked.filter(({ call }) => wanted === null || call === wanted);
  if (chosen.length > 0) return { run_id: run.id, persona, difference, asked: chosen };
  throw new EngineError(
    'not_found',
    `run ${run.id} has ${wanted === null ? 'no model call' : `no call ${wanted}`} on record`,
  );
}
