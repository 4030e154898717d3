import type { Json, Piece } from '#contract';
import { iso } from '../../lib/clock.ts';
import { piecesOf } from '../../mail/pieces/pieces-of.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { Suspension } from '../../storage/types/suspensions.ts';
import { type About, withAbout } from '../about.ts';
import type { CallLink } from '../explain/chain.ts';
import { type AskedBelow, askedBelow, readChain } from '../explain/read.ts';
import { listAcross, type Page } from '../list-across.ts';
import type { QueryPorts } from '../ports.ts';
import { type RunShape, runShape } from '../shapes.ts';
import { findRun } from './find-run.ts';

interface RunsPage {
  readonly runs: readonly (RunShape & About)[];
  readonly next: string | null;
}

export async function listRuns(ports: QueryPorts, page: Page): Promise<RunsPage> {
  const { rows, next } = await listAcross(ports, page, {
    // Of those that are done a persona has many, and the newest of all is as good.
    of: ({ newest: { run, runs } }, status) =>
      status === undefined || status === 'done' ? run : (runs[status] ?? null),
    read: async (store, wanted) => withAbout(store, await store.listRuns(wanted), ({ id }) => id),
  });
  return { runs: rows.map(({ persona, row }) => ({ ...runShape(persona, row), ...row.about })), next };
}

export interface RunWithEvents extends RunShape {
  readonly events: readonly {
    readonly seq: number;
    readonly type: string;
    readonly at: string;
    readonly data: unknown;
  }[];
  readonly decisions: readonly { readonly step: number; readonly decision: string; readonly reason: string }[];
  /** Calls that wait, or have waited, for what they began elsewhere; absent where there were none. */
  readonly suspensions?: readonly SuspensionShape[];
  /** What its child runs, and theirs, have asked owners for; absent where they have asked for nothing. */
  readonly helpers_asked?: readonly AskedBelow[];
  /** Whose words its mail was taken for, in reading order. */
  readonly pieces: readonly Piece[];
  /** What the answer could draw on: where a result came from, and what was asked for it. */
  readonly sources: readonly Source[];
}

interface SuspensionShape {
  readonly id: string;
  readonly call_id: string;
  readonly tool: string;
  readonly kind: string;
  readonly state: Suspension['state'];
  readonly due_at: string;
  readonly ended_at: string | null;
}

const suspensionShape = ({ id, call_id, tool, kind, state, due_at, ended_at }: Suspension): SuspensionShape => ({
  id,
  call_id,
  tool,
  kind,
  state,
  due_at: iso(due_at),
  ended_at: ended_at === null ? null : iso(ended_at),
});

interface Source {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly source: Json;
  readonly observed_at: string;
  readonly artifact: string | null;
  readonly ref: string | null;
}

/** Throws `not_found`. */
export async function runWithEvents(
  ports: QueryPorts,
  id: string,
): Promise<{ readonly run: RunWithEvents; readonly row: StoredRun }> {
  const { persona, row: run } = await findRun(ports, id);
  const { log, chain } = await readChain(ports, persona, run);
  const suspended = log.has('suspended')
    ? await ports.stores.use(persona, (store) => store.suspensionsOfRun(run.id))
    : [];
  const mail = await ports.stores.use(persona, (store) => store.messageById(run.message));
  const below = await askedBelow(ports, persona, log, run);
  const shown = {
    ...runShape(persona, run),
    events: log.all.map(({ seq, type, at, data }) => ({ seq, type, at: iso(at), data })),
    decisions: log.of('decision').map(({ data: { step, decision, reason } }) => ({ step, decision, reason })),
    ...(suspended.length === 0 ? {} : { suspensions: suspended.map(suspensionShape) }),
    ...(below.length === 0 ? {} : { helpers_asked: below }),
    pieces: mail ? piecesOf(mail) : [],
    sources: chain.steps.flatMap(({ calls }) => calls).flatMap(sourceOf),
  };
  return { run: shown, row: run };
}

function sourceOf({ call_id, tool, arguments: asked, observation }: CallLink): Source[] {
  if (observation === null || observation.observed_at === null) return [];
  const { source, observed_at, artifact, ref } = observation;
  return [{ call_id, tool, arguments: asked, source, observed_at, artifact, ref }];
}
