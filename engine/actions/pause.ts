import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Store, Stores } from '../storage/ports/store.ts';
import type { Pause } from '../storage/types/gateway.ts';
import { onRecord } from './on-record.ts';

interface PausePorts {
  readonly gateway: Pick<GatewayStore, 'pauseOf' | 'setPaused'>;
  readonly stores: Pick<Stores, 'exists' | 'use'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

interface Wanted {
  readonly personaId: string;
  /** An owner's address, or `cli`. */
  readonly by: string;
}

type Found = NonNullable<Pause> | 'on';

/**
 * Lets the persona's mail wait from now on. A persona that is at rest already stays as it is, and how comes back: a pause in the
 * place of a STOP would let mail leave that the STOP holds back.
 */
export async function pausePersona(ports: PausePorts, wanted: Wanted): Promise<'done' | Found> {
  const found = await ports.gateway.pauseOf(wanted.personaId);
  return found ?? (await switchTo(ports, wanted, { from: null, to: 'paused' }));
}

/**
 * Lets the persona answer its mail again; returns how many mails waited for that. `shown`: how it is at rest as far as whoever
 * asks for it knows; absent: as it is. Where it is not so by now, nothing is changed, and how it is comes back.
 */
export async function resumePersona(
  ports: PausePorts & { readonly announce: Announce },
  wanted: Wanted & { readonly shown?: string | null },
): Promise<number | Found> {
  const { gateway, stores, clock, announce } = ports;
  const { personaId } = wanted;
  const found = await gateway.pauseOf(personaId);
  if (found === null) return 'on';
  if (wanted.shown !== undefined && wanted.shown !== found) return found;
  const waited = stores.exists(personaId) ? await stores.use(personaId, waitingForResume) : 0;
  // What waited is committed already; the announcement only has it looked at.
  const became = await announce(personaId, clock.now(), () => switchTo(ports, wanted, { from: found, to: null }));
  return became === 'done' ? waited : became;
}

/**
 * The record of who it was is in another database than the switch, and comes first: a process that dies in between leaves
 * somebody named for what was not done, never something that nobody did.
 */
async function switchTo(
  ports: PausePorts,
  { personaId, by }: Wanted,
  { from, to }: { readonly from: Pause; readonly to: Pause },
): Promise<'done' | Found> {
  const { gateway, stores } = ports;
  const tell = (event: 'persona_paused' | 'persona_resumed' | 'persona_not_paused' | 'persona_not_resumed') =>
    stores.use(personaId, (store) => onRecord(ports, store, { by, event }));
  await tell(to === null ? 'persona_resumed' : 'persona_paused');
  if (await gateway.setPaused(personaId, to, from)) return 'done';
  await tell(to === null ? 'persona_not_resumed' : 'persona_not_paused');
  return (await gateway.pauseOf(personaId)) ?? 'on';
}

/** Mails that nobody has begun to answer, since their persona was paused or stopped. */
export async function waitingForResume(store: Pick<Store, 'countDeferred'>): Promise<number> {
  const waiting = await store.countDeferred();
  return waiting
    .filter(({ code }) => code === 'persona_paused' || code === 'persona_stopped')
    .reduce((sum, { count }) => sum + count, 0);
}
