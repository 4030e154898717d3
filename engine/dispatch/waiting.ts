import type { Persona } from '../config/types.ts';
import { giveUpMsOf, type RetryTimes, waitingForModel } from '../harness/respond/park.ts';
import { nextBudgetAt } from '../models/budget-window.ts';
import type { Outages } from '../models/outages.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Waiting } from '../storage/ports/waiting.ts';
import type { DeferredCode } from '../storage/types/runs.ts';

export type Pause = 'paused' | 'stopped' | null;

export const PAUSE_CODES = { paused: 'persona_paused', stopped: 'persona_stopped' } as const;

/** Mail that comes while its persona is paused or stopped: nobody hears of it before that is over. */
export const waitingForOwner = (pause: 'paused' | 'stopped', giveUpMs: number, now: number): Waiting => ({
  code: PAUSE_CODES[pause],
  until: null,
  giveUpMs,
  tell: null,
  cause: null,
  now,
});

/** A budget that was found spent, and the limits that it was spent by. */
export interface Spent {
  readonly limits: string;
  readonly until: number;
}

export type Over =
  | { readonly kind: 'all' }
  /** The oldest finds out for all the others. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'held'; readonly until: number | null };

/** Whether what runs wait for is over. Pure. */
export function isOver(
  code: DeferredCode,
  facts: { pause: Pause; model: ReturnType<Outages['of']>; spent: Spent | undefined; limits: string; now: number },
): Over {
  const { pause, model, spent, limits, now } = facts;
  // Whoever is put to rest asks no model and spends nothing, whatever else they waited for.
  if (pause !== null) return { kind: 'held', until: null };
  switch (code) {
    case 'persona_paused':
    case 'persona_stopped':
      return { kind: 'all' };
    case 'budget':
      // Seen by this process, with these limits: it is spent until the day is over. Else it is tried once more.
      return spent && spent.limits === limits && now < spent.until
        ? { kind: 'held', until: spent.until }
        : { kind: 'all' };
    case 'provider_unavailable':
      if (model.kind === 'works') return { kind: 'all' };
      return model.kind === 'unknown' || model.until <= now ? { kind: 'probe' } : { kind: 'held', until: model.until };
  }
}

export interface Waiters {
  waiting(): ReadonlySet<string>;
  /** Called at each look at a persona, with whether anything waits; when it is to be looked at again for what still does. */
  takeUp(persona: Persona, store: Store, waits: boolean): Promise<number | null>;
  /** A run of the persona was put back for want of budget. */
  noteSpent(persona: Persona): void;
  /** What is due and not begun is put aside, while it is known that it cannot be worked. */
  putAside(persona: Persona, store: Store): Promise<void>;
  /** Keys, settings or budgets may have changed. */
  forget(): void;
}

/** Takes up runs whose waiting is over, and puts those aside that need not be begun while it is not. */
export function createWaiters(deps: {
  outages: Outages;
  pauseOf(personaId: string): Promise<Pause>;
  chainOf(persona: Persona): string;
  retryOf(persona: Persona): RetryTimes;
  /** How long one run may ask a model. */
  probeMs(): number;
  now(): number;
  pass(point: 'deferred.taken_up'): void;
}): Waiters {
  const { outages, now } = deps;
  /** Personas with runs that wait, as far as this process has looked: whom to look at again when something changes. */
  const waiting = new Set<string>();
  const spent = new Map<string, Spent>();
  const limitsOf = ({ budget, timezone }: Persona) => JSON.stringify([budget, timezone]);

  async function takeUp(persona: Persona, store: Store, waits: boolean): Promise<number | null> {
    const codes = waits ? await store.deferredCodes() : [];
    if (codes.length === 0) {
      waiting.delete(persona.id);
      return null;
    }
    waiting.add(persona.id);
    const pause = await deps.pauseOf(persona.id);
    const untils: (number | null)[] = [];
    for (const { code } of codes) untils.push(await takeUpOf(code, pause, persona, store));
    const known = untils.filter((until) => until !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** When to look again at what waits for this; null where it is taken up, or somebody has to end it. */
  async function takeUpOf(code: DeferredCode, pause: Pause, persona: Persona, store: Store): Promise<number | null> {
    const chain = deps.chainOf(persona);
    const model = outages.of(chain, now());
    const over = isOver(code, {
      ...{ pause, model, spent: spent.get(persona.id), limits: limitsOf(persona), now: now() },
    });
    if (over.kind === 'held') return over.until;
    if (over.kind === 'probe' && !outages.takeProbe(chain, now(), deps.probeMs())) {
      return model.kind === 'down' ? model.until : now();
    }
    await store.takeUp(code, over.kind === 'probe' ? 1 : null);
    deps.pass('deferred.taken_up');
    return null;
  }

  return {
    waiting: () => waiting,
    takeUp,
    noteSpent(persona: Persona): void {
      spent.set(persona.id, { limits: limitsOf(persona), until: nextBudgetAt(now(), persona.timezone) });
    },
    async putAside(persona: Persona, store: Store): Promise<void> {
      const pause = await deps.pauseOf(persona.id);
      const retry = deps.retryOf(persona);
      if (pause !== null) {
        await store.deferUnbegun(waitingForOwner(pause, giveUpMsOf(retry), now()), { onlyNew: false });
        return;
      }
      const model = outages.of(deps.chainOf(persona), now());
      if (model.kind !== 'down') return;
      const { cause, until } = model;
      // One that has waited before asks in the others' place.
      await store.deferUnbegun(waitingForModel({ cause, until, now: now() }, retry), { onlyNew: true });
    },
    forget(): void {
      outages.forget();
      spent.clear();
    },
  };
}
