import { iso } from '../../lib/clock.ts';
import { readLog } from '../../record/run-log.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import { type ApprovalShape, listApprovals } from '../approvals.ts';
import { listReceived, type ReceivedShape } from '../mail/received.ts';
import type { QueryPorts } from '../ports.ts';
import type { RunShape } from '../shapes.ts';
import { usageOf } from '../usage.ts';
import { listRuns } from './runs.ts';

/** What one persona did within a time. */
export interface Day {
  readonly persona: string;
  readonly from: string;
  readonly to: string;
  /** Mail that came, the oldest first. */
  readonly mails: readonly ReceivedShape[];
  /** Mails and tasks that were worked on, the oldest first. */
  readonly runs: readonly (RunShape & { readonly subject: string | null; readonly from: string | null })[];
  /** What its runs changed or sent besides their answers, as their receipts have it. */
  readonly effects: readonly { readonly run_id: string; readonly act: string; readonly targets: readonly string[] }[];
  /** What owners are asked and have not decided, whenever it was asked. */
  readonly open_questions: readonly ApprovalShape[];
  readonly cost_usd: number;
}

/** More than a persona does in a day; a day with more is told by its newest. */
const MOST = 1000;

/** Throws `not_found` for a persona that there is not. */
export async function dayOf(
  ports: QueryPorts,
  persona: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Day> {
  const page = { persona, limit: MOST };
  const { mails } = await listReceived(ports, { ...page, since: from });
  const { runs: all } = await listRuns(ports, page);
  const runs = all.filter(({ created_at }) => created_at >= iso(from)).toReversed();
  const { approvals } = await listApprovals(ports, { ...page, status: 'pending' });
  const { by_persona } = await usageOf(ports, from, to);
  return {
    persona,
    from: iso(from),
    to: iso(to),
    mails: mails.toReversed(),
    runs,
    effects: ports.stores.exists(persona) ? await effectsOf(ports, persona, runs) : [],
    open_questions: approvals,
    cost_usd: by_persona.find((one) => one.persona === persona)?.cost_usd ?? 0,
  };
}

const effectsOf = ({ stores, dataDir }: QueryPorts, persona: string, runs: Day['runs']): Promise<Day['effects']> =>
  stores.use(persona, async (store) => {
    const { artifacts } = personaFiles(dataDir, persona);
    const effects: Day['effects'][number][] = [];
    for (const { id } of runs) {
      const lines = readLog(await store.runEvents(id), artifacts).first('receipt')?.data.lines ?? [];
      for (const { act, targets, state } of lines) if (state === 'done') effects.push({ run_id: id, act, targets });
    }
    return effects;
  });
