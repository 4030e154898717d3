import type { Announce } from '../record/jobs/jobs.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Store, Stores } from '../storage/ports/store.ts';

interface PausePorts {
  readonly gateway: Pick<GatewayStore, 'setPaused'>;
  readonly stores: Pick<Stores, 'exists' | 'use'>;
}

/** Lets the persona's mail wait from now on. */
export async function pausePersona({ gateway }: PausePorts, personaId: string): Promise<void> {
  await gateway.setPaused(personaId, 'paused');
}

/** Lets the persona answer its mail again; returns how many mails waited for that. */
export async function resumePersona(
  { gateway, stores, announce }: PausePorts & { readonly announce: Announce },
  personaId: string,
  now: number,
): Promise<number> {
  const waited = stores.exists(personaId) ? await stores.use(personaId, waitingForResume) : 0;
  await gateway.setPaused(personaId, null);
  // What waited is committed already; the announcement only has it looked at.
  await announce(personaId, now, async () => {});
  return waited;
}

/** Mails that nobody has begun to answer, since their persona was paused or stopped. */
export async function waitingForResume(store: Pick<Store, 'countDeferred'>): Promise<number> {
  const waiting = await store.countDeferred();
  return waiting
    .filter(({ code }) => code === 'persona_paused' || code === 'persona_stopped')
    .reduce((sum, { count }) => sum + count, 0);
}
