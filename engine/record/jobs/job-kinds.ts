import { z } from 'zod';
import type { HookEvent } from '#contract';
import { LANGUAGES } from '../../languages/language.ts';
import { ACTIVE_JOB, type NewJob, playbookOutcomeJobId } from '../../storage/types/jobs.ts';
import { defineJob } from './jobs.ts';

// Kinds of jobs that one room asks for and another does. A kind of one room alone is defined beside its handler.

const OfRun = z.object({ run_id: z.string() });
const OfApproval = z.object({ approval_id: z.string() });
const Nothing = z.object({});

/** Asks the hook of an extension to hear of an event. */
export const hookJob = defineJob(
  'hook',
  z.object({
    hook: z.string(),
    event: z.custom<HookEvent>(
      (event) => z.object({ name: z.string(), runId: z.string().nullable() }).safeParse(event).success,
    ),
  }),
);

/** Mails owners what is held; without a run, what all runs have held. */
export const approvalNotice = defineJob('approval_notice', z.object({ run_id: z.string().optional() }));
/** One for each run, and one for all of them at once. */
export const approvalNoticeJob = (runId: string | null, dueAt: number): NewJob =>
  runId === null
    ? approvalNotice.job({ id: 'approval_notice', due_at: dueAt, payload: {} })
    : approvalNotice.job({ id: `approval_notice:${runId}`, due_at: dueAt, payload: { run_id: runId } });
/** At the moment at which an approval is over. */
export const approvalExpiry = defineJob('approval_expiry', OfApproval);
export const approvalExpiryJob = ({ id, expires_at }: { readonly id: string; readonly expires_at: number }): NewJob =>
  approvalExpiry.job({ id: `approval_expiry:${id}`, due_at: expires_at, payload: { approval_id: id } });
const ConsoleDecision = OfApproval.extend({
  /** Of what was shown: another call is not meant. */
  arguments_hash: z.string(),
  state: z.enum(['approved', 'rejected']),
  by: z.string(),
  reason: z.string().nullable(),
  /** Of a yes: such calls go without a question from now on. */
  from_now_on: z.literal(true).optional(),
});
/** Decides what somebody has decided in a browser; until it is due it can be taken back. */
export const consoleDecision = defineJob('console_decision', ConsoleDecision);
export const consoleDecisionJobId = (approvalId: string): string => `console_decision:${approvalId}`;
export const consoleDecisionJob = (payload: z.infer<typeof ConsoleDecision>, dueAt: number): NewJob =>
  consoleDecision.job({ id: consoleDecisionJobId(payload.approval_id), due_at: dueAt, payload });
const OwnerWordsGiven = z.discriminatedUnion('do', [
  /** A run of theirs begins with the mail by which they answered; `said`: all of their answer, `words`: what of it was left. */
  z.object({ do: z.literal('begin'), by: z.string(), message_id: z.string(), said: z.string(), words: z.string() }),
  /** They are the answer to a question that waits. */
  z.object({ do: z.literal('answer'), by: z.string(), approval_id: z.string(), words: z.string() }),
  /** A later question of the conversation has their answer, and this one needs none any more. */
  z.object({ do: z.literal('close'), by: z.string(), approval_id: z.string() }),
]);
export type OwnerWords = z.infer<typeof OwnerWordsGiven>;
/** Hands on what an owner has said beyond the matter of a run; `by`: who said it. */
export const ownerWords = defineJob('owner_words', OwnerWordsGiven);
/** Looks after a call that waits for something outside: now and again until that has come, or its time is over. */
export const suspensionDue = defineJob('suspension_due', z.object({ suspension_id: z.string() }));
export const suspensionJob = (id: string, dueAt: number): NewJob =>
  suspensionDue.job({ id: `suspension_due:${id}`, due_at: dueAt, payload: { suspension_id: id } });
/** Brings what a child run has come to, to the run that waits for it. */
export const delegationEnded = defineJob('delegation_ended', OfRun);
export const delegationEndedJob = (runId: string, now: number): NewJob =>
  delegationEnded.job({ id: `delegation_ended:${runId}`, due_at: now, payload: { run_id: runId } });
/** Mails an owner a question, or a plan. */
export const question = defineJob('question', OfApproval);
/**
 * Tells whoever asked that an owner has to agree first, or, with `words`, to answer a question. `ended`: that STOP has closed
 * what it waited for.
 */
export const waitNotice = defineJob(
  'wait_notice',
  OfRun.extend({ words: z.literal(true).optional(), ended: z.literal(true).optional() }),
);
export const waitEndedJob = (runId: string, now: number): NewJob =>
  waitNotice.job({ id: `wait_ended:${runId}`, due_at: now, payload: { run_id: runId, ended: true } });
/** Tells whoever asked for a mail of the answer to it. */
export const relay = defineJob('relay', OfRun);

/** Tells whoever asked for an invitation how somebody has answered it; `meeting`: what it is and when, line by line. */
export const meetingAnswered = defineJob(
  'meeting_answered',
  z.object({ invitation_id: z.string(), attendee: z.string(), meeting: z.string() }),
);

/** Says what was not understood of an owner's answer, or that it came late. */
export const clarify = defineJob(
  'clarify',
  z.object({
    to: z.string(),
    notice_id: z.string(),
    language: z.enum(LANGUAGES),
    about: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('unclear'),
        why: z.string(),
        detail: z.string().nullable(),
        /** A run works on it. */
        beside: z.string().optional(),
        /** Written by older versions, which had no run work on it. */
        asked: z.string().optional(),
      }),
      z.object({ kind: z.literal('late') }),
    ]),
  }),
);

const Answered = z.object({
  to: z.string(),
  notice_id: z.string(),
  answer_id: z.string(),
  message_id: z.string(),
  answered_at: z.number(),
  language: z.enum(LANGUAGES),
});
const SendersAnswered = Answered.extend({
  said: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('decide'),
      items: z.array(z.object({ number: z.number(), verdict: z.enum(['allow', 'once', 'block']) })).readonly(),
    }),
    z.object({ kind: z.literal('unclear'), why: z.string(), detail: z.string().nullable() }),
    z.object({ kind: z.literal('late') }),
  ]),
});
export type SendersAnswered = z.infer<typeof SendersAnswered>;
/** Does what an owner's answer says of senders who were refused, and tells its writer what became of it. */
export const sendersAnswered = defineJob('senders_answered', SendersAnswered);

const ToolsAnswered = Answered.extend({
  said: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('decide'), allow: z.boolean() }),
    z.object({ kind: z.literal('unclear'), why: z.string(), detail: z.string().nullable() }),
    z.object({ kind: z.literal('late') }),
  ]),
});
export type ToolsAnswered = z.infer<typeof ToolsAnswered>;
/** Does what an owner's answer says of the tools of a server, and tells its writer what became of it. */
export const toolsAnswered = defineJob('tools_answered', ToolsAnswered);

const AgainAsked = Answered.extend({
  is_late: z.boolean(),
  said: z.enum(['again', 'approve', 'deny', 'undo']).default('again'),
  numbers: z.array(z.number()).readonly().optional(),
});
export type AgainAsked = z.infer<typeof AgainAsked>;
/** Does once more, offers or switches what a notice names, as an owner's answer asks for it, and tells its writer what became of it. */
export const againAsked = defineJob('again_asked', AgainAsked);

/** Tells owners of a persona's week, up to its due time. */
export const weeklyMail = defineJob('weekly_mail', z.object({ until: z.number() }));

/** The schedule hears of each end of a task's run, and of its mail. */
export const taskEnded = defineJob('task_ended', OfRun.extend({ of: z.enum(['run', 'mail']) }));

/** Part of the transaction that ends the run, or settles its mail. */
export const taskEndedJob = (runId: string, now: number, of: 'run' | 'mail' = 'run'): NewJob =>
  taskEnded.job({ id: `task_ended:${of}:${runId}`, due_at: now, payload: { run_id: runId, of } });

/** Takes mail into the search index that was there before it. */
export const indexMail = defineJob('index_mail', Nothing);

/** Writes the search index anew without what was deleted of it. */
export const compactIndex = defineJob('compact_index', Nothing);
/** Makes one of the parts that it was written in. */
export const mergeIndex = defineJob('merge_index', Nothing);

/** Takes one call back. */
export const undo = defineJob('undo', z.object({ undo_id: z.string(), by: z.string() }));
/** Lets go of what nobody took back in time. */
export const undoEnd = defineJob('undo_end', Nothing);
export const undoEndJob = (until: number): NewJob => undoEnd.job({ id: 'undo_end', due_at: until, payload: {} });
/** Tells owners what they can take back. */
export const undoNotice = defineJob('undo_notice', Nothing);
export const undoNoticeJob = (now: number): NewJob => undoNotice.job({ id: 'undo_notice', due_at: now, payload: {} });
/** Tells owners once a day at most what the persona has learned, and how it is taken back. */
export const learnedDigest = defineJob('learned_digest', Nothing);
export const learnedDigestJob = (now: number): NewJob =>
  learnedDigest.job({ id: 'learned_digest', due_at: now, payload: {} });

/**
 * Tells a sender who writes at once after each answer, or more than may be answered in an hour, that the next one comes later,
 * or that none comes, and one whose mail was not taken in what to do.
 */
export const slowedDown = defineJob(
  'slowed_down',
  z.object({
    said: z.enum(['later', 'in_turn', 'too_many', 'stopped', 'too_large', 'too_many_files', 'unreadable', 'taken_off']),
    sender: z.string(),
    to: z.string(),
    thread_id: z.string().nullable(),
    subject: z.string(),
    language: z.enum(LANGUAGES),
    message_id: z.string(),
    references: z.array(z.string()).readonly(),
    in_reply_to: z.array(z.string()).readonly(),
  }),
);

const Window = z.object({
  code: z.enum(['provider_unavailable', 'provider_setup', 'request_failed', 'budget']),
  /** The outage, or the day of the budget. */
  window: z.string(),
});

/** Tells a sender that the answer will be late. */
export const waitingNote = defineJob('waiting_note', Window.extend({ sender: z.string() }));

/** `hours`: how long mail waits at most; `near`: the budget is nearly spent. */
const Notice = Window.extend({ hours: z.number().optional(), near: z.boolean().optional() });
export type WaitingNotice = z.infer<typeof Notice>;
/** Tells owners of an outage or a budget. */
export const waitingNotice = defineJob('waiting_notice', Notice);

/** Tells owners, as whom the last outage was told to, that it is over. `since`: when they were told of it. */
export const outageOver = defineJob(
  'outage_over',
  Window.extend({ provider: z.string(), to: z.array(z.string()), since: z.number() }),
);

/** Looks once, after a run, whether its mail says something to be remembered. */
export const remember = defineJob('remember', OfRun);
export const rememberJob = (runId: string, now: number): NewJob =>
  remember.job({ id: `remember:${runId}`, due_at: now, payload: { run_id: runId } });

/** Finds out, after a run, how it went, for the playbook that it worked by. */
export const playbookOutcome = defineJob('playbook_outcome', OfRun);
export const playbookOutcomeJob = (runId: string, dueAt: number): NewJob =>
  playbookOutcome.job({ id: playbookOutcomeJobId(runId), due_at: dueAt, payload: { run_id: runId } });

const afterRun = z.enum(['outcome', 'good', 'bad', 'clear']);
/** Keeps a run as an example for its kind of work, as it was judged last. */
export const playbookScenario = defineJob('playbook_scenario', OfRun.extend({ after: afterRun.optional() }));
/** `after`: what it follows from, so that a later verdict is not taken for the one that is worked on. */
export const playbookScenarioJob = (runId: string, after: z.infer<typeof afterRun>, now: number): NewJob =>
  playbookScenario.job({ id: `playbook_scenario:${runId}:${after}`, due_at: now, payload: { run_id: runId, after } });
const Refine = z.object({
  kind: z.string(),
  /** Of the attempt. */
  id: z.string(),
  run_id: z.string(),
  asked_by: z.enum(['runs', 'owner']),
});
export type RefinePayload = z.infer<typeof Refine>;
/** Tries to make a better playbook of one kind of work; `run_id`: the run on whose record it stands. */
export const refine = defineJob('refine', Refine);
/** One for each kind that runs ask for, and one that owners do. */
export const refineJob = (payload: RefinePayload, dueAt: number): NewJob =>
  refine.job({ id: `refine:${payload.asked_by}:${payload.kind}`, due_at: dueAt, payload });

/** Summarises, after a run, what of its thread is not shown any more; `after`: the place as far as that was done then. */
export const summarise = defineJob('summarise', OfRun);
export const summariseJob = (runId: string, after: number | null, now: number): NewJob => {
  const id = after === null ? `summarise:${runId}` : `summarise:${runId}:${after}`;
  return summarise.job({ id, due_at: now, payload: { run_id: runId } });
};

/** Writes down what a thread was about that is over; `which`: the thread, and the place as far as that was done then. */
export const closeThread = defineJob('close_thread', OfRun);
export const closeThreadJob = (runId: string, which: string, now: number): NewJob =>
  closeThread.job({ id: `close_thread:${which}`, due_at: now, payload: { run_id: runId } });

/** Writes `active.md` anew; asked for where what everybody may be told is changed. */
export const activeMemory = defineJob(ACTIVE_JOB, Nothing);
