import type { Around, Features } from '../harness/features.ts';
import { outcomeAfterRun } from '../learning/outcome-job.ts';
import { summariesAfterRun } from '../memory/threads/summarise-job.ts';
import { weeklyJobs } from '../record/jobs/weekly.ts';
import { withinOutsideWork } from '../tools/outside/places.ts';
import { answerFirst } from './answer-first.ts';
import { atHand } from './at-hand.ts';
import { conditionUnmet } from './condition.ts';
import { feedbackGiven, givesFeedback } from './feedback.ts';
import { byPlaybook, playbook } from './playbook.ts';
import { answeredTask } from './prompt/answered-task.ts';
import { closedThreads, recall } from './prompt/earlier-mail.ts';
import { active, facts } from './prompt/facts.ts';
import { intent } from './prompt/intent.ts';
import { bringsMeeting, meetings } from './prompt/meetings.ts';
import { openLoops, people } from './prompt/people.ts';
import { rules } from './prompt/rules.ts';
import { knowledge, mailSearch } from './prompt/sources.ts';
import { threadMemory } from './prompt/thread-memory.ts';
import { openActions, unsentDrafts, waitingForOwners } from './prompt/unfinished.ts';
import { remembering } from './remembering.ts';
import { takenByPerson } from './taken-by-person.ts';

/** A call whose result may come later is made only while there is room for one more of them. */
const withRoomElsewhere: Around = { make: ({ loaded, ...run }) => withinOutsideWork({ ...run, run: loaded.run }) };

/** All that is more than a run by itself. What a setting switches off leaves the list of each run that it is off for. */
export const FEATURES: Features = {
  atHand,
  // Their order is the order on record: of spans, of what could not be loaded, of keys and events.
  parts: [
    mailSearch,
    knowledge,
    meetings,
    answeredTask,
    people,
    openLoops,
    openActions,
    waitingForOwners,
    unsentDrafts,
    threadMemory,
    active,
    recall,
    closedThreads,
    facts,
    rules,
    intent,
    answerFirst,
    playbook,
  ],
  before: [takenByPerson, feedbackGiven, conditionUnmet],
  around: [byPlaybook, withRoomElsewhere],
  ownRun: [givesFeedback, bringsMeeting],
  after: [
    remembering,
    ({ loaded, omitted, now, ...of }) => summariesAfterRun(of, loaded, { omitted, now }),
    ({ loaded, now, ...of }) => outcomeAfterRun(of, loaded, now),
    ({ persona, configs, now }) => weeklyJobs({ persona, system: configs.system }, now),
  ],
};
