import type { Log } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { GatewayStore, Wakeup } from '../storage/gateway-store.ts';
import type { NextDue, Store } from '../storage/store.ts';
import type { Stores } from '../storage/stores.ts';
import { decideDue, type Looked } from './quiet.ts';

/** One kind of work in a persona's database: runs, outgoing mail, jobs, tasks. */
export interface Lane {
  /** The rows that it works. */
  readonly name: keyof NextDue;
  limits(): { readonly total: number; readonly perPersona: number };
  /** Leases the next unit of work, if any is due; the returned function does it and settles it. */
  claim(personaId: string, store: Store): Promise<((store: Store, signal: AbortSignal) => Promise<void>) | undefined>;
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
  /** Personas with more work than there was room for. */
  const crowded = new Set<string>();
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

  const hasRoom = (lane: Lane, personaId: string) => {
    const counts = active.get(lane.name);
    const { total, perPersona } = lane.limits();
    return (counts?.total ?? 0) < total && (counts?.byPersona.get(personaId) ?? 0) < perPersona;
  };
  const count = (lane: Lane, personaId: string, by: 1 | -1) => {
    const counts = active.get(lane.name);
    if (!counts) return;
    counts.total += by;
    const mine = (counts.byPersona.get(personaId) ?? 0) + by;
    if (mine === 0) counts.byPersona.delete(personaId);
    else counts.byPersona.set(personaId, mine);
  };

  const begin = (lane: Lane, personaId: string, work: (store: Store, signal: AbortSignal) => Promise<void>) => {
    const task = stores
      .use(personaId, (store) => work(store, abort.signal))
      .catch((error: unknown) =>
        log.error({ persona: personaId, lane: lane.name, error: String(error) }, 'work failed'),
      )
      .finally(() => {
        count(lane, personaId, -1);
        running.delete(task);
        for (const waiting of [personaId, ...crowded]) wake(waiting);
        crowded.clear();
        settleIdle();
      });
    running.add(task);
  };

  /** Claims all there is room for; true when the persona has nothing more that is due now. */
  const drain = async (personaId: string, store: Store, due: readonly Lane[]): Promise<boolean> => {
    let empty = true;
    for (const lane of due) {
      while (!stopped) {
        if (!hasRoom(lane, personaId)) {
          crowded.add(personaId);
          empty = false;
          break;
        }
        // Counted before the claim: while it waits for the database, others must not take the same room.
        count(lane, personaId, 1);
        const work = await lane.claim(personaId, store).catch((error: unknown) => {
          count(lane, personaId, -1);
          throw error;
        });
        if (!work) {
          count(lane, personaId, -1);
          if (lane.isHolding?.()) {
            crowded.add(personaId);
            empty = false;
          }
          break;
        }
        pass('dispatch.claimed');
        begin(lane, personaId, work);
      }
    }
    return empty;
  };

  /** One question in place of one to each lane, which mostly have nothing to do. */
  const nextDue = async (personaId: string, store: Store): Promise<NextDue> => {
    let next = await store.nextDue(deps.instance);
    // What is held stays due for as long as that lasts, which may be weeks: nobody has to look again until it is over.
    for (const { name, isHeld } of lanes) {
      const isDue = (next[name] ?? Number.POSITIVE_INFINITY) <= clock.now();
      if (isDue && (await isHeld?.(personaId))) next = { ...next, [name]: null };
    }
    return next;
  };
  const dueLanes = (next: NextDue): readonly Lane[] => {
    const now = clock.now();
    return lanes.filter(({ name }) => (next[name] ?? Number.POSITIVE_INFINITY) <= now);
  };

  /** Works what is due. `polled` is the wakeup that led here; undefined when the persona was woken from within. */
  const serve = async (personaId: string, polled: Polled | undefined) => {
    serving.add(personaId);
    const before = looked.get(personaId);
    try {
      await stores.use(personaId, async (store) => {
        const empty = await drain(personaId, store, dueLanes(await nextDue(personaId, store)));
        if (stopped) return;
        const nextDueAt = soonest(await nextDue(personaId, store));
        if (polled?.lower && empty && before && (nextDueAt === null || nextDueAt > clock.now())) {
          await gateway.lowerWakeup({ personaId, generation: polled.generation, dueAt: nextDueAt });
          pass('dispatch.lowered');
          if (looked.get(personaId) === before) looked.delete(personaId);
          return;
        }
        // Due now and yet not claimed: its thread is busy, or its persona cannot work. The next poll looks again.
        const generation = polled?.generation ?? before?.generation ?? null;
        const since = polled && polled.generation === before?.generation ? before.since : clock.now();
        looked.set(personaId, { generation, since, nextDueAt });
      });
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
