import type { Log } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { NextDue } from '../storage/ports/runs.ts';
import type { Store, Stores } from '../storage/ports/store.ts';
import type { Wakeup } from '../storage/types/gateway.ts';

import { decideDue, type Looked } from './quiet.ts';

/** Does one unit of claimed work and settles it. */
export type Work = (store: Store, signal: AbortSignal) => Promise<void>;

/** One kind of work in a persona's database: runs, outgoing mail, jobs, tasks. */
export interface Lane {
  /** The rows that it works. */
  readonly name: keyof NextDue;
  limits(): { readonly total: number; readonly perPersona: number };
  /** Leases up to `limit` units of work that are due, in one commit. */
  claim(personaId: string, store: Store, limit: number): Promise<readonly Work[]>;
  /**
   * Makes due what waited for something that is over; when to look again at what still waits. Called at each look.
   */
  takeUp?(personaId: string, store: Store): Promise<number | null>;
  /** Whether some due work is held back until other work of this lane has ended. */
  isHolding?(): boolean;
  /** Whether none of the persona's rows may be worked until somebody changes that, who then bumps its wakeup. */
  isHeld?(personaId: string): Promise<boolean>;
}

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
const BATCH = 64;

const soonest = ({ runs, outbox, jobs, tasks }: NextDue): number | null => {
  const due = [runs, outbox, jobs, tasks].filter((at) => at !== null);
  return due.length === 0 ? null : Math.min(...due);
};

interface Polled {
  readonly generation: number;
  /** Quiet for so long that its wakeup may be lowered. */
  readonly lower: boolean;
}

/**
 * Hands due work to lanes. Wakeups in gateway.db say which personas may have work, the personas' own databases
 * say what; a wakeup is lowered only after the persona's next due time was read, and only if nobody bumped it
 * since.
 */
export function createDispatcher(deps: {
  gateway: GatewayStore;
  stores: Stores;
  lanes: readonly Lane[];
  /** Whom leases are held by. */
  instance: string;
  clock: Clock;
  log: Log;
  pass: PassCrashPoint;
}): Dispatcher {
  const { gateway, stores, lanes, clock, log, pass } = deps;
  const woken = new Set<string>();
  /** By lane: personas with more work than there was room for. */
  const crowded = new Map<string, Set<string>>(lanes.map(({ name }) => [name, new Set()]));
  const serving = new Set<string>();
  /** What the newest poll found due of those that are to be served. */
  const due = new Map<string, Polled>();
  const looked = new Map<string, Looked>();
  const active = new Map<string, { total: number; byPersona: Map<string, number> }>(
    lanes.map(({ name }) => [name, { total: 0, byPersona: new Map() }]),
  );
  const running = new Set<Promise<void>>();
  /** Looks at the databases that are under way; they must be over before somebody closes these. */
  const looking = new Set<Promise<unknown>>();
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let started = false;
  let pumping = false;
  let stopped = false;
  let version = -1;
  let seenTo: Wakeup | undefined;
  let onIdle: (() => void)[] = [];

  const roomOf = (lane: Lane, personaId: string): number => {
    const counts = active.get(lane.name);
    const { total, perPersona } = lane.limits();
    return Math.min(total - (counts?.total ?? 0), perPersona - (counts?.byPersona.get(personaId) ?? 0));
  };
  const count = (lane: Lane, personaId: string, by: number) => {
    const counts = active.get(lane.name);
    if (!counts) return;
    counts.total += by;
    const mine = (counts.byPersona.get(personaId) ?? 0) + by;
    if (mine === 0) counts.byPersona.delete(personaId);
    else counts.byPersona.set(personaId, mine);
  };

  const begin = (lane: Lane, personaId: string, work: Work) => {
    const task = stores
      .use(personaId, (store) => work(store, abort.signal))
      .catch((error: unknown) =>
        log.error({ persona: personaId, lane: lane.name, error: String(error) }, 'work failed'),
      )
      .finally(() => {
        count(lane, personaId, -1);
        running.delete(task);
        wake(personaId);
        wakeCrowded(lane);
        settleIdle();
      });
    running.add(task);
  };

  const wakeCrowded = (lane: Lane) => {
    const waiting = crowded.get(lane.name);
    for (const personaId of waiting ?? []) wake(personaId);
    waiting?.clear();
  };

  /** Claims all that is due and that there is room for. */
  const drain = async (lane: Lane, personaId: string, store: Store): Promise<void> => {
    const room = roomOf(lane, personaId);
    if (room <= 0) {
      crowded.get(lane.name)?.add(personaId);
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
    if (claimed.length === room || lane.isHolding?.()) crowded.get(lane.name)?.add(personaId);
    if (claimed.length > 0) pass('dispatch.claimed');
    for (const work of claimed) begin(lane, personaId, work);
  };

  /** One question in place of one to each lane, which mostly have nothing to do. */
  const nextDue = async (personaId: string, store: Store): Promise<NextDue> => {
    const again = new Map<Lane['name'], number>();
    for (const { name, takeUp } of lanes) {
      const at = await takeUp?.(personaId, store);
      if (at !== undefined && at !== null) again.set(name, at);
    }
    let next = await store.nextDue(deps.instance);
    // What is held stays due for as long as that lasts, which may be weeks: nobody has to look again until it is over.
    for (const { name, isHeld } of lanes) {
      const isDue = (next[name] ?? Number.POSITIVE_INFINITY) <= clock.now();
      if (isDue && (await isHeld?.(personaId))) next = { ...next, [name]: null };
    }
    for (const [name, at] of again) next = { ...next, [name]: Math.min(next[name] ?? at, at) };
    return next;
  };
  const dueLanes = (next: NextDue): readonly Lane[] => {
    const now = clock.now();
    return lanes.filter(({ name }) => (next[name] ?? Number.POSITIVE_INFINITY) <= now);
  };

  const announced = (polled: Polled | undefined, before: Looked | undefined) => ({
    generation: polled?.generation ?? before?.generation ?? null,
    since: polled && polled.generation === before?.generation ? before.since : clock.now(),
  });

  const lookInto = async (personaId: string, store: Store, polled: Polled | undefined): Promise<void> => {
    const before = looked.get(personaId);
    const next = await nextDue(personaId, store);
    const due = dueLanes(next);
    for (const lane of due) if (!stopped) await drain(lane, personaId, store);
    if (stopped) return;
    // What was claimed, and what was not since its thread is busy or its persona cannot work: the next poll looks.
    const nextDueAt = due.length > 0 ? clock.now() : soonest(next);
    if (polled?.lower && before && due.length === 0) {
      await gateway.lowerWakeup({ personaId, generation: polled.generation, dueAt: nextDueAt });
      pass('dispatch.lowered');
      if (looked.get(personaId) === before) looked.delete(personaId);
      return;
    }
    looked.set(personaId, { ...announced(polled, before), nextDueAt });
  };

  /** Works what is due. `polled` is the wakeup that led here; undefined when the persona was woken from within. */
  const serve = async (personaId: string, polled: Polled | undefined) => {
    serving.add(personaId);
    try {
      await stores.use(personaId, (store) => lookInto(personaId, store, polled));
    } catch (error) {
      log.error({ persona: personaId, error: String(error) }, 'a persona could not be served; it is tried again');
      looked.delete(personaId);
    } finally {
      serving.delete(personaId);
      settleIdle();
    }
  };

  const look = (work: Promise<void>): Promise<void> => {
    const looked = work.finally(() => looking.delete(looked));
    looking.add(looked);
    return looked;
  };

  const pump = () => {
    pumping = false;
    if (stopped) return;
    for (const personaId of woken) {
      if (serving.has(personaId)) continue;
      woken.delete(personaId);
      const polled = due.get(personaId);
      due.delete(personaId);
      void look(serve(personaId, polled)).then(() => woken.has(personaId) && pump());
    }
  };

  const wake = (personaId: string) => {
    if (stopped) return;
    woken.add(personaId);
    if (!started || pumping) return;
    pumping = true;
    setImmediate(pump);
  };

  const poll = async () => {
    const changed = gateway.dataVersion();
    const next = await gateway.nextWakeupAt();
    const now = clock.now();
    if (changed === version && (next === null || next > now)) return;
    version = changed;
    const page = await gateway.dueWakeups(now, BATCH, seenTo);
    // What is left due for a while must not hide what is due behind it.
    seenTo = page.length < BATCH ? undefined : page.at(-1);
    for (const { personaId, generation } of page) {
      const decision = decideDue({ generation }, looked.get(personaId), now);
      if (decision === 'leave') continue;
      due.set(personaId, { generation, lower: decision === 'lower' });
      wake(personaId);
    }
  };

  const settleIdle = () => {
    if (running.size > 0 || serving.size > 0 || woken.size > 0) return;
    const waiting = onIdle;
    onIdle = [];
    for (const resolve of waiting) resolve();
  };

  return {
    wake,
    start() {
      started = true;
      setImmediate(pump);
      const tick = () =>
        look(poll())
          .catch((error: unknown) => log.error({ error: String(error) }, 'wakeups could not be read'))
          .finally(() => {
            if (!stopped) timer = setTimeout(tick, POLL_MS);
          });
      void tick();
    },
    async idle() {
      await poll();
      for (;;) {
        if (running.size === 0 && serving.size === 0 && woken.size === 0) return;
        await new Promise<void>((resolve) => onIdle.push(resolve));
      }
    },
    async stop(graceMs) {
      stopped = true;
      clearTimeout(timer);
      // First these: one that is waiting for its claim still begins the work that it gets.
      await Promise.allSettled(looking);
      const all = Promise.allSettled(running);
      const late = AbortSignal.timeout(graceMs);
      await Promise.race([all, new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()))]);
      abort.abort();
      const enough = new AbortController();
      await Promise.race([all, clock.sleep(1000, enough.signal).catch(() => {})]);
      enough.abort();
    },
  };
}
