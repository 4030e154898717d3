import type { Persona } from '../config/types.ts';
import { giveUpMsOf, type RetryTimes, waitingForModel } from '../harness/respond/park.ts';
import { nextBudgetAt } from '../models/budget-window.ts';
import type { Outages } from '../models/outages.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Waiting } from '../storage/ports/waiting.ts';
import type { Pause } from '../storage/types/gateway.ts';
import type { DeferredCode } from '../storage/types/runs.ts';

const PAUSE_CODES = { paused: 'persona_paused', stopped: 'persona_stopped' } as const;

/** Mail that comes while its persona is paused or stopped: nobody hears of it before that is over. */
export const waitingForOwner = (pause: NonNullable<Pause>, giveUpMs: number, now: number): Waiting => ({
  code: PAUSE_CODES[pause],
  until: null,
  giveUpMs,
  tell: null,
  cause: null,
  now,
});

/** A budget that was found spent, and the limits that it was spent by. */
interface Spent {
  readonly limits: string;
  readonly until: number;
}

type Over =
  | { readonly kind: 'all' }
  /** The oldest finds out for all the others, but not one that has just failed, where there is another. */
  | { readonly kind: 'probe' }
  /** Each for itself, when its time has come. */
  | { readonly kind: 'due' }
  | { readonly kind: 'held'; readonly until: number | null };

/** Whether what runs wait for is over. Pure. */
function isOver(
  code: DeferredCode,
  facts: { pause: Pause; model: ReturnType<Outages['of']>; spent: Spent | undefined; limits: string; now: number },
): Over {
  const { pause, model, spent, limits, now } = facts;
  // When its turn comes it is put aside like other mail, where its persona is paused.
  if (code === 'sender_rate_limited') return { kind: 'due' };
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
    case 'request_failed':
      return { kind: 'due' };
    case 'provider_setup':
    case 'provider_unavailable':
      if (model.kind === 'works') return { kind: 'all' };
      return model.kind === 'unknown' || model.until <= now ? { kind: 'probe' } : { kind: 'held', until: model.until };
  }
}

/** For so long a persona leaves it to another one to ask. */
const YIELD_MS = 1000;

interface Asking {
  readonly chain: string;
  readonly code: DeferredCode;
  /** The run that failed last. */
  readonly last: string;
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
  /** Personas with runs that wait, and for which models, as far as this process has looked: whom to look at again. */
  const waiting = new Map<string, string>();
  /** Those of which something may have been mended since they were looked at: also what waits for itself is tried. */
  const mended = new Set<string>();
  /** By chain: the run whose turn to ask was left to others. */
  const yielded = new Map<string, string>();
  const spent = new Map<string, Spent>();
  /** By persona: the runs of an hour by which mail was given its turn. */
  const turnsBy = new Map<string, number | null>();
  const limitsOf = ({ budget, timezone }: Persona) => JSON.stringify([budget, timezone]);

  async function takeUp(persona: Persona, store: Store, waits: boolean): Promise<number | null> {
    const codes = waits ? await store.deferredCodes() : [];
    if (codes.length === 0) {
      waiting.delete(persona.id);
      turnsBy.delete(persona.id);
      mended.delete(persona.id);
      return null;
    }
    waiting.set(persona.id, deps.chainOf(persona));
    const pause = await deps.pauseOf(persona.id);
    const untils: (number | null)[] = [];
    for (const { code, until } of codes) untils.push(await takeUpOf({ code, until, pause, persona, store }));
    mended.delete(persona.id);
    const known = untils.filter((until) => until !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** When to look again at what waits for this; null where it is taken up, or somebody has to end it. */
  async function takeUpOf(look: {
    code: DeferredCode;
    until: number | null;
    pause: Pause;
    persona: Persona;
    store: Store;
  }): Promise<number | null> {
    const { code, pause, persona, store } = look;
    const chain = deps.chainOf(persona);
    const model = outages.of(chain, now());
    const over = isOver(code, {
      pause,
      model,
      spent: spent.get(persona.id),
      limits: limitsOf(persona),
      now: now(),
    });
    if (over.kind === 'held') return over.until;
    if (over.kind === 'due') return takeUpDue(look);
    const last = model.kind === 'down' ? model.failedRun : '';
    if (over.kind === 'probe') return askWithOne(store, persona, { chain, code, last });
    await store.takeUp(code, { kind: 'all' });
    deps.pass('deferred.taken_up');
    return null;
  }

  /** Each for itself, when its time has come, or at once where something may have been mended for it. */
  async function takeUpDue({ code, until, persona, store }: Parameters<typeof takeUpOf>[0]): Promise<number | null> {
    const isInTurn = code === 'sender_rate_limited';
    const isMended = !isInTurn && mended.has(persona.id);
    const first = isInTurn ? await firstTurn(persona, store, until) : until;
    if (!isMended && first !== null && first > now()) return first;
    await store.takeUp(code, isMended ? { kind: 'all' } : { kind: 'due', now: now() });
    if (isMended) deps.pass('deferred.taken_up');
    return null;
  }

  /** A limit that is another one than when they came gives them other turns. */
  async function firstTurn({ id, budget }: Persona, store: Store, until: number | null): Promise<number | null> {
    const runsPerHour = budget.runs_per_sender_per_hour;
    if (turnsBy.has(id) && turnsBy.get(id) === runsPerHour) return until;
    turnsBy.set(id, runsPerHour);
    return store.respread({ runsPerHour, now: now() });
  }

  /** One of them asks for all; when to look again, where that is left to others. */
  async function askWithOne(store: Store, persona: Persona, asking: Asking): Promise<number | null> {
    const { chain, code, last } = asking;
    // All of it is behind earlier mail of its threads, which waits for something else; the persona is looked at after that.
    if (!(await store.hasOneToTakeUp(code))) return null;
    const later = await askLater(store, persona, asking);
    if (later !== null) return later;
    // Mail that is worked as of just now may have come before it: then whoever else waits may ask.
    if ((await store.takeUp(code, { kind: 'one', last })) === 0) outages.refused(chain, now());
    deps.pass('deferred.taken_up');
    return null;
  }

  /** When to look again, where somebody else asks for all; null: one of these mails does. */
  async function askLater(store: Store, persona: Persona, asking: Asking): Promise<number | null> {
    if (await isLeftToOthers(store, persona, asking)) return now() + YIELD_MS;
    if (outages.takeProbe(asking.chain, now(), deps.probeMs())) return null;
    const model = outages.of(asking.chain, now());
    return model.kind === 'down' ? model.until : now();
  }

  /** All that waits here has just failed, and mail of another persona that waits for the same may ask instead. */
  async function isLeftToOthers(store: Store, { id }: Persona, { chain, code, last }: Asking): Promise<boolean> {
    if (last === '' || ![...waiting].some(([other, theirs]) => other !== id && theirs === chain)) return false;
    if ((yielded.get(chain) ?? '') === last) return false;
    const mails = await store.waitingMails({ limit: 2 });
    const isAlone = mails.every((mail) => mail.run_id === last || mail.code !== code);
    // Once for each failure: the other one may be paused, or gone.
    if (isAlone) yielded.set(chain, last);
    return isAlone;
  }

  return {
    waiting: () => new Set(waiting.keys()),
    takeUp,
    noteSpent(persona: Persona): void {
      spent.set(persona.id, { limits: limitsOf(persona), until: nextBudgetAt(now(), persona.timezone) });
    },
    async putAside(persona: Persona, store: Store): Promise<void> {
      const pause = await deps.pauseOf(persona.id);
      if (pause !== null) {
        const giveUpMs = giveUpMsOf(deps.retryOf(persona));
        await store.deferUnbegun(waitingForOwner(pause, giveUpMs, now()), { onlyNew: false });
        return;
      }
      const model = outages.of(deps.chainOf(persona), now());
      if (model.kind !== 'down' || model.inDoubt) return;
      const { cause, until } = model;
      const code = cause.whose === 'setup' ? 'provider_setup' : 'provider_unavailable';
      // One that has waited before asks in the others' place.
      const put = waitingForModel({ code, cause, until, now: now() }, deps.retryOf(persona));
      await store.deferUnbegun(put, { onlyNew: true });
    },
    forget(): void {
      for (const id of waiting.keys()) mended.add(id);
      yielded.clear();
      spent.clear();
      outages.forget();
    },
  };
}
