import type { Persona, SecurityConfig } from '../../config/types.ts';
import type { RegisteredTool, Registry } from '../../extensions/types.ts';
import { causeOf } from '../../languages/causes.ts';
import { type Language, languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { signatureOf } from '../../languages/signature.ts';
import { dayAndTime } from '../../languages/times.ts';
import { toolInWords } from '../../languages/tools.ts';
import type { Ids } from '../../lib/ids.ts';
import { replyMode } from '../../mail/classify.ts';
import { composeBody, wholeText } from '../../mail/compose/body.ts';
import { type ComposeInput, composeMail, referencesFor, replySubject } from '../../mail/compose/compose.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import type { Executable } from '../../policy/call.ts';
import { DECIDED } from '../../record/decisions.ts';
import { waitingNotice } from '../../record/jobs/job-kinds.ts';
import { gatheredAs, gatheredNotice, inEach, notice } from '../../record/jobs/notice-job.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { PinnedSettings, Target } from '../../record/settings.ts';
import type { LoopState } from '../../record/state.ts';
import { taskOf } from '../../record/trigger.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { FinishBatch, LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import {
  APPROVED_STATES,
  type Approval,
  type ApprovalState,
  RUN_CANCELLED,
  TAKEN_BACK,
} from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { OutboxMode } from '../../storage/types/outbox.ts';
import { type DeferredCode, isTest } from '../../storage/types/runs.ts';
import type { TaskSnapshot } from '../../storage/types/tasks.ts';
import { isAbout, isReplaced, isWithdrawn, membersOf } from '../../suspensions/members.ts';
import type { Gated } from '../evidence/gate.ts';
import type { EndDecision } from '../loop/end.ts';
import { type Copies, type Copying, copiesOf, withCopiesOf } from './copies.ts';
import { freezeCalls } from './hold.ts';
import {
  askingOf,
  isEmpty,
  isNothingToThem,
  leftUndone,
  makeReceipt,
  type Receipt,
  type ReceiptRecord,
} from './receipt/receipt.ts';
import { carriesFiles, filesOf, type ReplyRecipients, recipientsOf } from './recipients.ts';
import { type ReplyHeaders, type ReplyPurpose, replyRows } from './reply-rows.ts';
import {
  type EndStatus,
  endOf,
  finalWords,
  followUpWords,
  isNothing,
  isWholeAnswer,
  lastOfEach,
  partlyBecause,
  quotedText,
  renderAnswer,
  saidIn,
  statusOf,
  taskEnvelope,
  taskText,
  taskUnsaid,
  UNSAID,
} from './texts.ts';

export interface RespondOptions {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly store: Pick<Store, 'getThread' | 'knownParticipants' | 'lastSent' | 'shownWith' | 'undoOfCall' | 'gathered'>;
  readonly artifacts: Pick<Blobs, 'get'>;
  readonly recorder: Recorder;
  readonly state: LoopState;
  readonly decision: EndDecision;
  /** What the final gate made of the last text; null where there was none. */
  readonly gated: Gated | null;
  /** The model that the run was meant for. */
  readonly meantFor: Target | undefined;
  /** What it waited for in vain, and what its sender is told of that. */
  readonly gaveUp?: { readonly code: DeferredCode; readonly text: string; readonly notice: NewJob };
  /** What is to be remembered of its mail, once it is answered. */
  readonly remembers?: readonly NewJob[];
  /** Tools of MCP servers that the run would have had; absent: none. */
  readonly away?: ReceiptRecord['away'];
  /** What owners are asked about beside the answer, and by what they are asked. */
  readonly asking?: {
    readonly calls: readonly Executable[];
    readonly settings: Pick<PinnedSettings, 'later'>;
    readonly approvals: SecurityConfig['approvals'];
    readonly artifacts: Pick<Blobs, 'put'>;
  };
  /** Whether the run was shown words of others; absent: it is taken to have been. */
  isTainted?(): boolean;
  readonly day: string;
  readonly domain: string;
  readonly recursionSecret: string;
  readonly ids: Ids;
  readonly now: number;
  isOwnAddress(address: string): boolean;
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  /** Who owners want to have a copy; absent: nobody gets one. */
  readonly copying?: Copying;
}

const named = (address: string) => ({ name: '', address });

/** People outside who were never told that something waited: what became of it stays in the thread. */
const toldOf = (receipt: Receipt, recipients: ReplyRecipients): ReplyRecipients =>
  isNothingToThem(receipt) ? { to: [], cc: [] } : recipients;

/** The one final of a run: composed, then committed together with its outbox row and the run's end. */
export async function respond(options: RespondOptions): Promise<void> {
  const { decision, recorder, now } = options;
  const status = statusOf(decision);
  const task = taskOf(options.loaded);
  const silence = (task && taskUnsaid(decision, options.state)) ?? (await silenceOf(options, status));
  if (silence) return endSilently(options, silence);
  const recipients = task ? { to: task.deliver, cc: [] } : await recipientsOf(options);
  // An address that no mail server takes: recorded, never retried. A task's outcome may stay in its thread.
  if (recipients.to.length === 0 && options.loaded.trigger.kind === 'mail')
    return endSilently(options, { status, outcome: 'silent:no_reply_sender', code: 'no_reply_sender' });
  const envelope = task ? await taskEnvelope(options, task) : replyEnvelope(options.loaded.message, options.persona);
  const said = saidIn(decision, options.state, options.gated);
  const receipt = await makeReceipt(options, {
    said,
    recipients: [...recipients.to, ...recipients.cc],
    isWhole: isWholeAnswer(decision, said),
    carries: carriesFiles(decision, recipients),
    away: options.away,
    ...undoneOf(options.gated),
    ...dataOf(options.gated, options.persona.timezone),
    ...(options.asking && { asking: askingOf(options.asking.calls, options.asking.settings) }),
  });
  if (receipt.record) recorder.event('receipt', receipt.record);
  // What was done, or is still to be done, is told of all the same.
  if (isNothing(decision) && isEmpty(receipt))
    return endSilently(options, UNSAID, { ...madeOf(receipt), jobs: remembersOf(options) });
  const { state, meantFor, gaveUp } = options;
  const { outcome, code } = gaveUp ? { outcome: 'gave_up', code: gaveUp.code } : endOf(decision, receipt);
  const missing = options.gated?.missing ?? [];
  const mode = replyModeOf(options.persona, options.loaded);
  const told = toldOf(receipt, recipients);
  const copies = await copiesOf(options.copying, options, told, { subject: envelope.subject, body: said });
  const { approvals } = options.loaded;
  const words = answerWords(decision, receipt, { said, missing, task, state, meantFor, gaveUp, approvals });
  const readers = withCopiesOf(told, copies);
  const reply = await composeReply(
    { ...options, mode, files: await filesOf(options, readers), purpose: purposeOf(options) },
    words,
    readers,
    envelope,
  );
  if (reply.mail) {
    recorder.event('reply_committed', {
      outbox_id: reply.mail.row.id,
      message_id: reply.message.message_id,
      kind: envelope.kind,
      outcome,
      // The settings may be others by the time the run is replayed.
      voice: voiceOf(options.persona),
      ...inDrafts(mode),
      ...withCopied(copies),
    });
  }
  const { asking } = options;
  const asked = asking?.calls.length ? freezeCalls({ ...options, ...asking, top: options.loaded.run }) : null;
  recorder.event('run_ended', { status, outcome, code });
  const replyId = replyIdOf(reply, options.loaded.trigger);
  await recorder.finish(
    { status, outcome, code, ended_at: now, reply_message_id: replyId, waiting_for: null },
    {
      reply,
      jobs: [...jobsAfter(options), ...remembersOf(options), ...(asked?.jobs ?? [])],
      ...(asked && { held: asked.rows }),
      ...madeOf(receipt),
      ...toldIn(receipt, now),
      ...closingOf(options),
    },
  );
}

/** As the final gate found it. */
export const undoneOf = (gated: Pick<Gated, 'undone'> | null): Pick<Gated, 'undone'> =>
  gated?.undone === undefined ? {} : { undone: gated.undone };

/** The same for how old its data are, and whether others have changed them since. */
export const dataOf = (
  gated: Pick<Gated, 'data_until' | 'changed'> | null,
  zone: string,
): { readonly data_until?: { readonly at: number; readonly zone: string }; readonly changed?: true } => ({
  ...(gated?.data_until === undefined ? {} : { data_until: { at: gated.data_until, zone } }),
  ...(gated?.changed ? { changed: true } : {}),
});

/** What a child run answers is no mail, and neither is what stays in the thread of one. */
const replyIdOf = (
  { mail, message }: NonNullable<FinishBatch['reply']>,
  { kind }: LoadedRun['trigger'],
): string | null => (kind === 'delegation' || (kind === 'mail' && mail === null) ? null : message.message_id);

/** What became of the thread or the question meanwhile, so that nobody is to hear of it. */
async function silenceOf(
  options: RespondOptions,
  status: EndStatus,
): Promise<Parameters<typeof endSilently>[1] | null> {
  if (await isTaken(options)) return { status, ...TAKEN };
  return isTakenBack(options.loaded) ? TOLD_TO_OWNERS : null;
}

/** Whoever asked has taken it back while owners were asked anew: they need not hear that. */
const isTakenBack = ({ decided, approvals }: LoadedRun): boolean =>
  decided !== undefined &&
  approvals.length > 0 &&
  lastOfEach(approvals).every(({ state, reason }) => state === 'stale' && reason === TAKEN_BACK);
const TOLD_TO_OWNERS = { status: 'done', outcome: 'silent:taken_back', code: 'taken_back' } as const;

/** The rest of an answer, and what came of a call after it, follow it. */
const purposeOf = ({ state, loaded }: Pick<RespondOptions, 'state' | 'loaded'>): ReplyPurpose =>
  state.saidSoFar || loaded.decided ? 'follow_up' : 'final';

/** The final's words and its receipt: below a whole answer, at the head of any other. */
export function answerWords(
  decision: EndDecision,
  receipt: Pick<Receipt, 'language' | 'text'> & Partial<Pick<Receipt, 'record'>>,
  given: Pick<RespondOptions, 'state' | 'meantFor'> & {
    said: string;
    /** What a contract asks for and the run has not brought, in words. */
    missing: readonly string[];
    task: TaskSnapshot | null;
    /** What the run was begun to carry out, or asked for. */
    approvals: readonly Approval[];
    gaveUp?: RespondOptions['gaveUp'] | undefined;
  },
): AnswerWords {
  const { text, above: why } = finalWords(decision, given.said, receipt.language, given.missing);
  const above = given.gaveUp?.text ?? why;
  const isDecided = decision.decision === 'FINAL' && decision.reason === DECIDED;
  const isForOthers = receipt.record?.decided_for_others === true;
  const said = isDecided
    ? followUpWords(given.approvals, given.state, { language: receipt.language, isForOthers })
    : text;
  const own = given.task ? taskText(said, given) : said;
  const below = receipt.text;
  if (decision.decision === 'FINAL') return { text: own, above, below, own, receipt: below };
  const whole = [above, own].filter(Boolean).join('\n\n');
  return { text: own, above: [above, below].filter(Boolean).join('\n\n'), below: '', own: whole, receipt: below };
}

const madeOf = ({ made }: Receipt): Pick<FinishBatch, 'made'> =>
  made > 0 ? { made: { count: made, later: gatheredNotice } } : {};

const toldIn = ({ record }: Receipt, now: number): Pick<FinishBatch, 'told'> => {
  const count = record?.made_for_others ?? 0;
  return count === 0 ? {} : { told: { ...gatheredAs('made_for_others'), count, now } };
};

interface AnswerWords {
  readonly text: string;
  readonly above: string;
  readonly below: string;
  /** Without the receipt, as later runs of the thread are shown it: a model must not learn to write one. */
  readonly own: string;
  readonly receipt: string;
}

const closingOf = ({ loaded }: Pick<RespondOptions, 'loaded'>): Pick<FinishBatch, 'closing'> => {
  const { cancelled_by: actor } = loaded.run;
  return actor === null ? {} : { closing: { actor, reason: RUN_CANCELLED } };
};

/** A person has taken the thread since: what was done stays done, and nobody is answered. */
export const TAKEN = { outcome: 'silent:taken_by_person', code: 'taken_by_person' } as const;

export const isTaken = async ({ loaded, store }: Pick<RespondOptions, 'loaded' | 'store'>): Promise<boolean> =>
  loaded.trigger.kind === 'mail' && (await store.getThread(loaded.thread.id))?.taken_by != null;

/** The run is over and there is no mail of it. */
export async function endSilently(
  options: Omit<RespondOptions, 'meantFor' | 'gated' | 'decision'> & {
    readonly decision: EndDecision | null;
  },
  end: { readonly status: EndStatus; readonly outcome: string; readonly code: string | null },
  more: Pick<FinishBatch, 'made' | 'jobs'> = {},
): Promise<void> {
  const { recorder, now } = options;
  recorder.event('run_ended', end);
  const jobs = [...jobsAfter(options), ...(more.jobs ?? [])];
  await recorder.finish({ ...end, ended_at: now }, { ...more, jobs, ...closingOf(options) });
}

export const replyEnvelope = (message: LoadedRun['message'], persona: Voice): ReplyHeaders => ({
  kind: 'reply',
  subject: replySubject(message.subject),
  inReplyTo: message.message_id,
  references: referencesFor({
    messageId: message.message_id,
    references: message.references,
    inReplyTo: message.in_reply_to ? [message.in_reply_to] : [],
  }),
  quote: quoteOf(message, persona),
});

/** Mail that is sent is on record without a word of how. */
export const inDrafts = (mode: OutboxMode): { readonly mode?: 'draft' } => (mode === 'draft' ? { mode } : {});

export const withCopied = (copies: Copies | undefined): { readonly copies?: Copies } =>
  copies === undefined || copies.length === 0 ? {} : { copies };

/** What a task writes answers nobody, and is sent. */
export const replyModeOf = (
  { reply }: Pick<Persona, 'reply'>,
  { run, message }: Pick<LoadedRun, 'run' | 'message'>,
): OutboxMode => {
  const sender = run.sender ?? message.from_address ?? '';
  return run.kind === 'task' ? 'send' : replyMode(reply, { sender, isProven: run.tier !== 'unauthenticated' });
};

/** What of a persona's settings its mails are worded by. */
export type Voice = Pick<Persona, 'language' | 'signature' | 'timezone'>;
const voiceOf = ({ language, signature, timezone }: Voice): Voice => ({ language, signature, timezone });

/** The rows of an answer. The same input gives the same bytes. */
export async function composeReply(
  options: Pick<RespondOptions, 'loaded' | 'ids' | 'now' | 'domain' | 'recursionSecret' | 'isTainted'> & {
    readonly persona: Pick<Persona, 'name' | 'address' | 'mailbox'> & Voice;
    readonly state: Pick<LoopState, 'messages' | 'outcomes'>;
    readonly files: ComposeInput['attachments'];
    readonly mode: OutboxMode;
    /** In the outbox. */
    readonly purpose: ReplyPurpose;
    readonly namesItself?: boolean;
    readonly keepsOrder?: boolean;
  },
  words: AnswerWords,
  recipients: ReplyRecipients,
  envelope: ReplyHeaders,
): Promise<NonNullable<FinishBatch['reply']>> {
  const { loaded, persona, ids, now, domain, mode } = options;
  const { run } = loaded;
  const id = ids.next();
  const messageId = `<${id}@${domain}>`;
  const { subject, inReplyTo, references, kind, quote } = envelope;
  const all = [...recipients.to, ...recipients.cc];
  const rendered = renderAnswer(words, options.state, loaded.approvals);
  const parts = {
    id,
    messageId,
    ...envelope,
    text: wholeText(words),
    rendered,
    recipients,
    clean: options.isTainted?.() === false,
  };
  // Nobody is to get it: it stays in the thread.
  if (all.length === 0) return { ...replyRows({ ...parts, raw: new Uint8Array() }, options), mail: null };
  const language = languageOf([words.text, loaded.message.new_text], persona.language);
  const signature = signatureOf(persona, language);
  if (isTest(run)) {
    const { text } = composeBody({ ...words, signature, language, quote });
    return { ...replyRows({ ...parts, text, raw: new Uint8Array() }, options), mail: null, participants: [] };
  }
  const raw = await composeMail({
    from: { name: persona.name, address: persona.address },
    to: recipients.to.map(named),
    cc: recipients.cc.map(named),
    subject,
    messageId,
    inReplyTo,
    references,
    namesItself: options.namesItself ?? true,
    date: now,
    kind,
    runId: run.id,
    // A person sends a draft: it is no automatic answer, and what they change of it would break a seal.
    autoSubmitted: mode === 'draft' ? null : kind === 'task' ? 'auto-generated' : 'auto-replied',
    replyTo: null,
    recursion: mode === 'draft' ? null : { depth: Math.max(0, run.recursion), secret: options.recursionSecret },
    text: words.text,
    above: words.above,
    below: words.below,
    signature,
    language,
    quote,
    keepsOrder: options.keepsOrder ?? true,
    attachments: options.files,
    extraHeaders: {},
  });
  return replyRows({ ...parts, raw }, options);
}

/** In the words of the mail that is quoted, on the clocks of the persona. */
function quoteOf(message: LoadedRun['message'], persona: Voice): ReplyHeaders['quote'] {
  const text = quotedText(message);
  if (text === '') return null;
  const language = languageOf([message.new_text], persona.language);
  const when = dayAndTime(message.date ?? message.received_at, { language, zone: persona.timezone }, true);
  const who = message.from_name || message.from_address || '?';
  return { attribution: say(language, 'mails.wrote', { who, when }), text };
}

/** What follows from the end of a run; rows of the same transaction, so that none is lost. */
const jobsAfter = (options: Parameters<typeof endSilently>[0]): readonly NewJob[] => [
  ...(options.loaded.trigger.kind === 'delegation'
    ? []
    : 'gaveUp' in options && options.gaveUp
      ? [options.gaveUp.notice]
      : ownerAlerts(options)),
  // Also of a child run: it was its call that owners were asked about.
  ...inVainNotices(options),
];

const remembersOf = ({ remembers = [] }: Pick<RespondOptions, 'remembers'>): readonly NewJob[] => remembers;

/**
 * What may follow a yes. `stale` follows a question that nobody answered as well, which `hasYes` tells by its reason. Of an effect that
 * nobody can be sure of owners hear by itself.
 */
const AGREED: ReadonlySet<ApprovalState> = new Set<ApprovalState>([
  ...APPROVED_STATES.filter((state) => state !== 'side_effect_unknown'),
  'stale',
]);

/**
 * What owners hear of a yes of theirs that came to nothing: the file was gone by then, an earlier call had failed, the tool
 * refused. Whoever asked reads it below the answer; without this an owner would take it for done.
 */
function inVainNotices(end: {
  readonly loaded: LoadedRun;
  readonly persona: Pick<Persona, 'owners' | 'language'>;
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  readonly state: Pick<LoopState, 'outcomes' | 'pending' | 'toolTurns'>;
  readonly decision: EndDecision | null;
  readonly now: number;
}): readonly NewJob[] {
  const { loaded, persona, decision, now } = end;
  const { approvals, run, message } = loaded;
  if (!approvals.some(({ state }) => AGREED.has(state)) || readsTheAnswer(end)) return [];
  // Who cancelled it knows of that.
  if (decision?.decision === 'FAIL' && decision.reason === 'cancelled') return [];
  const linesIn = (language: Language) => leftUndone(end, language, (callId) => hasYes(approvals, callId));
  if (linesIn(persona.language) === '') return [];
  const by = message.from_address ? ` (${message.from_address})` : '';
  const payload = inEach(persona.language, (language) => ({
    subject: say(language, 'inVain.subject', { about: message.subject }),
    text: say(language, 'inVain.text', {
      about: `${say(language, 'receipt.quote', { text: message.subject })}${by}`,
      lines: linesIn(language),
    }),
  }));
  return [notice.job({ id: `notice:in_vain:${run.id}`, due_at: now, payload })];
}

function hasYes(approvals: readonly Approval[], callId: string): boolean {
  const last = approvals.findLast((row) => (isAbout(row, callId) || isStepOf(row, callId)) && !isReplaced(row));
  if (last === undefined || isWithdrawn(last) || last.reason === TAKEN_BACK) return false;
  return last.decided_at !== null && AGREED.has(last.state);
}

/** Steps of a plan that the model itself proposed have ids that begin with that of its call. */
const isStepOf = (row: Approval, callId: string): boolean =>
  row.kind === 'plan' && membersOf(row).length === 0 && callId.startsWith(`${row.call_id}.`);

/** The only owner who could have agreed is who gets the answer, which says it. */
function readsTheAnswer({ loaded: { run }, persona: { owners } }: Parameters<typeof inVainNotices>[0]): boolean {
  const [owner, ...others] = owners;
  return run.tier === 'owner' && others.length === 0 && owner !== undefined && matchesPattern(run.sender ?? '', owner);
}

/** Ends that only the owner can do something about, although the sender has an answer. */
const OWNERS_MATTER: ReadonlySet<string> = new Set(['provider', 'unparsable', 'repeated_crash']);

/**
 * What the owner hears of a run's end: one notice per run that went wrong or left an effect that nobody can be sure
 * of, one a day of a budget that is spent.
 */
export function ownerAlerts(end: {
  loaded: LoadedRun;
  persona: Pick<Persona, 'owners' | 'language'>;
  decision: EndDecision | null;
  state: LoopState;
  day: string;
  now: number;
}): readonly NewJob[] {
  return [...usageNotice(end), ...alertsOfEnd(end)];
}

/** The id names the model: it is mailed once, ever. */
function usageNotice({ state: { usageDiffers: differs }, persona: { language }, now }: End): readonly NewJob[] {
  if (!differs) return [];
  const { provider, model, said, own } = differs;
  const payload = inEach(language, (each) => {
    const count = (tokens: number) => tokens.toLocaleString(each);
    return {
      subject: say(each, 'usage.subject'),
      text: say(each, 'usage.text', { model: `${provider}/${model}`, said: count(said), own: count(own) }),
    };
  });
  return [notice.job({ id: `notice:usage_differs:${provider}/${model}`, due_at: now, payload })];
}

function alertsOfEnd(end: End): readonly NewJob[] {
  const { decision } = end;
  if (decision === null) return [];
  // Of a task's failures its owners hear once per incident, from the schedule.
  if (taskOf(end.loaded) && !(decision.decision === 'FINAL_PARTIAL' && decision.reason === 'budget' && isOfDay(end)))
    return unknownEffects(end);
  // Who cancelled it knows of that.
  if (decision.decision === 'FAIL' && decision.reason === 'cancelled') return unknownEffects(end);
  if (decision.decision === 'FAIL') return told(end, 'failed');
  const isPartial = decision.decision === 'FINAL_PARTIAL';
  if (isPartial && decision.reason === 'budget') return [budgetNotice(end), ...unknownEffects(end)];
  if (isPartial && OWNERS_MATTER.has(decision.reason)) return told(end, 'partial');
  return unknownEffects(end);
}

const unknownTools = ({ outcomes }: LoopState): readonly string[] => [
  ...new Set(outcomes.filter(({ code }) => code === 'side_effect_unknown').map(({ tool }) => tool)),
];

/** Only a person can look whether it was done; the sender may not even know what a tool is. */
const unknownEffects = (end: End): readonly NewJob[] =>
  unknownTools(end.state).length === 0 ? [] : [runNotice(end, 'unknown')];

/** The answer says what went wrong, so an owner who is the sender, and the only owner, has heard of it. */
function told(end: End, how: 'failed' | 'partial'): readonly NewJob[] {
  const { loaded, persona, state } = end;
  const [owner, ...others] = persona.owners;
  const isOwnMail =
    loaded.run.tier === 'owner' &&
    others.length === 0 &&
    owner !== undefined &&
    matchesPattern(loaded.run.sender ?? '', owner);
  return isOwnMail && unknownTools(state).length === 0 ? [] : [runNotice(end, how)];
}

type End = Parameters<typeof ownerAlerts>[0];

function runNotice(end: End, how: 'failed' | 'partial' | 'unknown'): NewJob {
  const { loaded, state, now } = end;
  const reason = end.decision?.reason ?? 'unknown';
  const because = end.decision?.decision === 'FINAL_PARTIAL' ? partlyBecause(end.decision) : reason;
  const { run, message } = loaded;
  const [who, about] = [message.from_address ?? '?', message.subject];
  const unknown = unknownTools(state);
  const payload = inEach(end.persona.language, (language) => {
    const cause = causeOf(because, language, { partly: how === 'partial' });
    const said = {
      failed: [
        say(language, 'notices.failedSubject', { subject: about }),
        say(language, 'notices.failed', { who, subject: about, cause }),
      ],
      partial: [
        say(language, 'notices.partialSubject', { subject: about }),
        say(language, 'notices.partial', { who, subject: about, cause }),
      ],
      unknown: [say(language, 'notices.unknownSubject', { subject: about }), `${who}: ${about}`],
    } as const;
    const [subject, text] = said[how];
    return {
      subject,
      text: [
        text,
        // What may have been done once is not done again at a word.
        ...(unknown.length === 0
          ? []
          : [
              say(language, 'notices.unknown', {
                tools: unknown.map((tool) => toolInWords(tool, language)).join(', '),
              }),
            ]),
      ].join('\n\n'),
    };
  });
  return notice.job({
    id: `notice:run_failed:${run.id}`,
    due_at: now,
    // Which call nobody can be sure of has to be told one by one.
    ...(unknown.length === 0
      ? { gather: gatheredAs(`run_failed:${reason}`), payload: { ...payload, again: { run: run.id } } }
      : { payload }),
  });
}

const isOfDay = ({ state: { budgetSpent } }: Pick<End, 'state'>): boolean =>
  budgetSpent === 'usd_per_day' || budgetSpent === 'runs_per_day';

/** The id is the purpose of the mail, and a purpose is mailed once: one notice a day, however many runs end so. */
function budgetNotice(end: Parameters<typeof ownerAlerts>[0]): NewJob {
  const { loaded, day, now } = end;
  if (isOfDay(end)) {
    const id = `waiting_notice:budget:${day}`;
    return waitingNotice.job({ id, due_at: now, payload: { code: 'budget', window: day } });
  }
  const [who, about] = [loaded.message.from_address ?? '?', loaded.message.subject];
  const payload = inEach(end.persona.language, (language) => {
    const cause = causeOf('budget', language, { partly: true });
    const text = say(language, 'notices.partial', { who, subject: about, cause });
    return { subject: say(language, 'notices.partialSubject', { subject: about }), text };
  });
  return notice.job({
    id: `notice:budget:${day}`,
    due_at: now,
    payload: { ...payload, again: { run: loaded.run.id } },
  });
}
