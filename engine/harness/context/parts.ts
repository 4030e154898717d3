import type { KnowledgeCapability, ResolverCapabilities, ResolverMessage } from '#contract';
import type { Configs, Persona, TaskEntry } from '../../config/types.ts';
import type { RegisteredTool, Registry } from '../../extensions/types.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { CallStage, StageSettings } from '../../models/stage.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import type { OnceText } from '../../policy/values/once.ts';
import type { ShownPiece } from '../../policy/values/shown.ts';
import type { Asker } from '../../policy/viewer.ts';
import type { Intent } from '../../record/codec/intent.ts';
import type { PayloadOf } from '../../record/events.ts';
import type { Origin } from '../../record/origins.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { RunLog } from '../../record/run-log.ts';
import type { RunFrame, StoredSettings } from '../../record/settings.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Library } from '../../tools/documents/library.ts';

/**
 * What a feature adds to a prompt. The gathering knows none of them: it is handed a list, and goes by the list's order wherever
 * an order can be seen, on record and in the prompt.
 */
export interface GatherPart {
  /** What it is in this run. Null: it is switched off, or this is no run for it. */
  forRun(run: GatherRun): PartOfRun | null;
  /** What it had put into the prompt, read from the record: for a run that goes on, and for a replay. */
  again?(record: RecordedRun): Promise<Placed | null>;
  /** What an owner is told that its texts are which stand in the prompt once, by the resolver that is on record of them. */
  readonly origins?: Readonly<Record<string, Origin>>;
}

/** One part in one run: each of these is asked once, when the prompt is put together. */
export interface PartOfRun {
  /** What resolvers may use of it. */
  readonly capabilities?: Partial<ResolverCapabilities>;
  /** What it tells resolvers of the mail. */
  message?(): Promise<Partial<ResolverMessage>>;
  /** Finds out what the mail wants; the others may wait for it. Of several parts the first is asked. */
  intent?(began: Began, known: RunFrame): Promise<FoundIntent>;
  /** Looks beside the resolvers. Null: there is nothing to tell of, not even that it looked. */
  gather?(began: Began, intent: Promise<Intent | null>): Promise<Found | null>;
  /** Whose words a text of a resolver has that stands in the prompt once; undefined: the text is none of this part's. */
  sourceOf?(resolver: string, asker: Asker): Promise<Pick<OnceText, 'foreign' | 'isOfThread'> | undefined>;
}

/** What a part has found, and what is to come of it. */
export interface Found {
  /** How it went, for the trace; null: nobody needs to know. */
  readonly span: Span | null;
  /** What is missing, in words for the model. */
  readonly limitations?: readonly string[];
  readonly placed?: Placed | null;
  /** Texts that stand beside the mail in this run alone, after those of resolvers. */
  readonly once?: readonly OnceText[];
  /** The texts of resolvers that stand there once, without what this part says anyway. */
  without?(texts: readonly OnceText[]): readonly OnceText[];
  /** The last parts of the prompt that stay the same from mail to mail. */
  readonly system?: readonly string[];
  readonly settings?: Partial<StoredSettings>;
  readonly pinned?: Pick<Parameters<Recorder['pin']>[0], 'playbookVersion'>;
  /** What is known of the mail, with what this part knows more. */
  frame?(known: RunFrame): RunFrame;
  /** Its keys of the event that tells how the prompt was put together. */
  readonly onRecord?: Partial<PayloadOf<'context_built'>>;
  /** Its own events, which follow that one. */
  tell?(recorder: Pick<Recorder, 'event'>): void;
}

export interface FoundIntent extends Found {
  readonly intent: Intent | null;
  /** Paid for by now and asked for once: it is on record before anything else of the prompt is. */
  keep(recorder: Pick<Recorder, 'event' | 'commit'>): Promise<void>;
}

/** A text that stands in the prompt beside the mail, in this run alone, with where each piece of it came from. */
export interface Placed {
  readonly text: string;
  /** Next to the mail, or beyond all that is next to it. In a run of before, all of that stood above the mail. */
  readonly at: 'next' | 'beyond';
  readonly shown: readonly ShownPiece[];
}

/** A run whose prompt is put together. */
export interface GatherRun {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Configs;
  readonly store: GatherReader;
  readonly own: OwnRows;
  /** What was on record when the run was claimed. */
  readonly log: RunLog;
  readonly library: Library;
  readonly knowledge: KnowledgeCapability;
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  /** Those that the model is shown, as policy looks at them. */
  readonly offered: readonly ToolFacts[];
  /** As their files stand now. */
  tasks(): readonly TaskEntry[];
  isOwnAddress(address: string): boolean;
  /** Paths of the persona's own files as they stand now; `isCut`: there may be more of them. */
  fileNames(): Promise<{ readonly names: readonly string[]; readonly isCut: boolean }>;
  /** A small model beside the one that answers, booked on the run. */
  stage(settings: StageSettings): StageOfRun;
  /** Unix ms. */
  now(): number;
}

/** A small model of a run. */
export interface StageOfRun {
  /** Its model, until the signal ends it. */
  call(signal: AbortSignal): CallStage;
  /** Of the run. */
  readonly signal: AbortSignal;
}

/** A run whose prompt was put together before. */
export interface RecordedRun {
  readonly loaded: LoadedRun;
  readonly log: RunLog;
  readonly store: Pick<Store, 'factsByIds' | 'rulesByIds' | 'episodesAt'>;
  /** What is on record of how it was put together. */
  readonly built: PayloadOf<'context_built'> | undefined;
}

/** Whether the mail that is answered was all that there was of its thread when its run was claimed. */
export const isFirstOfThread = ({ thread }: Pick<LoadedRun, 'thread'>): boolean => thread.message_count <= 1;

/** How one look went, in ms; `from_ms` counts from the beginning of the gathering. */
export interface Span {
  readonly part: string;
  readonly from_ms: number;
  readonly ms: number;
  /** Of what it brought. */
  readonly chars: number;
  readonly error: string | null;
}

/** What was looked at beside all else. */
export interface TimedLook<Result> {
  readonly span: Span;
  /** Null where it failed or was late, and where it brought nothing. */
  readonly result: Result | null;
}

/** The beginning of a gathering, by which the spans of its looks are told. */
export interface Began {
  readonly at: number;
  now(): number;
}

export const DEADLINE_MS = 10_000;

/**
 * Looks at one thing under a deadline of its own. Never rejects: a look that throws, hangs or is late has a span that says so,
 * and whoever needs what it was for does without.
 */
export async function timedLook<Result>(
  look: { readonly name: string; readonly deadlineMs?: number; charsOf(result: Result): number },
  work: (signal: AbortSignal) => Promise<Result | null>,
  began: Began,
): Promise<TimedLook<Result>> {
  const start = began.now();
  const spanOf = (chars: number, error: string | null): Span => ({
    part: look.name,
    from_ms: start - began.at,
    ms: began.now() - start,
    chars,
    error,
  });
  try {
    const ms = look.deadlineMs ?? DEADLINE_MS;
    const result = await withDeadline(work, { ms, code: 'timeout', what: look.name });
    return { span: spanOf(result === null ? 0 : look.charsOf(result), null), result };
  } catch (error) {
    return { span: spanOf(0, error instanceof Error ? error.message : String(error)), result: null };
  }
}

/** Rows that parts keep or read for themselves; none of them is the record of a run. */
export type OwnRows = Pick<
  Store,
  | ('keepInvitations' | 'statesOfInvitation' | 'invitationsOfThread' | 'answersToInvitation' | 'newestInvitation')
  | ('playbookInForce' | 'nameOfSender')
>;

/** The same of the store, and nothing else of it. */
export function ownRowsOf(store: OwnRows): OwnRows {
  const { keepInvitations, statesOfInvitation, invitationsOfThread, answersToInvitation, newestInvitation } = store;
  const { playbookInForce, nameOfSender } = store;
  const invitations = {
    keepInvitations,
    statesOfInvitation,
    invitationsOfThread,
    answersToInvitation,
    newestInvitation,
  };
  return Object.freeze({ ...invitations, playbookInForce, nameOfSender });
}

/** All that a stage of the gathering may ask of the store: nothing that writes to the record of a run. */
export type GatherReader = Pick<
  Store,
  | (
      | 'countSeen'
      | 'threadPage'
      | 'openApprovalsOfThread'
      | 'openApprovalsOfAll'
      | 'pendingApprovals'
      | 'findNotice'
      | 'getRun'
      | 'search'
      | 'likelyEpisodes'
      | 'episodesAt'
    )
  | ('seenThreads' | 'namesOfPeople')
  | ('draftsOfThread' | 'knownParticipants')
  | ('threadMemory' | 'shownTexts' | 'findClosings')
  | ('factsFor' | 'disputedFacts' | 'factsByIds')
  | ('rulesFor' | 'rulesByIds')
>;

/** The store as a stage gets it. Only the recorder writes, so nothing else is there, whatever a type is cast to. */
export function readerOf(store: GatherReader): GatherReader {
  const { countSeen, threadPage, openApprovalsOfThread, openApprovalsOfAll, search, likelyEpisodes, episodesAt } =
    store;
  const { pendingApprovals, findNotice, getRun } = store;
  const { factsFor, disputedFacts, factsByIds, draftsOfThread, knownParticipants } = store;
  const { threadMemory, shownTexts, findClosings, rulesFor, rulesByIds, seenThreads, namesOfPeople } = store;
  const mail = { countSeen, threadPage, openApprovalsOfThread, openApprovalsOfAll, search, likelyEpisodes, episodesAt };
  return Object.freeze({
    ...mail,
    pendingApprovals,
    findNotice,
    getRun,
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
    seenThreads,
    namesOfPeople,
  });
}
