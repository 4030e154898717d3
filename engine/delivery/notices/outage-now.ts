import type { Persona } from '../../config/types.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { DeferredCode } from '../../storage/types/runs.ts';

export interface OutageDeps {
  /** Whether its persona is put to rest, and no model is asked for it. */
  isPaused(personaId: string): Promise<boolean>;
  /** Whether no model answered just now; false also where somebody is finding out. */
  isDead(persona: Persona): boolean;
}

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
  store: Pick<Store, 'incident'>,
  { code, window }: { code: DeferredCode; window: string },
): Promise<'lasts' | 'over' | { readonly againAfterMs: number }> {
  const incident = await store.incident(code);
  if (!incident || String(incident.since) !== window) return 'over';
  if (await deps.isPaused(persona.id)) return { againAfterMs: PAUSED_MS };
  // Of a single mail only its own rows tell.
  if (code === 'request_failed') return 'lasts';
  return deps.isDead(persona) ? 'lasts' : { againAfterMs: ASKED_MS };
}
