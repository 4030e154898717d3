import type { MailCapability } from '#contract';
import { instantIn, localTime } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { SeenThread, ThreadsWanted } from '../../storage/types/thread-overview.ts';
import { type RefusedDeps, refusedOnes, toldOfRefused } from './refused.ts';

export type RefusedSight = RefusedDeps & { now(): number };

/** More than are told of, so that those that wait are found among them. */
const MOST_THREADS = 200;
/** Whose mail was refused, where nobody says since when. */
const REFUSED_MS = 7 * DAY_MS;
const MOST_REFUSED = 10;

/** Who wrote to whom about what, and what it waits for: by rows, and in no case by what a mail says. */
export function createThreadLister({
  store,
  viewer,
  asker,
  timezone,
  refused = null,
}: Pick<ThreadsWanted, 'viewer' | 'asker'> & {
  readonly timezone: string;
  readonly store: Pick<Store, 'seenThreads'>;
  /** Null where others than owners read what it finds. */
  readonly refused?: RefusedSight | null;
}): MailCapability['threads'] {
  return async ({ since, open = false, limit }) => {
    const from = since === undefined ? 0 : instantIn(timezone, since, 'since');
    const seen = await store.seenThreads({ since: from, viewer, asker, limit: MOST_THREADS });
    const all = seen
      .map((thread) => ({
        thread_id: thread.thread_id,
        subject: thread.subject,
        people: thread.people.map(({ name, address, isProven }) => personOf(name, address, isProven)),
        mails: thread.mails,
        last_by:
          thread.last_direction === 'out'
            ? 'you'
            : personOf(thread.last_name, thread.last_from ?? '?', thread.last_tier !== 'unauthenticated'),
        last_at: localTime(timezone, thread.last_at),
        waits_for: waitsFor(thread),
      }))
      .filter(({ waits_for }) => !open || waits_for !== null);
    const found = { threads: all.slice(0, limit), more: all.length > limit || seen.length === MOST_THREADS };
    if (refused === null) return found;
    const strangers = await refusedOnes(refused, {
      since: since === undefined ? refused.now() - REFUSED_MS : from,
      limit: MOST_REFUSED,
    });
    return {
      ...found,
      refused: strangers.senders.map((one) => toldOfRefused(one, timezone)),
      ...(strangers.more ? { more_refused: true } : {}),
    };
  };
}

const personOf = (name: string, address: string, isProven: boolean): string =>
  `${name === '' ? address : `${name} <${address}>`}${isProven ? '' : ' (unproven)'}`;

/** For whom or what, in words for a model; null: for nobody. */
export function waitsFor(thread: SeenThread): string | null {
  const {
    taken_by,
    asked,
    asked_in_words: inWords,
    drafts,
    last_direction: direction,
    last_to: to,
    status,
    outcome,
  } = thread;
  if (taken_by !== null) return `${taken_by}, who answers in it in person`;
  if (asked > 0) {
    const whose = asked === inWords ? "an owner's answer to your question" : "an owner's approval";
    return asked > 1 ? `${whose} (${asked} questions)` : whose;
  }
  if (drafts > 0) return 'a person who sends your answer, which lies in Drafts';
  // Whether a mail of ours asked anything no row knows; an answer of ours says so by itself.
  const isUnanswered = thread.begun_by_us === 1 && thread.people.length === 0 && to.length > 0;
  const theirs = `an answer of ${to.slice(0, MAX_READERS).join(', ')}`;
  if (direction === 'out' && outcome === 'clarification') return theirs;
  if (direction === 'out') return isUnanswered ? `${theirs}, if your mail asked for one` : null;
  if (status === null) return 'an answer: nobody has begun one';
  if (status === 'failed') return 'an answer: yours failed';
  if (status === 'done' || status === 'cancelled') return null;
  return thread.deferred_code === null ? 'your answer, which is being written' : 'your answer, which is put off';
}

const MAX_READERS = 3;
