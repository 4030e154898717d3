import type { SecurityConfig } from '../../config/types.ts';
import { HOUR_MS } from '../../lib/time.ts';
import type { AlikeLetter, ArrivalRows, FoundThread } from '../../storage/ports/mail.ts';
import type { NewCountedLetter, ThreadPatch, Tier } from '../../storage/types/mail.ts';

/** What is kept of the letter so that later ones are counted with it. */
export type Count = Pick<NewCountedLetter, 'state' | 'for_words' | 'in_row' | 'pace' | 'told' | 'until'>;

/** An answer would take part in a loop. */
interface LoopStop {
  readonly kind: 'stop';
  readonly threadId: string | null;
  readonly threadPatch: ThreadPatch | null;
  /** One notice to the owner under this key; null when it was already sent. */
  readonly noticeKey: string | null;
  /** Whether its sender, who is proven, is to hear that no answer comes: once an hour, or one of all who name that thread. */
  readonly tells: 'sender' | 'thread' | null;
  readonly count: Count | null;
}

/** The mail may be answered, and this is counted. */
export interface LoopCount {
  readonly kind: 'go';
  readonly threadPatch: ThreadPatch | null;
  /** What a new thread takes over from the one that it answers. */
  readonly inherits?: { readonly fast_replies: number; readonly answers_before: number };
  readonly count: Count | null;
  /** When its run begins, where it is not to begin at once, and whether its sender is to hear of that. */
  readonly later: {
    readonly until: number;
    readonly tells: boolean;
    /** `in_turn`: they have had the runs of an hour. Absent: they write at once after each answer. */
    readonly said?: 'in_turn';
  } | null;
}

interface Given {
  readonly arrival: Pick<ArrivalRows, 'threads' | 'senderRuns' | 'threadRuns' | 'alike'>;
  readonly tier: Tier;
  /** The thread that the mail joins. */
  readonly thread: FoundThread | null;
  readonly sender: string | null;
  readonly loopGuard: SecurityConfig['loop_guard'];
  /** What this gateway answered within the hour, all personas together. */
  readonly answersOfAll: number;
  readonly now: number;
}

export const hourOf = (now: number): number => Math.floor(now / HOUR_MS);

/**
 * Header checks cannot stop two programs that answer each other; counting can. A limit of 0 is off. An owner's mail
 * is not counted with others', and starts the thread's count anew: a person who may change the limits is not held by
 * that of a thread, and a program that writes as one by that of a sender. Pure.
 */
export function guardLoops(given: Given): LoopStop | LoopCount {
  const { arrival, tier, sender, loopGuard, now } = given;
  const perSender = loopGuard.max_replies_per_sender_per_hour;
  if (perSender > 0 && arrival.senderRuns >= perSender) {
    return stop({ noticeKey: `loop_limit:${sender}:${hourOf(now)}`, tells: isTold(tier) ? 'sender' : null });
  }
  const ofAll = answersAnHour(perSender);
  if (ofAll > 0 && given.answersOfAll >= ofAll && tier !== 'owner') {
    // Nobody else is told: whatever runs wild here would answer that, too.
    return stop({ noticeKey: `loop_limit:gateway:${hourOf(now)}` });
  }
  const { thread } = given;
  const guarded = thread ? guardThread({ ...given, thread }) : guardNewThread(given);
  return guarded.kind === 'stop' || tier === 'owner' ? guarded : guardLetters(given, guarded);
}

/** No note goes to whoever a mail only says it is from. Owners have a notice of their own. */
export const isTold = (tier: Tier): boolean => tier !== 'owner' && tier !== 'unauthenticated';

const perThreadOf = (tier: Tier, { max_replies_per_thread_per_hour: most }: Given['loopGuard']): number =>
  tier === 'owner' ? 0 : most;

function guardThread({ arrival, tier, thread, loopGuard, now }: Given & { readonly thread: FoundThread }) {
  // A clock that was ahead and came back must not hold a thread for as long as it was ahead.
  const isStopped = thread.loop_stopped_at !== null && Math.abs(now - thread.loop_stopped_at) < HOUR_MS;
  const stillStopped = stop({ threadId: thread.id, noticeKey: null, tells: isTold(tier) ? 'sender' : null });
  const perThread = perThreadOf(tier, loopGuard);
  if (perThread > 0 && arrival.threadRuns >= perThread && arrival.threads[0]?.id === thread.id) {
    if (isStopped) return stillStopped;
    const noticeKey = `loop_limit:${thread.id}:${now}`;
    return { ...stillStopped, threadPatch: { loop_stopped_at: now }, noticeKey };
  }
  return isStopped && tier !== 'owner' ? stillStopped : go({ fast_replies: 0, loop_stopped_at: null });
}

/**
 * A mail that answers us and begins a new thread, since its sender takes no part in the old one, brings the count of
 * the old one along. Otherwise a system that writes from another address each time, as ticket systems do, would be
 * answered for ever. The old thread itself is left alone: a stranger's mail must not silence those who take part.
 */
function guardNewThread({ arrival, tier, loopGuard, now }: Given): LoopStop | LoopCount {
  const [before] = arrival.threads;
  // What belongs to the same conversation of others is no answer to us.
  if (!before || before.by === 'ancestor') return go(null);
  const stopped = stop({
    threadId: before.id,
    noticeKey: `loop_limit:${before.id}:${hourOf(now)}`,
    // Not each of them: a system that writes from another address each time would answer that each time.
    tells: isTold(tier) ? 'thread' : null,
  });
  const perThread = perThreadOf(tier, loopGuard);
  if (perThread > 0 && arrival.threadRuns >= perThread) return stopped;
  const { max_fast_replies: most, fast_reply_s: fastS } = loopGuard;
  const isFast = before.last_reply_at !== null && Math.abs(now - before.last_reply_at) < fastS * 1000;
  if (isFast && most > 0 && before.fast_replies >= most) return stopped;
  const inherits = { fast_replies: isFast ? before.fast_replies + 1 : 0, answers_before: arrival.threadRuns };
  return { ...go(null), inherits };
}

/** How long somebody has to wait who has written at once after each of several answers. */
const PAUSE_MS = 15 * 60_000;
/** A sender who begins other subjects, as people do who get through their work, may go on for this many times as long. */
const PACE = 4;
/** How many senders are told who are counted together: a crowd of people is; a program that takes any name is not for long. */
const MOST_TOLD = 60;

/**
 * Needs no reference between mails. Whoever answers each of our answers at once is a program, or a person in a hurry:
 * where nearly the same words come back it is a program, and stopped; a proven sender with words of their own waits, is
 * answered after it, and is stopped only where it all begins again. Whom it stops or lets wait hears of it, once.
 */
function guardLetters({ arrival: { alike, threads }, tier, thread, loopGuard, sender, now }: Given, goes: LoopCount) {
  const { max_fast_replies: most } = loopGuard;
  if (most === 0) return goes;
  const told = isTold(tier) ? toldAs(alike) : 0;
  const threadId = thread?.id ?? null;
  const stops = alike.filter((one) => one.state === 'stopped' && Math.abs(now - one.at) < HOUR_MS);
  const noticeKey = `loop_limit:${sender}:${now}`;
  // Others who say the same are held only while that is being answered: nobody's words are spent by somebody else.
  const isAmongThem = alike.some((one) => one.fresh && one.near);
  if (stops.some((one) => (one.for_words === 1 ? one.near && (one.own || isAmongThem) : one.own))) {
    const isNew = told > 0 && !stops.some((one) => one.own && one.told > 0);
    // A row only for whom it tells of it: a program that goes on by itself leaves nothing.
    const forWords = stops.some((one) => one.for_words === 1 && one.near);
    return stop({ threadId, noticeKey: null, ...(isNew ? { tells: 'sender', count: stopped(forWords, told) } : {}) });
  }

  const fresh = alike.filter((one) => one.fresh);
  const answered = fresh.filter((one) => tier === 'unauthenticated' || isAnsweredBy(one, threads));
  // Who takes another name for the same words has most likely begun under a third one, with which nothing is counted.
  const inRow =
    answered.length === 0 ? 0 : 1 + Math.max(...answered.map((one) => Math.max(one.in_row, one.own ? 0 : 1)));
  const pace = fresh.length === 0 ? 0 : 1 + Math.max(...fresh.map((one) => one.pace));
  if (inRow <= most && pace <= PACE * most) {
    return { ...goes, count: { ...NOTHING, state: 'answered', in_row: inRow, pace } } satisfies LoopCount;
  }

  const isProgram = answered.some((one) => one.near && one.in_row >= most);
  const waits = alike.filter((one) => one.own && one.state === 'later');
  const begunAgain = waits.some(({ until }) => until !== null && until <= now);
  if (isProgram || begunAgain || tier === 'unauthenticated') {
    return stop({ threadId, noticeKey, tells: told > 0 ? 'sender' : null, count: stopped(isProgram, told) });
  }
  // All that waits is answered together; what a clock has dated that was ahead waits no longer than the rest.
  const until = Math.min(Math.max(...waits.map((one) => one.until ?? 0), 0) || now + PAUSE_MS, now + PAUSE_MS);
  const isNew = told > 0 && !waits.some((one) => one.told > 0);
  const count: Count = { ...NOTHING, state: 'later', in_row: inRow, pace, told: isNew ? told : 0, until };
  return { ...goes, count, later: { until, tells: isNew } } satisfies LoopCount;
}

const NOTHING = { for_words: 0, in_row: 0, pace: 0, told: 0, until: null } as const;

const stopped = (forWords: boolean, told: number): Count => ({
  ...NOTHING,
  state: 'stopped',
  for_words: forWords ? 1 : 0,
  told,
});

/** The how manyth its sender is of those who are told; 0: they are too many. */
function toldAs(alike: readonly AlikeLetter[]): number {
  const others = Math.max(0, ...alike.filter(({ own }) => !own).map(({ told }) => told));
  return others < MOST_TOLD ? others + 1 : 0;
}

/** Whether the mail goes on with that letter: by what it answers, where it names a mail of ours; else by subject or words. */
const isAnsweredBy = (letter: AlikeLetter, threads: readonly FoundThread[]): boolean =>
  letter.near || (threads.length > 0 ? threads.some(({ id }) => id === letter.thread_id) : letter.sameSubject);

const go = (threadPatch: ThreadPatch | null): LoopCount => ({ kind: 'go', threadPatch, count: null, later: null });

const stop = (fields: Pick<LoopStop, 'noticeKey'> & Partial<LoopStop>): LoopStop => ({
  kind: 'stop',
  threadId: null,
  threadPatch: null,
  tells: null,
  count: null,
  ...fields,
});

const SLOT_MS = 60_000;
const SLOTS = 60;
const WINDOW_MS = SLOT_MS * SLOTS;
/** A gateway answers as much as this many of its busiest senders may ask for. */
const SENDERS = 100;

/** All the answers of this gateway within about an hour, over all personas. */
export interface Circuit {
  count(now: number): void;
  answers(now: number): number;
}

/**
 * Kept in memory: it is the last of three breakers, those of a thread and of a sender stand in rows. Loops that keep
 * changing their sender and their thread meet only this one.
 */
export function createCircuit(): Circuit {
  const slots = Array.from({ length: SLOTS }, () => ({ begins: 0, answers: 0 }));
  return {
    count(now) {
      const begins = now - (now % SLOT_MS);
      const slot = slots[(begins / SLOT_MS) % SLOTS];
      if (!slot) return;
      slot.answers = slot.begins === begins ? slot.answers + 1 : 1;
      slot.begins = begins;
    },
    answers: (now) =>
      slots.reduce((sum, slot) => (Math.abs(now - slot.begins) < WINDOW_MS ? sum + slot.answers : sum), 0),
  };
}

/** 0: off, as the limit of one sender is. */
const answersAnHour = (perSender: number): number => perSender * SENDERS;
