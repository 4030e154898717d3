import type { GatherPart, GatherRun } from '../harness/context/parts.ts';
import { isFirstOfThread } from '../harness/context/parts.ts';
import type { AfterRun, Around, BeforeRun, Features } from '../harness/features.ts';
import { skipOpenCalls } from '../harness/loop/run-calls.ts';
import { TAKEN } from '../harness/respond/respond.ts';
import { outcomeAfterRun } from '../learning/outcome-job.ts';
import { learningOf } from '../learning/settings.ts';
import { summariesAfterRun } from '../memory/threads/summarise-job.ts';
import { type StageName, stageSettings } from '../models/stage.ts';
import { hasReaders } from '../policy/viewer.ts';
import { isLeftOfAnswer } from '../record/asked-in-words.ts';
import { weeklyJobs } from '../record/jobs/weekly.ts';
import { answeredTaskOf, taskOf } from '../record/trigger.ts';
import { ANSWERED_SINCE } from '../storage/types/approvals.ts';
import { isAbout } from '../suspensions/members.ts';
import { withinOutsideWork } from '../tools/outside/places.ts';
import { answerFirst } from './answer-first.ts';
import { atHand } from './at-hand.ts';
import { conditionUnmet } from './condition.ts';
import { feedbackGiven, givesFeedback } from './feedback.ts';
import { byPlaybook, playbook } from './playbook.ts';
import { answeredQuestion } from './prompt/answered-question.ts';
import { answeredTask } from './prompt/answered-task.ts';
import { closedThreads, recall } from './prompt/earlier-mail.ts';
import { facts } from './prompt/facts.ts';
import { intent } from './prompt/intent.ts';
import { bringsMeeting, meetings } from './prompt/meetings.ts';
import { openLoops, people } from './prompt/people.ts';
import { rules } from './prompt/rules.ts';
import { active, knowledge, mailSearch, threadMemory } from './prompt/sources.ts';
import { askedInWords, openActions, unsentDrafts, waitingCalls, waitingForOwners } from './prompt/unfinished.ts';
import { remembering } from './remembering.ts';

/** What is asked of a run to know which features it has. */
type Asked = Pick<GatherRun, 'loaded' | 'persona' | 'configs'>;

const isOfMail = ({ loaded }: Asked): boolean => loaded.trigger.kind === 'mail';

const isLearning = ({ persona, configs }: Asked): boolean => learningOf(persona, configs.system).enabled;

const keepsFacts = ({ persona }: Asked): boolean => persona.memory.facts === true;

/** A small model beside the one that answers is configured for it. */
const hasModel = ({ persona, configs }: Asked, stage: StageName): boolean =>
  stageSettings(persona, configs.inference, stage) !== null;

/**
 * Not for a task, which nobody wrote now, nor where others are told as well, who may not see what the sender may, nor where an owner's
 * words alone are to be known.
 */
const recalls = (run: Asked): boolean =>
  isOfMail(run) &&
  !isLeftOfAnswer(run.loaded.message) &&
  !hasReaders(run.loaded.run) &&
  (run.persona.memory.recall ?? run.configs.system.memory.recall) === true;

/** What a setting switches off, and what this mail has nothing of, is not in the list of the run. */
const partIf = (isFor: (run: Asked) => boolean, part: GatherPart): GatherPart => ({
  ...part,
  forRun: (run) => (isFor(run) ? part.forRun(run) : null),
});

const stepIf =
  (isFor: (run: Asked) => boolean, step: BeforeRun): BeforeRun =>
  async (run) =>
    isFor(run) ? step(run) : null;

const jobsIf =
  (isFor: (end: Parameters<AfterRun>[0]) => boolean, jobs: AfterRun): AfterRun =>
  (end) =>
    isFor(end) ? jobs(end) : [];

/** Their order is the order on record: of spans, of what could not be loaded, of keys and events. */
export const PARTS = {
  mailSearch,
  knowledge,
  meetings: partIf(({ loaded }) => loaded.attachments.length > 0 || !isFirstOfThread(loaded), meetings),
  answeredTask: partIf(({ loaded }) => answeredTaskOf(loaded) !== null, answeredTask),
  answeredQuestion: partIf(
    (run) => isOfMail(run) && run.loaded.run.tier === 'owner' && !hasReaders(run.loaded.run),
    answeredQuestion,
  ),
  people: partIf(isOfMail, people),
  openLoops: partIf(isOfMail, openLoops),
  openActions: partIf(({ loaded }) => !isFirstOfThread(loaded) && !hasReaders(loaded.run), openActions),
  askedInWords: partIf((run) => isOfMail(run) && !hasReaders(run.loaded.run), askedInWords),
  waitingCalls: partIf(isOfMail, waitingCalls),
  waitingForOwners: partIf(({ loaded }) => taskOf(loaded) !== null, waitingForOwners),
  unsentDrafts: partIf(({ loaded, persona: { reply } }) => {
    const leavesAll = reply.mode === 'send' && reply.rules.every(({ mode }) => mode === 'send');
    return !leavesAll && !hasReaders(loaded.run);
  }, unsentDrafts),
  threadMemory,
  active,
  recall: partIf(recalls, recall),
  closedThreads: partIf(recalls, closedThreads),
  facts: partIf((run) => keepsFacts(run) && run.loaded.run.kind !== 'delegation', facts),
  rules,
  intent: partIf((run) => isOfMail(run) && hasModel(run, 'frame'), intent),
  answerFirst: partIf((run) => run.configs.security.approvals.answer === 'now' && isOfMail(run), answerFirst),
  playbook: partIf(isLearning, playbook),
} as const satisfies Readonly<Record<string, GatherPart>>;

/** A person has taken the thread since its mail came. What was begun goes on: an owner may have said yes to a call of it. */
const takenByPerson: BeforeRun = async ({ loaded: { trigger, thread, run, decided } }) =>
  trigger.kind === 'mail' && decided === undefined && thread.taken_by !== null && run.model_calls === 0
    ? { status: 'done', ...TAKEN }
    : null;

/** A call whose result may come later is made only while there is room for one more of them. */
const withRoomElsewhere: Around = {
  make: ({ loaded, ...run }) => {
    return (next, make) =>
      next.tool.definition.check === undefined ? make() : withinOutsideWork({ ...run, run: loaded.run })(next, make);
  },
};

/** All that it waits for was asked once more in its conversation, and the run that asked again answers with what the owner has said. */
const answeredSince: BeforeRun = async ({ loaded: { approvals }, loop }) => {
  const { pending } = loop.state;
  const open = (pending?.calls ?? []).filter(({ id }) => !pending?.results.has(id));
  const isSince = (callId: string) => approvals.findLast((row) => isAbout(row, callId))?.reason === ANSWERED_SINCE;
  if (open.length === 0 || !open.every(({ id }) => isSince(id))) return null;
  skipOpenCalls(loop, ANSWERED_SINCE);
  return { status: 'done', outcome: 'silent:answered_together', code: 'answered_together' };
};

/** All that is more than a run by itself, and in which runs it is. */
export const FEATURES: Features = {
  atHand,
  parts: Object.values(PARTS),
  before: [
    takenByPerson,
    answeredSince,
    stepIf((run) => isOfMail(run) && isLearning(run), feedbackGiven),
    stepIf(({ loaded }) => Boolean(taskOf(loaded)?.condition), conditionUnmet),
  ],
  around: [
    { ...byPlaybook, isFor: ({ settings, state }) => Boolean(settings.playbook) || state.playbookSteps.length > 0 },
    withRoomElsewhere,
  ],
  ownRun: [givesFeedback, bringsMeeting],
  after: [
    jobsIf((end) => keepsFacts(end) && hasModel(end, 'remember'), remembering),
    jobsIf(
      (end) => end.omitted > end.configs.system.memory.summarise_after && hasModel(end, 'summarise'),
      ({ loaded, now }) => summariesAfterRun(loaded, now),
    ),
    jobsIf(isLearning, ({ loaded, now }) => outcomeAfterRun(loaded, now)),
    ({ persona, configs, now }) => weeklyJobs({ persona, system: configs.system }, now),
  ],
};
