import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Store, Stores } from '../storage/ports/store.ts';
import { onRecord } from './on-record.ts';

interface PausePorts {
  readonly gateway: Pick<GatewayStore, 'setPaused'>;
  readonly stores: Pick<Stores, 'exists' | 'use'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

interface Wanted {
  readonly personaId: string;
  /** An owner's address, or `cli`. */
  readonly by: string;
}

/** Lets the persona's mail wait from now on. */
export async function pausePersona(ports: PausePorts, wanted: Wanted): Promise<void> {
  await ports.gateway.setPaused(wanted.personaId, 'paused');
  await tell(ports, wanted, 'persona_paused');
}

/** Lets the persona answer its mail again; returns how many mails waited for that. */
export async function resumePersona(
  ports: PausePorts & { readonly announce: Announce },
  wanted: Wanted,
): Promise<number> {
  const { gateway, stores, clock, announce } = ports;
  const { personaId } = wanted;
  const waited = stores.exists(personaId) ? await stores.use(personaId, waitingForResume) : 0;
  await gateway.setPaused(personaId, null);
  // What waited is committed already; the announcement only has it looked at.
  await announce(personaId, clock.now(), () => tell(ports, wanted, 'persona_resumed'));
  return waited;
}

/** Who it was stands in the persona's own log; whether it is paused is a row elsewhere. */
const tell = (
  { stores, clock, ids }: PausePorts,
  { personaId, by }: Wanted,
  event: 'persona_paused' | 'persona_resumed',
): Promise<void> => stores.use(personaId, (store) => onRecord({ clock, ids }, store, { by, event }));

/** Mails that nobody has begun to answer, since their persona was paused or stopped. */
export async function waitingForResume(store: Pick<Store, 'countDeferred'>): Promise<number> {
  const waiting = await store.countDeferred();
  return waiting
    .filter(({ code }) => code === 'persona_paused' || code === 'persona_stopped')
    .reduce((sum, { count }) => sum + count, 0);
}
