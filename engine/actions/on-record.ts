import type { LiveConfig } from '../config/live/live.ts';
import { addressesOfOwners } from '../config/owners.ts';
import type { Persona } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Store, Stores } from '../storage/ports/store.ts';
import type { AuditRecord } from '../storage/types/approvals.ts';

type Known = Pick<LiveConfig, 'current' | 'personas'>;

/**
 * In whose record stands what was done to the gateway: the persona that is meant, else one that the owners of the gateway have for
 * themselves, else one that one of them has, else any; null: none works.
 */
export function recordKeeper(live: Known, meant: string | null): Persona | null {
  const owners = addressesOfOwners(live.current().security.owners);
  const isOurs = (owner: string): boolean => owners.includes(owner);
  let found: { readonly persona: Persona; readonly worth: number } | null = null;
  for (const entry of live.personas().all()) {
    if (entry.state !== 'ready') continue;
    if (entry.id === meant) return entry.persona;
    const { owners: own } = entry.persona;
    const worth = own.length > 0 && own.every(isOurs) ? 2 : own.some(isOurs) ? 1 : 0;
    if (found === null || worth > found.worth) found = { persona: entry.persona, worth };
  }
  return found?.persona ?? null;
}

/** The row of what somebody did by hand: it is about no question and no call. Pure. */
export const rowOf = (
  done: Pick<AuditRecord, 'id' | 'at' | 'actor' | 'event' | 'detail'> &
    Partial<Pick<AuditRecord, 'run_id' | 'decision'>>,
): AuditRecord => ({ run_id: null, approval_id: null, tool: null, decision: null, ...done });

interface RecordPorts {
  readonly live: Known;
  readonly gateway: Pick<GatewayStore, 'addGatewayAudit'>;
  readonly stores: Stores;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** Puts on record who did something to the gateway that belongs to no run; in its own record where no persona works. */
export async function putOnRecord(
  { live, gateway, stores, ids, clock }: RecordPorts,
  {
    persona: meant,
    ...done
  }: Pick<AuditRecord, 'actor' | 'event' | 'detail'> & {
    /** Whose mail it was; null: nobody's. */
    readonly persona: string | null;
  },
): Promise<void> {
  const persona = recordKeeper(live, meant);
  const row = { ...done, id: ids.next(), at: clock.now() };
  if (persona === null) return gateway.addGatewayAudit(ofGateway(row));
  await stores.use(persona.id, (store) => store.auditOnce(rowOf(row)));
}

/** The same row where it belongs to no persona. Pure. */
const ofGateway = ({
  id,
  at,
  actor,
  event,
  detail,
}: Pick<AuditRecord, 'id' | 'at' | 'actor' | 'event' | 'detail'>) => ({
  id,
  at,
  actor,
  event,
  decision: null,
  detail: { ...detail, address: null },
});

interface RowPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
}

interface Act {
  /** An address, or `cli`. */
  readonly by: string;
  readonly event:
    | 'mail_taken_in'
    | 'run_cancelled'
    | 'run_retried'
    | 'thread_private'
    | 'forgotten'
    | 'budget_set'
    | 'budget_not_set'
    | 'persona_paused'
    | 'persona_resumed'
    | 'persona_not_paused'
    | 'persona_not_resumed'
    | 'mail_sent_again'
    | 'mail_given_up';
  readonly runId?: string;
  readonly detail?: AuditRecord['detail'];
}

/** The row of what somebody did here that no other row says. It is written with the act: beside it, a crash leaves what nobody did. */
export const actRow = ({ clock, ids }: RowPorts, { by, event, runId, detail = {} }: Act): AuditRecord =>
  rowOf({ id: ids.next(), at: clock.now(), actor: by, event, run_id: runId ?? null, detail });

/** Puts it into the log of the persona by itself: what is done is somewhere else than in its database. */
export const onRecord = (ports: RowPorts, store: Pick<Store, 'auditOnce'>, act: Act): Promise<void> =>
  store.auditOnce(actRow(ports, act));

/**
 * Writes a file once it is on record: a process that dies in between leaves somebody named for what was not done, never something
 * that nobody did. What could not be written is on record as well, and why is thrown.
 */
export async function recordFirst(
  tell: (became: 'done' | 'not_done') => Promise<void>,
  write: () => void,
): Promise<void> {
  await tell('done');
  try {
    write();
  } catch (error) {
    await tell('not_done');
    throw error;
  }
}
