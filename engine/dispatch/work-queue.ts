import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import { KEPT_DUE_MS, type WakeupStore } from '../storage/ports/gateway.ts';
import type { Wakeup } from '../storage/types/gateway.ts';

/** A persona whose announced time has come. */
export interface Claimed {
  readonly personaId: string;
  readonly generation: number;
  /** Nothing was announced for so long that the announcement may be taken back after this check. */
  readonly isLast: boolean;
}

/** A persona that is being checked; `claimed` is null when this process woke it by itself. */
export interface QueueCheck {
  readonly personaId: string;
  readonly claimed: Claimed | null;
}

/** Says which personas may have work: never too few of them. What the work is, their own databases say. */
export interface WorkQueue {
  readonly announce: Announce;
  /** Personas that are to be checked now. */
  claim(): Promise<readonly Claimed[]>;
  /** Work is left that could not be begun, or is under way: the persona is checked again soon. */
  extend(check: QueueCheck): Promise<void>;
  /** All that is due is begun; the persona is checked again at `nextAt`, or when somebody announces more. */
  settle(check: QueueCheck, nextAt: number | null): Promise<void>;
  /** The check failed: as if it had not been made. */
  release(check: QueueCheck): void;
}

const BATCH = 64;

/** Announces to whoever works in this process, or in another one, which then notices the wakeup. */
export const announceBy =
  (
    wakeups: Pick<WakeupStore, 'bumpWakeup' | 'ensureDueNow'>,
    now: () => number,
    onAnnounced: (personaId: string) => void,
  ): Announce =>
  async (personaId, at, commit) => {
    await (at <= now() ? wakeups.ensureDueNow(personaId, at) : wakeups.bumpWakeup(personaId, at));
    const result = await commit();
    onAnnounced(personaId);
    return result;
  };

/** The queue over the wakeups of gateway.db. */
export function createWorkQueue(deps: {
  readonly wakeups: WakeupStore;
  readonly clock: Clock;
  readonly pass: PassCrashPoint;
  /** Called once what was announced is committed. */
  onAnnounced(personaId: string): void;
}): WorkQueue {
  const { wakeups, clock, pass } = deps;
  const lastChecks = new Map<string, LastCheck>();
  /** Wakeups that were taken back, and when they fall due again. */
  const lowered = new Map<string, { readonly generation: number; readonly dueAt: number | null }>();
  const read: { version: number; upTo: Wakeup | undefined } = { version: -1, upTo: undefined };

  const note = ({ personaId, claimed }: QueueCheck, nextDueAt: number | null): void => {
    const before = lastChecks.get(personaId);
    lastChecks.set(personaId, {
      generation: claimed?.generation ?? before?.generation ?? null,
      since: claimed && before && claimed.generation === before.generation ? before.since : clock.now(),
      nextDueAt,
    });
  };

  /**
   * What takes long outlives its wakeup, which is then taken back to the end of a lease; what it leaves for a nearer time
   * would be noticed no sooner.
   */
  const keepDue = async ({ personaId, claimed }: QueueCheck, nextAt: number | null): Promise<void> => {
    const low = lowered.get(personaId);
    if (!low) return;
    const isDueAgain = low.dueAt !== null && low.dueAt <= clock.now();
    // One of the same generation may have been read before it was taken back.
    if (claimed && (claimed.generation !== low.generation || isDueAgain)) {
      lowered.delete(personaId);
      return;
    }
    if (nextAt === null || (low.dueAt !== null && low.dueAt <= nextAt)) return;
    await wakeups.bumpWakeup(personaId, nextAt);
    lowered.set(personaId, { ...low, dueAt: nextAt });
  };

  return {
    announce: announceBy(wakeups, clock.now, deps.onAnnounced),
    async claim() {
      const version = wakeups.dataVersion();
      const next = await wakeups.nextWakeupAt();
      const now = clock.now();
      if (version === read.version && (next === null || next > now)) return [];
      read.version = version;
      const page = await wakeups.dueWakeups(now, BATCH, read.upTo);
      // What stays due for a while must not hide what is due behind it.
      read.upTo = page.length < BATCH ? undefined : page.at(-1);
      return page.flatMap(({ personaId, generation }): Claimed[] => {
        const decision = decideWakeup({ generation }, lastChecks.get(personaId), now);
        return decision === 'skip' ? [] : [{ personaId, generation, isLast: decision === 'clear' }];
      });
    },
    async extend(check) {
      const now = clock.now();
      note(check, now);
      await keepDue(check, now);
    },
    async settle(check, nextAt) {
      const { personaId, claimed } = check;
      if (!claimed?.isLast || !lastChecks.has(personaId)) {
        note(check, nextAt);
        return keepDue(check, nextAt);
      }
      await wakeups.clearWakeup({ personaId, generation: claimed.generation, dueAt: nextAt });
      pass('dispatch.lowered');
      lastChecks.delete(personaId);
      lowered.set(personaId, { generation: claimed.generation, dueAt: nextAt });
    },
    release: ({ personaId }) => void lastChecks.delete(personaId),
  };
}

/** What the last check of a persona found. */
interface LastCheck {
  /** Generation of the wakeup; null when this process woke the persona and did not read the wakeup. */
  readonly generation: number | null;
  /** Since when nobody has announced anything. */
  readonly since: number;
  /** When its own rows want a worker next. */
  readonly nextDueAt: number | null;
}

/**
 * What becomes of a wakeup that is due: `skip` it, `serve` its persona, or, when nobody has announced anything for long
 * enough, check the persona once more and `clear` it. Whoever announces work bumps the wakeup first and commits the work
 * afterwards; a wakeup that is cleared in between would be forgotten with the process, and clearing it after each mail
 * would cost a flush. Pure.
 */
function decideWakeup(
  wakeup: { readonly generation: number },
  last: LastCheck | undefined,
  now: number,
): 'skip' | 'serve' | 'clear' {
  if (last?.generation !== wakeup.generation) return 'serve';
  if (last.nextDueAt !== null && last.nextDueAt <= now) return 'serve';
  return now - last.since >= KEPT_DUE_MS ? 'clear' : 'skip';
}
