import type { Persona } from '../../config/types.ts';
import type { WaitingNotice } from '../../record/jobs/job-kinds.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { DeferredCode, Incident } from '../../storage/types/runs.ts';

export interface OutageDeps {
  /** Whether its persona is put to rest, and no model is asked for it. */
  isPaused(personaId: string): Promise<boolean>;
  /** Whether no model answered just now; false also where somebody is finding out. */
  isDead(persona: Persona): boolean;
}

/** What mail can wait for a model for. */
export type ModelCode = Exclude<WaitingNotice['code'], 'budget'>;

/** While a persona is put to rest; its mail waits for its owner by then. */
const PAUSED_MS = 5 * 60_000;
/** While a mail finds out whether the model works again. */
const ASKED_MS = 2000;

/**
 * Whether people may be told of an outage: that it lasts, that it is over, or when to look again. What falls due after
 * a start or while nobody asks the model would else tell of one that is long over.
 */
export async function outageNow(
  deps: OutageDeps,
  persona: Persona,
  store: Pick<Store, 'incident' | 'countDeferred'>,
  { code, window }: { code: DeferredCode; window: string },
): Promise<'lasts' | 'over' | { readonly againAfterMs: number }> {
  const incident = await store.incident(code);
  if (!incident || String(incident.since) !== window) return 'over';
  if (code === 'provider_unavailable' && (await isToldAsSetup(store, incident))) return 'over';
  if (await deps.isPaused(persona.id)) return { againAfterMs: PAUSED_MS };
  // Of a single mail only its own rows tell.
  if (code === 'request_failed') return 'lasts';
  return deps.isDead(persona) ? 'lasts' : { againAfterMs: ASKED_MS };
}

/** For what a mail waits by now: of a failure that turned out to be its owner's to mend everybody is told as of one. */
export const knownAs = async (
  store: Pick<Store, 'incident' | 'countDeferred'>,
  code: ModelCode,
): Promise<ModelCode> => {
  const incident = code === 'provider_unavailable' ? await store.incident(code) : undefined;
  return incident && (await isToldAsSetup(store, incident)) ? 'provider_setup' : code;
};

/** The same failure has turned out to be one that its owner has to mend: of that people are told, and once. */
async function isToldAsSetup(
  store: Pick<Store, 'incident' | 'countDeferred'>,
  { provider, message }: Incident,
): Promise<boolean> {
  const setup = await store.incident('provider_setup');
  if (setup?.provider !== provider || setup.message !== message) return false;
  return (await store.countDeferred()).some(({ code }) => code === 'provider_setup');
}
