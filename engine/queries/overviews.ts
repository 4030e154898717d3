import type { PersonaDirectory } from '../config/types.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { StampedStores } from '../storage/ports/store.ts';
import type { KeptOverview, Overview } from '../storage/types/overview.ts';

/** What lists over all personas need of each, without its database being opened for it. */
export interface Overviews {
  /**
   * Those of the personas that have a database, as their rows are now. `day`: the midnight since which runs are counted; of a
   * persona without a run since then the count may be that of an earlier day.
   */
  of(personaIds: Iterable<string>, day: number): Promise<ReadonlyMap<string, Overview>>;
  /** The sums over all of a directory. To a watching process they cost what has changed since it asked last. */
  counts(directory: Counted): Promise<OpenCounts>;
  /** This process has committed a change of the persona's rows. */
  changed(personaId: string): void;
  /** Asks what others have changed since it was asked last, where this process works on the workspace; `onElsewhere` is told of each. */
  heed(): Promise<void>;
  /** This process has closed the persona's database, which may have moved rows from its log. */
  closed(personaId: string): void;
  /**
   * From now on this is the process that works on the workspace, until the returned function is called: it knows its own
   * changes, hears of those of others, and keeps the overviews of personas that have come to rest, for all processes.
   */
  watch(personaIds: () => Iterable<string>): () => Promise<void>;
}

type Counted = Pick<PersonaDirectory, 'all'>;

/** What is open. */
export interface OpenCounts {
  readonly queue: Readonly<Record<'queued' | 'running' | 'waiting_approval' | 'deferred', number>>;
  /** Parts of runs that wait: for what a call has begun elsewhere, and for child runs. */
  readonly waiting_parts: Readonly<Record<'external' | 'delegation', number>>;
  /** `drafts`: answers that lie in Drafts, and that nobody has sent. */
  readonly outbox: Readonly<Record<'queued' | 'failed' | 'unknown' | 'drafts', number>>;
}

/** Pure. Those of one added to the sums over others; what has no name there is counted nowhere. */
export function withCounts(sums: OpenCounts, one: Overview, times: 1 | -1 = 1): OpenCounts {
  // Most have nothing open.
  if (one.runs.length + one.parts.length + one.outbox.length === 0) return sums;
  const queue = { ...sums.queue };
  const parts = { ...sums.waiting_parts };
  const outbox = { ...sums.outbox };
  for (const { status, count } of one.runs) if (isKeyOf(queue, status)) queue[status] += times * count;
  for (const { kind, count } of one.parts) if (isKeyOf(parts, kind)) parts[kind] += times * count;
  for (const { state, count } of one.outbox) if (isKeyOf(OUTBOX, state)) outbox[OUTBOX[state]] += times * count;
  return { queue, waiting_parts: parts, outbox };
}

export const NOTHING_OPEN: OpenCounts = {
  queue: { queued: 0, running: 0, waiting_approval: 0, deferred: 0 },
  waiting_parts: { external: 0, delegation: 0 },
  outbox: { queued: 0, failed: 0, unknown: 0, drafts: 0 },
};

const OUTBOX = { queued: 'queued', sending: 'queued', failed: 'failed', unknown: 'unknown', draft: 'drafts' } as const;

const isKeyOf = <Known extends object>(known: Known, name: string): name is keyof Known & string =>
  Object.hasOwn(known, name);

/** Null: the persona has no database. */
type Known = { readonly stamp: string; readonly settled: boolean; readonly overview: Overview } | null;

/** Time of the process itself: file times and those of other processes are the system's. */
export interface OverviewTiming {
  /** ms */
  now(): number;
  /** Calls `work` after so many ms; returns what calls it off. */
  after(ms: number, work: () => void): () => void;
}

/** A watching process keeps the overviews of so many personas at once, and then lets others have their turn. */
const BATCH = 16;
const BREATH_MS = 250;
/** A persona is at rest after this without a change; longer than the same stamp may hide another write. */
const REST_MS = 5000;
/** So many are compared with their files at each look of a watching process, whatever it has heard. */
const COMPARED = 20;

/**
 * A persona's own database is the truth. What was read of it is kept in gateway.db with a stamp of its files, taken before the
 * read: a file that was written since has another one, and its persona is read anew. So nothing has to be written when a
 * persona's rows change, a process may be killed at any moment, and a backup, or files that somebody copied, are only read
 * once more. What is kept may be behind, and is never taken for true.
 *
 * A process that looks once compares the stamps of all personas, which costs a small part of opening them. The gateway does
 * that once, in the background, after its start. Then it goes by what it hears: of its own commits in memory, of those of
 * other processes by a row in gateway.db that they write after their commit. One that was killed in between is noticed all
 * the same: each look compares the next personas in turn.
 */
export function createOverviews({
  gateway,
  stores,
  pass,
  onElsewhere = () => {},
  timing = { now: () => performance.now(), after: afterMs },
}: {
  readonly gateway: Pick<
    GatewayStore,
    'keptOverviews' | 'keepOverviews' | 'noteChanged' | 'takeChanged' | 'dataVersion'
  >;
  readonly stores: Pick<StampedStores, 'stampOf' | 'use'>;
  readonly pass: PassCrashPoint;
  /** Another process has committed a change of the persona's rows. */
  readonly onElsewhere?: (personaId: string) => void;
  readonly timing?: OverviewTiming;
}): Overviews {
  const known = new Map<string, Known>();
  /** Changed since they were read. */
  const stale = new Set<string>();
  /** What gateway.db keeps of them is behind; since when. */
  const behind = new Map<string, number>();
  const state = { isLoaded: false, watching: null as Watching | null };

  const load = async (): Promise<void> => {
    if (state.isLoaded) return;
    state.isLoaded = true;
    for (const { personaId, stamp, overview } of await gateway.keptOverviews())
      if (!known.has(personaId)) known.set(personaId, { stamp, settled: true, overview });
  };

  /** Whether the persona's files are as they were when it was read. */
  const isSame = (personaId: string): boolean => {
    const before = known.get(personaId);
    if (before === undefined) return false;
    const stamp = stores.stampOf(personaId);
    return before === null ? stamp === null : before.settled && before.stamp === stamp?.text;
  };

  const isOfDay = (personaId: string, day: number): boolean => {
    const one = known.get(personaId);
    return !one || one.overview.day.from === day || (one.overview.newest.runAt ?? -1) < day;
  };

  /** What is to be kept of it; null: nothing, its files may be written again under the same stamp. */
  const read = async (personaId: string, day: number | null): Promise<KeptOverview | null> => {
    // First these two: what is written from here on makes it stale again, and gives the files another stamp.
    stale.delete(personaId);
    const before = known.get(personaId);
    const stamp = stores.stampOf(personaId);
    if (stamp === null) {
      put(personaId, null);
      behind.delete(personaId);
      return null;
    }
    const { text, settled } = stamp;
    const overview = await stores.use(personaId, (store) => store.overview(day ?? before?.overview.day.from ?? 0));
    put(personaId, { stamp: text, settled, overview });
    if (settled) behind.delete(personaId);
    else noteBehind(personaId);
    return settled ? { personaId, stamp: text, overview } : null;
  };

  const readAll = async (ids: readonly string[], day: number | null): Promise<void> => {
    const kept: KeptOverview[] = [];
    for (const id of ids) {
      const one = await read(id, day);
      if (one) kept.push(one);
    }
    if (kept.length === 0) return;
    pass('overview.read');
    // Nothing rests on it: where it cannot be written, the next process reads once more.
    await gateway.keepOverviews(kept).catch(() => {});
    pass('overview.kept');
  };

  const noteBehind = (personaId: string): void => {
    if (state.watching === null) return;
    behind.set(personaId, timing.now());
    state.watching.arm();
  };

  const hear = async (watching: Watching): Promise<void> => {
    const version = gateway.dataVersion();
    if (version === watching.version) return;
    watching.version = version;
    for (const personaId of await gateway.takeChanged()) {
      stale.add(personaId);
      noteBehind(personaId);
      onElsewhere(personaId);
    }
  };

  /** The sums that are kept follow. */
  const put = (personaId: string, next: Known): void => {
    const counting = state.watching?.counting;
    if (counting?.ids.has(personaId)) {
      const before = known.get(personaId);
      if (before) counting.sums = withCounts(counting.sums, before.overview, -1);
      if (next) counting.sums = withCounts(counting.sums, next.overview);
    }
    known.set(personaId, next);
  };

  /** The next that a watching process compares, whatever it has heard. */
  const nextToCompare = (watching: Watching, ids: () => readonly string[]): readonly string[] => {
    if (watching.compare.length === 0) watching.compare = [...ids()];
    return watching.compare.splice(0, COMPARED);
  };

  const countAll = async (directory: Counted): Promise<OpenCounts> => {
    const ids = Array.from(directory.all(), ({ id }) => id);
    await lookAround(ids, null);
    let sums = NOTHING_OPEN;
    for (const id of ids) {
      const one = known.get(id);
      if (one) sums = withCounts(sums, one.overview);
    }
    if (state.watching) state.watching.counting = { directory, ids: new Set(ids), sums };
    return sums;
  };

  const countChanged = async (watching: Watching, counting: Counting): Promise<OpenCounts> => {
    await hear(watching);
    const { ids } = counting;
    for (const id of nextToCompare(watching, () => [...ids])) if (ids.has(id) && !isSame(id)) stale.add(id);
    await readAll(
      [...stale].filter((id) => ids.has(id)),
      null,
    );
    return counting.sums;
  };

  /** `day`: null where it is all one. */
  const lookAround = async (ids: readonly string[], day: number | null): Promise<void> => {
    await load();
    const { watching } = state;
    if (watching) await hear(watching);
    const again = new Set(watching && nextToCompare(watching, () => ids));
    const toRead: string[] = [];
    for (const id of ids) {
      const isToCompare = watching === null || !watching.compared.has(id) || again.has(id);
      if (isToCompare) watching?.compared.add(id);
      const isKnown = known.has(id) && !stale.has(id) && (day === null || isOfDay(id, day));
      if (!isKnown || (isToCompare && !isSame(id))) toRead.push(id);
    }
    await readAll(toRead, day);
  };

  // One look at a time: two that read the same persona could end in the wrong order.
  let newest: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = newest.then(work);
    newest = result.catch(() => {});
    return result;
  };

  /** The next of those that nobody has compared since the start, then of those that have come to rest. */
  const keepSome = async ({ unseen, compared }: Watching): Promise<void> => {
    await load();
    const first = unseen.splice(0, BATCH).filter((id) => !compared.has(id) && !isSame(id));
    const now = timing.now();
    const rested = [...behind].flatMap(([id, since]) => (now - since >= REST_MS ? [id] : []));
    for (const id of [...first, ...rested].slice(0, BATCH)) await readAll([id], null);
  };

  return {
    of: (personaIds, day) =>
      inTurn(async () => {
        const ids = [...personaIds];
        await lookAround(ids, day);
        return new Map(
          ids.flatMap((id) => {
            const one = known.get(id);
            return one ? [[id, one.overview] as const] : [];
          }),
        );
      }),
    counts: (directory) =>
      inTurn(() => {
        const { watching } = state;
        const counting = watching?.counting;
        return watching && counting && counting.directory === directory
          ? countChanged(watching, counting)
          : countAll(directory);
      }),
    changed(personaId) {
      stale.add(personaId);
      if (state.watching) return noteBehind(personaId);
      pass('overview.changed');
      gateway.noteChanged(personaId).catch(() => {});
    },
    heed: () =>
      inTurn(async () => {
        if (state.watching) await hear(state.watching);
      }),
    closed(personaId) {
      if (state.watching && known.get(personaId) && !isSame(personaId)) noteBehind(personaId);
    },
    watch(personaIds) {
      let callOff: (() => void) | null = null;
      const arm = (): void => {
        callOff ??= timing.after(watching.unseen.length > 0 ? BREATH_MS : REST_MS, () => {
          callOff = null;
          inTurn(async () => {
            if (state.watching === watching) await keepSome(watching);
          })
            .catch(() => {})
            .finally(() => {
              if (state.watching === watching && watching.unseen.length + behind.size > 0) arm();
            });
        });
      };
      const watching: Watching = {
        version: -1,
        compared: new Set(),
        unseen: [...personaIds()],
        compare: [],
        counting: null,
        arm,
      };
      state.watching = watching;
      arm();
      return async () => {
        state.watching = null;
        callOff?.();
        await newest;
      };
    },
  };
}

interface Counting {
  readonly directory: Counted;
  readonly ids: ReadonlySet<string>;
  sums: OpenCounts;
}

interface Watching {
  /** Of gateway.db, when it was last asked whom others have changed. */
  version: number;
  /** Whose files a look has compared since the start. */
  readonly compared: Set<string>;
  /** Whom nobody has come to since the start. */
  readonly unseen: string[];
  /** Whom the next looks compare. */
  compare: string[];
  /** The sums over the directory that was counted last. */
  counting: Counting | null;
  /** Has what is behind kept soon. */
  arm(): void;
}

function afterMs(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
}
