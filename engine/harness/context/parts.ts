import { withDeadline } from '../../lib/deadline.ts';
import type { Store } from '../../storage/ports/store.ts';

/** How one part of the gathering went, in ms; `from_ms` counts from the beginning of all of them. */
export interface Span {
  readonly part: string;
  readonly from_ms: number;
  readonly ms: number;
  /** Of what it brought. */
  readonly chars: number;
  readonly error: string | null;
}

export interface Part<Result> {
  readonly span: Span;
  /** Null where it failed or was late, and where it brought nothing. */
  readonly result: Result | null;
}

/** The beginning of a gathering, by which the spans of its parts are told. */
export interface Began {
  readonly at: number;
  now(): number;
}

export const DEADLINE_MS = 10_000;

/**
 * Runs one part under its own deadline. Never rejects: a part that throws, hangs or is late has a span that says so, and
 * whoever needs it does without.
 */
export async function gatherPart<Result>(
  part: { readonly name: string; readonly deadlineMs?: number; charsOf(result: Result): number },
  work: (signal: AbortSignal) => Promise<Result | null>,
  began: Began,
): Promise<Part<Result>> {
  const start = began.now();
  const spanOf = (chars: number, error: string | null): Span => ({
    part: part.name,
    from_ms: start - began.at,
    ms: began.now() - start,
    chars,
    error,
  });
  try {
    const ms = part.deadlineMs ?? DEADLINE_MS;
    const result = await withDeadline(work, { ms, code: 'timeout', what: part.name });
    return { span: spanOf(result === null ? 0 : part.charsOf(result), null), result };
  } catch (error) {
    return { span: spanOf(0, error instanceof Error ? error.message : String(error)), result: null };
  }
}

/** All that a stage of the gathering may ask of the store: nothing that writes to the record of a run. */
export type GatherReader = Pick<
  Store,
  | ('countSeen' | 'threadPage' | 'openApprovalsOfThread' | 'search' | 'likelyEpisodes' | 'episodesAt')
  | ('draftsOfThread' | 'knownParticipants')
  | ('threadMemory' | 'shownTexts' | 'findClosings')
  | ('factsFor' | 'disputedFacts' | 'factsByIds')
  | ('rulesFor' | 'rulesByIds')
>;

/** The store as a stage gets it. Only the recorder writes, so nothing else is there, whatever a type is cast to. */
export function readerOf(store: GatherReader): GatherReader {
  const { countSeen, threadPage, openApprovalsOfThread, search, likelyEpisodes, episodesAt } = store;
  const { factsFor, disputedFacts, factsByIds, draftsOfThread, knownParticipants } = store;
  const { threadMemory, shownTexts, findClosings, rulesFor, rulesByIds } = store;
  const mail = { countSeen, threadPage, openApprovalsOfThread, search, likelyEpisodes, episodesAt };
  return Object.freeze({
    ...mail,
    factsFor,
    disputedFacts,
    factsByIds,
    rulesFor,
    rulesByIds,
    draftsOfThread,
    knownParticipants,
    threadMemory,
    shownTexts,
    findClosings,
  });
}
