import type { Changed, Changes } from '../lib/changes.ts';
import type { Clock } from '../lib/clock.ts';
import type { ConsoleViewer } from '../queries/viewer.ts';

/** So many tabs of all people together, and of one session: a browser opens six connections to a host. */
const MOST_STREAMS = 200;
const MOST_OF_SESSION = 12;
/** So many things that have changed are named; of more it is said that all has. */
const MOST_NAMED = 64;
/** What changes within it is told together: a mail is several commits. */
const GATHER_MS = 400;
/**
 * Told at once so often; whoever is told all the time is told so seldom, and all pages within one second: what has changed is read
 * anew for the first of them. A page that is made anew costs more than a mail.
 */
const [MOST_AT_ONCE, EACH_MS] = [8, 15_000];
/** Pages that are told together come after each other, so that mail goes on between them. */
const [PLACES, PLACE_MS] = [20, 50];
const HEARTBEAT_MS = 15_000;
const LONGEST_MS = 15 * 60_000;
/** A reader who takes nothing for so long is gone. */
const STUCK_MS = 5000;
const RETRY_MS = 2000;
/** While somebody listens, so often is it asked whether another process has changed something: one look for all of them. */
const HEED_MS = 1000;

/** One thing that a page may want to look at again, by kind and id, and nothing of what it says. */
interface Event {
  readonly id: string;
  readonly data: string;
}

interface Stream {
  readonly signal: AbortSignal;
  /** Resolves when the reader has room. */
  write(text: string): Promise<void>;
}

interface LiveDesk {
  /** Null: no more are taken now. What comes back streams until its reader is gone, does not read, or its time is over. */
  open(session: {
    readonly id: string;
    /** Who that is now; null: the session is over. */
    viewer(): Promise<ConsoleViewer | null>;
    /** What the reader has heard last. */
    lastId: string | null;
  }): ((stream: Stream) => Promise<'over' | 'stuck'>) | null;
  /** Streams that are open. */
  count(): number;
  /** What a page that is made now has seen. */
  idNow(): string;
}

/**
 * Tells open pages that something has changed, after it was committed. Nothing that is told holds words of anybody: the page is asked for
 * again, by its own address and with the rights of that moment.
 */
export function createLive({
  changes,
  clock,
  epoch,
  heed,
}: {
  readonly changes: Changes;
  readonly clock: Clock;
  /** Has `changes` tell of what other processes have changed since it was called last. */
  heed(): Promise<void>;
  /** What tells this process from another: after a restart everything counts as changed. */
  readonly epoch: string;
}): LiveDesk {
  const perSession = new Map<string, number>();
  let streams = 0;
  let opened = 0;
  let isHeeding = false;
  const idNow = () => `${epoch}-${changes.count()}`;

  const heedOthers = async (): Promise<void> => {
    if (isHeeding) return;
    isHeeding = true;
    while (streams > 0) {
      // What could not be looked at now is looked at the next time.
      await heed().catch(() => {});
      await pause(HEED_MS, NEVER);
    }
    isHeeding = false;
  };

  return {
    count: () => streams,
    idNow,
    open({ id, viewer, lastId }) {
      const own = perSession.get(id) ?? 0;
      if (streams >= MOST_STREAMS || own >= MOST_OF_SESSION) return null;
      streams += 1;
      opened += 1;
      const place = opened % PLACES;
      perSession.set(id, own + 1);
      return async (stream) => {
        void heedOthers();
        try {
          return await tellUntilOver(stream, { lastId, viewer, idNow, changes, clock, place });
        } finally {
          streams -= 1;
          const left = (perSession.get(id) ?? 1) - 1;
          if (left > 0) perSession.set(id, left);
          else perSession.delete(id);
        }
      };
    },
  };
}

const NEVER = new AbortController().signal;

interface Telling {
  readonly lastId: string | null;
  readonly viewer: () => Promise<ConsoleViewer | null>;
  readonly idNow: () => string;
  readonly changes: Changes;
  readonly clock: Clock;
  /** Among those that are told within the same second. */
  readonly place: number;
}

async function tellUntilOver(
  { signal, write }: Stream,
  { lastId, viewer, idNow, changes, clock, place }: Telling,
): Promise<'over' | 'stuck'> {
  const until = clock.now() + LONGEST_MS;
  const bundle = createBundle();
  let who = await viewer();
  const allowance = createAllowance(clock, place);
  const stop = changes.listen((changed) => {
    if (who && maySee(who, changed)) bundle.add(changed);
  });
  // Not before it listens: what changes in between would be told to nobody.
  if (lastId !== null && lastId !== idNow()) bundle.addAll();
  try {
    let isRead = await isWritten(write(`retry: ${RETRY_MS}\n\n`));
    while (isRead && who !== null && !signal.aborted && clock.now() < until) {
      await bundle.filled(HEARTBEAT_MS, signal);
      who = await viewer();
      const data = who && bundle.take();
      if (who !== null) isRead = await isWritten(write(data === null ? ': \n\n' : textOf({ id: idNow(), data })));
      if (data !== null) await pause(Math.max(GATHER_MS, allowance.take()), signal);
    }
    return isRead ? 'over' : 'stuck';
  } finally {
    stop();
  }
}

/** How long to wait before the next is told, ms: not at all for the first few, which the quiet between them gives back. */
export function createAllowance(clock: Pick<Clock, 'now'>, place = 0): { take(): number } {
  let left = MOST_AT_ONCE;
  const roundAt = (now: number): number => Math.floor((now - place * PLACE_MS) / EACH_MS);
  let round = roundAt(clock.now());
  return {
    take() {
      const now = clock.now();
      const before = round;
      round = roundAt(now);
      left = Math.min(MOST_AT_ONCE, left + round - before) - 1;
      return left >= 1 ? 0 : (round + 1) * EACH_MS + place * PLACE_MS - now;
    },
  };
}

const textOf = ({ id, data }: Event): string => `event: changed\nid: ${id}\ndata: ${data}\n\n`;

/** Pure. */
const maySee = ({ personas, ownsGateway }: ConsoleViewer, { persona }: Changed): boolean =>
  persona === null ? ownsGateway : personas.has(persona);

/** A bounded set of what has changed; what is in it already is not added again. */
interface Bundle {
  add(changed: Changed): void;
  addAll(): void;
  /** Null: nothing has. */
  take(): string | null;
  /** Resolves when there is something, after `ms`, or when it is over. */
  filled(ms: number, over: AbortSignal): Promise<void>;
}

function createBundle(): Bundle {
  const named = new Set<string>();
  let isAll = false;
  let wake: () => void = () => {};
  const addAll = (): void => {
    isAll = true;
    named.clear();
    wake();
  };
  return {
    add({ kind, persona }) {
      if (!isAll) named.add(`${kind} ${persona ?? ''}`.trim());
      if (named.size > MOST_NAMED) addAll();
      wake();
    },
    addAll,
    take() {
      if (!isAll && named.size === 0) return null;
      const data = JSON.stringify(isAll ? ['all'] : [...named]);
      isAll = false;
      named.clear();
      return data;
    },
    filled(ms, over) {
      if (isAll || named.size > 0) return Promise.resolve();
      return pause(ms, over, (end) => {
        wake = end;
      });
    },
  };
}

function pause(ms: number, over: AbortSignal, early: (end: () => void) => void = () => {}): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      over.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    over.addEventListener('abort', end, { once: true });
    early(end);
    if (over.aborted) end();
  });
}

/** False: whoever is there does not read, and is given up, so that nothing is kept for them. */
async function isWritten(written: Promise<void>): Promise<boolean> {
  const waited = new AbortController();
  const late = pause(STUCK_MS, waited.signal).then(() => false);
  try {
    return await Promise.race([written.then(() => true), late]);
  } finally {
    waited.abort();
  }
}
