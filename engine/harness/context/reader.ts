import type { Store } from '../../storage/ports/store.ts';

/** All that a stage of the gathering may ask of the store: nothing that writes to the record of a run. */
export type GatherReader = Pick<
  Store,
  | ('countSeen' | 'threadPage' | 'openApprovalsOfThread' | 'search' | 'likelyEpisodes' | 'episodesAt')
  | ('draftsOfThread' | 'knownParticipants')
  | ('threadMemory' | 'shownTexts' | 'findClosings')
  | ('instructionsFor' | 'factsFor' | 'disputedFacts' | 'factsByIds')
>;

/** The store as a stage gets it. Only the recorder writes, so nothing else is there, whatever a type is cast to. */
export function readerOf(store: GatherReader): GatherReader {
  const { countSeen, threadPage, openApprovalsOfThread, search, likelyEpisodes, episodesAt } = store;
  const { instructionsFor, factsFor, disputedFacts, factsByIds, draftsOfThread, knownParticipants } = store;
  const { threadMemory, shownTexts, findClosings } = store;
  const mail = { countSeen, threadPage, openApprovalsOfThread, search, likelyEpisodes, episodesAt };
  return Object.freeze({
    ...mail,
    instructionsFor,
    factsFor,
    disputedFacts,
    factsByIds,
    draftsOfThread,
    knownParticipants,
    threadMemory,
    shownTexts,
    findClosings,
  });
}
