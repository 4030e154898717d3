import type { Log } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { NextDue } from '../storage/ports/runs.ts';
import type { Store, Stores } from '../storage/ports/store.ts';
import type { Holder } from '../storage/types/leases.ts';
import type { Claimed, QueueCheck, WorkQueue } from './work-queue.ts';

/** Does one unit of claimed work and settles it. */
export type Work = (store: Store, signal: AbortSignal) => Promise<void>;

/** One kind of work in a persona's database. A lane is a file and its place among the lanes of the gateway. */
export interface Lane {
  /** For the log. */
  readonly name: string;
  limits(): { readonly total: number; readonly perPersona: number };
  /** When its rows next want a worker, in ms; null: not before something new is announced. `due` was read in one go. */
  nextDueAt(due: NextDue, store: Store): number | null | Promise<number | null>;
  /** Leases up to `limit` units of work that are due, in one commit. */
  claim(personaId: string, store: Store, limit: number): Promise<readonly Work[]>;
  /**
   * Called at each check: makes the rows due whose wait is over. Resolves with the time of the next check of those that still wait.
   * `waits`: whether there are any.
   */
  takeUp?(personaId: string, store: Store, waits: boolean): Promise<number | null>;
  /** Whether some due work is held back until other work of this lane has ended. */
  isHolding?(): boolean;
  /** Whether none of the persona's rows may be worked. Whoever changes that announces the persona. */
  isHeld?(personaId: string): Promise<boolean>;
}

/**
 * Hands due work to lanes. The queue says which personas may have work; a check of one asks its database what is due,
 * has each lane lease what there is room for, and begins that. The end of a piece of work wakes its persona again.
 *
 *   queue.claim ─► wake ─► checkPersona ─► lane.claim ─► work ─► wake
 *                               └─► queue.settle, or queue.extend while something is left
 *
 * The phases of a persona stand below `createDispatcher`. Work that is under way is counted beside them: a persona can be
 * checked while it works.
 */
export interface Dispatcher {
  start(): void;
  /** There may be work for this persona. Cheap; called after every commit that makes some. */
  wake(personaId: string): void;
  /** Stops claiming and waits for what is under way, `graceMs` at most; then aborts it. */
  stop(graceMs: number): Promise<void>;
  /** Resolves when nothing is under way and nothing is due now. */
  idle(): Promise<void>;
}

/** How long a wakeup that another process wrote, or a due time, may go unnoticed. */
const POLL_MS = 200;

/** What the dispatcher knows of one persona; none for one that is idle and has nothing under way. */
interface PersonaRecord {
  phase: DispatcherPhase;
  /** What the next check settles; null when the persona was woken from within. */
  claimed: Claimed | null;
  /** Work under way, by lane. */
  readonly running: Map<Lane, number>;
}

interface LaneRecord {
  /** Work under way, of all personas. */
  running: number;
  /** Personas with more work than there was room for. */
  readonly crowded: Set<string>;
}

interface DispatcherDeps {
  readonly queue: Pick<WorkQueue, 'claim' | 'extend' | 'settle' | 'release'>;
  readonly stores: Stores;
  readonly lanes: readonly Lane[];
  /** This process, as leases name it. */
  readonly holder: Holder;
  readonly clock: Clock;
  readonly log: Log;
  readonly pass: PassCrashPoint;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { queue, stores, lanes, clock, log, pass } = deps;
  const personas = new Map<string, PersonaRecord>();
  const byLane = new Map<Lane, LaneRecord>(lanes.map((lane) => [lane, { running: 0, crowded: new Set() }]));
  const workInFlight = new Set<Promise<void>>();
  /** Checks and polls; they must be over before somebody closes the databases. */
  const checksInFlight = new Set<Promise<void>>();
  const abort = new AbortController();
  const state = { started: false, stopped: false, pumping: false, timer: undefined as NodeJS.Timeout | undefined };
  let onIdle: (() => void)[] = [];

  const recordOf = (personaId: string): PersonaRecord => {
    const known = personas.get(personaId);
    if (known) return known;
    const fresh: PersonaRecord = { phase: 'idle', claimed: null, running: new Map() };
    personas.set(personaId, fresh);
    return fresh;
  };
  const forgetIdle = (personaId: string): void => {
    const { phase, running } = recordOf(personaId);
    if (phase === 'idle' && running.size === 0) personas.delete(personaId);
    if (personas.size > 0) return;
    const waiting = onIdle;
    onIdle = [];
    for (const resolve of waiting) resolve();
  };
  const laneRecord = (lane: Lane): LaneRecord => byLane.get(lane) ?? { running: 0, crowded: new Set() };

  const count = (lane: Lane, personaId: string, by: number): void => {
    const { running } = recordOf(personaId);
    laneRecord(lane).running += by;
    const mine = (running.get(lane) ?? 0) + by;
    if (mine === 0) running.delete(lane);
    else running.set(lane, mine);
  };
  const roomIn = (lane: Lane, personaId: string): number => {
    const { total, perPersona } = lane.limits();
    return Math.min(total - laneRecord(lane).running, perPersona - (recordOf(personaId).running.get(lane) ?? 0));
  };
  const wakeCrowded = (lane: Lane): void => {
    const { crowded } = laneRecord(lane);
    for (const personaId of crowded) wake(personaId);
    crowded.clear();
  };

  const track = (promises: Set<Promise<void>>, work: Promise<void>): void => {
    const tracked = work.finally(() => promises.delete(tracked));
    promises.add(tracked);
  };

  const begin = (lane: Lane, personaId: string, work: Work): void => {
    const done = stores
      .use(personaId, (store) => work(store, abort.signal))
      .catch((error: unknown) =>
        log.error({ persona: personaId, lane: lane.name, error: String(error) }, 'work failed'),
      )
      .finally(() => {
        count(lane, personaId, -1);
        wake(personaId);
        wakeCrowded(lane);
        forgetIdle(personaId);
      });
    track(workInFlight, done);
  };

  /** Claims all that is due and that there is room for. */
  const drain = async (lane: Lane, personaId: string, store: Store): Promise<void> => {
    const { crowded } = laneRecord(lane);
    const room = roomIn(lane, personaId);
    if (room <= 0) {
      crowded.add(personaId);
      return;
    }
    // Counted before the claim: while it waits for the database, others must not take the same room.
    count(lane, personaId, room);
    const claimed = await lane.claim(personaId, store, room).catch((error: unknown) => {
      count(lane, personaId, -room);
      throw error;
    });
    count(lane, personaId, claimed.length - room);
    if (claimed.length < room) wakeCrowded(lane);
    if (claimed.length === room || lane.isHolding?.()) crowded.add(personaId);
    if (claimed.length > 0) pass('dispatch.claimed');
    for (const work of claimed) begin(lane, personaId, work);
  };

  /** When each lane next wants a worker for the persona. */
  const dueTimes = async (personaId: string, store: Store): Promise<ReadonlyMap<Lane, number>> => {
    // One question for all lanes: most have nothing to do.
    const before = await store.nextDue(deps.holder);
    const checkAgain = new Map<Lane, number>();
    for (const lane of lanes) {
      const at = await lane.takeUp?.(personaId, store, before.waits);
      if (at !== undefined && at !== null) checkAgain.set(lane, at);
    }
    const due = before.waits ? await store.nextDue(deps.holder) : before;
    const times = new Map<Lane, number>();
    for (const lane of lanes) {
      const own = await lane.nextDueAt(due, store);
      // A held lane may stay due for weeks. Skip it: whoever ends that announces the persona.
      const isSkipped = own !== null && own <= clock.now() && (await lane.isHeld?.(personaId)) === true;
      const known = [isSkipped ? null : own, checkAgain.get(lane) ?? null].filter((at) => at !== null);
      if (known.length > 0) times.set(lane, Math.min(...known));
    }
    return times;
  };

  const checkPersona = async (check: QueueCheck, store: Store): Promise<void> => {
    const times = await dueTimes(check.personaId, store);
    const now = clock.now();
    const due = lanes.filter((lane) => (times.get(lane) ?? Number.POSITIVE_INFINITY) <= now);
    for (const lane of due) if (!state.stopped) await drain(lane, check.personaId, store);
    if (state.stopped) return;
    if (due.length > 0) await queue.extend(check);
    else await queue.settle(check, times.size === 0 ? null : Math.min(...times.values()));
  };

  const check = async (personaId: string): Promise<void> => {
    const record = recordOf(personaId);
    record.phase = nextPhase(record.phase, 'begun');
    const checked: QueueCheck = { personaId, claimed: record.claimed };
    record.claimed = null;
    try {
      await stores.use(personaId, (store) => checkPersona(checked, store));
    } catch (error) {
      log.error({ persona: personaId, error: String(error) }, 'a persona could not be served; it is tried again');
      queue.release(checked);
    } finally {
      record.phase = nextPhase(record.phase, 'ended');
      if (record.phase === 'woken') pumpSoon();
      forgetIdle(personaId);
    }
  };

  const pump = (): void => {
    state.pumping = false;
    if (state.stopped) return;
    for (const [personaId, { phase }] of personas) if (phase === 'woken') track(checksInFlight, check(personaId));
  };
  const pumpSoon = (): void => {
    if (!state.started || state.pumping) return;
    state.pumping = true;
    setImmediate(pump);
  };
  const wake = (personaId: string, claimed?: Claimed): void => {
    if (state.stopped) return;
    const record = recordOf(personaId);
    record.phase = nextPhase(record.phase, 'woken');
    if (claimed) record.claimed = claimed;
    pumpSoon();
  };
  const poll = async (): Promise<void> => {
    for (const claimed of await queue.claim()) wake(claimed.personaId, claimed);
  };

  return {
    wake: (personaId) => wake(personaId),
    start() {
      state.started = true;
      setImmediate(pump);
      const tick = (): void => {
        const polled = poll()
          .catch((error: unknown) => log.error({ error: String(error) }, 'wakeups could not be read'))
          .finally(() => {
            if (!state.stopped) state.timer = setTimeout(tick, POLL_MS);
          });
        track(checksInFlight, polled);
      };
      tick();
    },
    async idle() {
      await poll();
      while (personas.size > 0) await new Promise<void>((resolve) => onIdle.push(resolve));
    },
    async stop(graceMs) {
      state.stopped = true;
      clearTimeout(state.timer);
      // First these: one that is waiting for its claim still begins the work that it gets.
      await Promise.allSettled(checksInFlight);
      const all = Promise.allSettled(workInFlight);
      const late = AbortSignal.timeout(graceMs);
      await Promise.race([all, new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()))]);
      abort.abort();
      const enough = new AbortController();
      await Promise.race([all, clock.sleep(1000, enough.signal).catch(() => {})]);
      enough.abort();
    },
  };
}

/**
 * Where a persona stands with the dispatcher:
 *
 *   idle ──woken──► woken ──begun──► checking ──ended──► idle
 *                     ▲                 │ woken
 *                     └────ended──── checking_again
 *
 * What was woken in the middle of a check is checked again: the check may have read its rows before they were written.
 */
export type DispatcherPhase = 'idle' | 'woken' | 'checking' | 'checking_again';

type PhaseEvent = 'woken' | 'begun' | 'ended';

/** The only way from one phase to another. Throws where there is none. */
export function nextPhase(phase: DispatcherPhase, event: PhaseEvent): DispatcherPhase {
  const next = NEXT[phase][event];
  if (next === undefined) throw new Error(`a persona that is ${phase} cannot be ${event}`);
  return next;
}

const NEXT: Readonly<Record<DispatcherPhase, Partial<Record<PhaseEvent, DispatcherPhase>>>> = {
  idle: { woken: 'woken' },
  woken: { woken: 'woken', begun: 'checking' },
  checking: { woken: 'checking_again', ended: 'idle' },
  checking_again: { woken: 'checking_again', ended: 'woken' },
};
