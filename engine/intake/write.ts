import { waitingForResume } from '../actions/pause.ts';
import { type Stopped, stopRuns } from '../actions/stop.ts';
import type { Invitation } from '../calendar/types.ts';
import { type Language, languageOf } from '../languages/language.ts';
import { say } from '../languages/say.ts';
import { toolInWords } from '../languages/tools.ts';
import type { OwnerCommand } from '../mail/approval/owner-command.ts';
import { type Bounce, parseBounce } from '../mail/bounce.ts';
import { marksOf } from '../mail/classify.ts';
import { matchesPattern } from '../mail/mime/address.ts';
import type { ParsedAttachment } from '../mail/mime/types.ts';
import { isReplySubject } from '../mail/text/subject.ts';
import { meetingAnswered } from '../record/jobs/job-kinds.ts';
import { inEach, notice as ownerNotice, undeliveredNotices } from '../record/jobs/notice-job.ts';
import type { NewArrival } from '../storage/ports/mail.ts';
import type { Store } from '../storage/ports/store.ts';
import { MOST_IN_ROW } from '../storage/raw-mail.ts';
import { TAKEN_BACK } from '../storage/types/approvals.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { NewAttachment } from '../storage/types/mail.ts';
import type { AnswerAction } from '../suspensions/answers/read-answer.ts';
import { BESIDE_A_DECISION, BESIDE_WHAT_IS_CLOSED, BESIDE_WHAT_WAITS } from '../suspensions/beside.ts';
import { meetingLines } from '../tools/calendar/answer.ts';
import { factsOf, isCalendarFile, isOwnInvitation } from '../tools/calendar/meetings.ts';
import { actOnAnswer, auditRefusedAnswer } from './answers/act-on-answer.ts';
import type { MailDecision } from './decide.ts';
import type { WriterDeps } from './deps.ts';
import { noteTo, ownersHearOfFiles, rowsOfLeft, rowsOfRun, rowsOfStop } from './effects/arrival-rows.ts';
import { addDeadLetter } from './effects/set-aside.ts';
import type { Facts, MailFacts } from './facts.ts';
import { queryOf } from './look.ts';
import { type DetailedResult, resultOf, type Subject } from './results.ts';
import { isTold } from './rules/loops.ts';

/** Does what was decided without a look at any row. */
export async function writeUnread(deps: WriterDeps, facts: MailFacts, decision: MailDecision): Promise<DetailedResult> {
  if (decision.do !== 'stay_silent') return resultOf(inBrief(facts), decision);
  if (decision.code === 'calendar_reply') await applyCalendarReply(deps, facts);
  else await applyBounce(deps, facts, decision.code);
  await useUp(deps, facts, { isSilent: true });
  return resultOf(withMarks(facts), decision);
}

/** What says that a program wrote it stands with the decision. */
function withMarks(facts: MailFacts): Subject {
  const subject = inBrief(facts);
  return { ...subject, detail: [...marksOf(facts.mail).map(({ text }) => text), subject.detail].join('; ') };
}

/**
 * Makes a decision durable. An arrival is one transaction; a command and an answer take several, in an order that a crash may
 * break anywhere. `changed`: the rows that it rests on are others by now, and nothing was written.
 */
export async function write(
  deps: WriterDeps,
  facts: Facts,
  decision: MailDecision,
): Promise<DetailedResult | 'changed'> {
  switch (decision.do) {
    case 'duplicate':
      await useUp(deps, facts, { message: facts.arrival.duplicate?.id ?? null });
      break;
    case 'stay_silent':
      await useUp(deps, facts, { isSilent: true });
      break;
    case 'run':
      return startRun(deps, facts, decision);
    case 'leave_to_person':
      return leaveToPerson(deps, facts, decision);
    case 'stop_loop': {
      const isKept = await keepRows(deps, facts, rowsOfStop(deps, facts, decision));
      return isKept ? resultOf(inBrief(facts), decision) : 'changed';
    }
    case 'obey':
      if (facts.command !== null) await obeyOwner(deps, facts, facts.command);
      break;
    case 'act_on_answer':
      if ((await act(deps, facts, decision.action)) === 'changed') return 'changed';
      break;
    case 'refuse_answer': {
      const noticeId = facts.notice?.notice.id;
      if (noticeId === undefined) await useUp(deps, facts, {});
      else await deps.stores.use(facts.persona.id, (store) => auditRefusedAnswer(store, { ...facts, noticeId }));
      break;
    }
    case 'keep_unreadable':
      await keepUnreadable(deps, facts, decision);
      break;
    case 'refuse':
      if ('tells' in decision && decision.tells !== 'nobody') await tellOfFiles(deps, facts, decision.tells);
      if (decision.code === 'sender_not_allowed') await tellTakenOff(deps, facts);
      break;
    default:
      break;
  }
  if (decision.do === 'obey' || decision.do === 'act_on_answer') await keepOwnersWords(deps, facts, decision.code);
  return resultOf(decision.do === 'stay_silent' ? withMarks(facts) : inBrief(facts), decision);
}

async function act(deps: WriterDeps, facts: Facts, action: AnswerAction): Promise<'done' | 'changed'> {
  const { notice, persona } = facts;
  if (notice === null) return 'done';
  const answer = { ...facts, noticeId: notice.notice.id, by: facts.identity.address ?? '' };
  const beside = 'beside' in action ? action.beside : undefined;
  if (beside !== undefined) {
    const limitations = [besideAnswer(action.kind)];
    const as = { subject: await subjectBeside(deps, facts) };
    if (!(await startBeside(deps, facts, { words: beside, limitations, as }))) return 'changed';
  }
  if (action.kind === 'nothing') await useUp(deps, facts, {});
  return deps.stores.use(persona.id, (store) => actOnAnswer(deps, { ...answer, store }, action));
}

/**
 * A signature proves one mail, whatever was decided about it, or whoever has a copy could hand it in once more without
 * what it was decided by.
 */
async function useUp(
  deps: WriterDeps,
  facts: MailFacts,
  by: { readonly message?: string | null; readonly isSilent?: boolean },
): Promise<void> {
  const { persona, identity, admission } = facts;
  // Nobody who was never let in makes a database.
  if (identity.signatures.length === 0 || (admission.verdict !== 'admit' && !deps.stores.exists(persona.id))) return;
  const used = queryOf(deps, facts);
  await deps.stores.use(persona.id, (store) => store.useSignatures(used, by));
}

/**
 * Raw bytes on disk, where they are too many for a row; the wakeup; then message and run in one transaction. Only
 * afterwards may anybody acknowledge it.
 */
async function startRun(deps: WriterDeps, facts: Facts, decision: Extract<MailDecision, { do: 'run' }>) {
  const { persona, mail, raw, now } = facts;
  const isHeld = raw.byteLength <= MOST_IN_ROW;
  // First: should this process die, the mail comes again, and finds nothing more to take back.
  await takeBack(deps, facts);
  if (!isHeld) await deps.filesOf(persona.id).keepMail(raw, mail.rawSha256);
  const rows = rowsOfRun(deps, facts, decision, keepAttachments(deps, facts));
  deps.pass('accept.raw_written');
  if (!(await keepRows(deps, facts, isHeld ? { ...rows, raw } : rows))) return 'changed';
  if (isHeld) deps.rawMail.held(persona.id, raw.byteLength);
  deps.circuit.count(now);
  return { ...resultOf(inBrief(facts), decision), threadId: rows.run.thread_id, runId: rows.run.id };
}

/** Nobody is asked any more about what whoever asked for it has taken back, and the owners hear that. */
async function takeBack({ stores, announce, ids, pass }: WriterDeps, facts: Facts): Promise<void> {
  const { persona, mail, identity, takesBack, now } = facts;
  const by = identity.address;
  if (takesBack.length === 0 || by === null) return;
  const verdicts = takesBack.map(({ id }) => ({ id, state: 'stale', by, reason: TAKEN_BACK }) as const);
  const audit = verdicts.map(({ id }) => ({
    ...{ id: ids.next(), at: now, actor: by, event: 'approval_taken_back', run_id: null, approval_id: id, tool: null },
    ...{ decision: 'stale', detail: { message_id: mail.messageId } },
  }));
  const [owner, ...others] = persona.owners;
  const isOnlyOwner = owner !== undefined && others.length === 0 && matchesPattern(by, owner);
  const told = ownerNotice.job({
    id: `notice:taken_back:${mail.rawSha256}`,
    due_at: now,
    payload: inEach(languageOf([mail.newText], persona.language), (language) => ({
      subject: say(language, 'takenBack.subject', { about: mail.subject }),
      text: say(language, 'takenBack.text', { who: by, about: mail.subject, count: verdicts.length }),
    })),
  });
  await announce(persona.id, now, () =>
    stores.use(persona.id, (store) =>
      store.decideApprovals(verdicts, audit, now, (decided) =>
        decided.some(({ outcome }) => outcome === 'decided') && !isOnlyOwner ? [told] : [],
      ),
    ),
  );
  pass('run.event.approval_decided');
}

/** As an arrival, without a run. */
async function leaveToPerson(
  deps: WriterDeps,
  facts: Facts,
  decision: Extract<MailDecision, { do: 'leave_to_person' }>,
): Promise<DetailedResult | 'changed'> {
  const { persona, mail, raw } = facts;
  const isHeld = raw.byteLength <= MOST_IN_ROW;
  if (!isHeld) await deps.filesOf(persona.id).keepMail(raw, mail.rawSha256);
  const rows = rowsOfLeft(deps, facts, decision, keepAttachments(deps, facts));
  if (!(await keepRows(deps, facts, isHeld ? { ...rows, raw } : rows))) return 'changed';
  if (isHeld) deps.rawMail.held(persona.id, raw.byteLength);
  return { ...resultOf(inBrief(facts), decision), threadId: rows.message.thread_id };
}

/** What an owner said beside an answer, as a mail by itself. */
interface SaidBeside {
  readonly words: string;
  /** What its run is told of them. */
  readonly limitations?: readonly string[];
  /** What it was sent as, where that is not what its headers say. */
  readonly as?: Partial<Pick<NonNullable<NewArrival['message']>, 'subject' | 'in_reply_to' | 'references'>>;
}

/**
 * The run for what an owner said beside an answer, in a thread of its own, whatever becomes of the answer: the thread of the question may be somebody else's.
 * Before the answer is acted on: a process that dies in between finds the message, and makes no second one.
 */
export async function startBeside(deps: WriterDeps, facts: Facts, beside: SaidBeside): Promise<boolean> {
  if (facts.arrival.duplicate) return true;
  const { persona, mail, raw } = facts;
  await deps.filesOf(persona.id).keepMail(raw, mail.rawSha256);
  const count = { kind: 'go', threadPatch: null, count: null, later: null } as const;
  const begins = { do: 'run', code: null, tier: 'owner', thread: null, count } as const;
  // It is their word, and no mail by itself: what it asks for is asked about by the rules of any call.
  const { ownerMail: _, message, ...rows } = rowsOfRun(deps, facts, begins, keepAttachments(deps, facts));
  if (message === undefined) return true;
  const { words, limitations = [], as = {} } = beside;
  const said = { text: words, new_text: words, quoted_text: '', forwarded_text: '', pieces: [] };
  const told = { limitations: [...(message.limitations ?? []), ...limitations] };
  return keepRows(deps, facts, { ...rows, message: { ...message, ...said, ...told, ...as } });
}

const besideAnswer = (answer: AnswerAction['kind']): string =>
  answer === 'unclear' ? BESIDE_WHAT_WAITS : answer === 'late' ? BESIDE_WHAT_IS_CLOSED : BESIDE_A_DECISION;

/**
 * A question's own subject tells of the call that it asks about, which the mails of the run are not about, or which stands there
 * otherwise by then: they have that of the mail for which owners were asked.
 */
async function subjectBeside({ stores }: WriterDeps, { mail, notice, persona }: Facts): Promise<string> {
  const [first, ...others] = new Set((notice?.items ?? []).map(({ run_id }) => run_id));
  if (first === undefined || others.length > 0 || !isReplySubject(mail.subject)) return mail.subject;
  return stores.use(persona.id, async (store) => {
    const asked = await store.getRun(first);
    const request = asked?.kind === 'message' ? await store.messageById(asked.message) : undefined;
    return request === undefined || request.subject === '' ? mail.subject : request.subject;
  });
}

/** False: what was read of the rows does not hold any more. */
function keepRows(deps: WriterDeps, facts: Facts, rows: NewArrival): Promise<boolean> {
  const { persona, query, arrival, now } = facts;
  return deps.announce(persona.id, now, async () => {
    deps.pass('accept.wakeup_bumped');
    const isKept = await deps.stores.use(persona.id, (store) => store.keepArrival(rows, { query, rows: arrival }));
    if (!isKept) return false;
    deps.pass('accept.committed');
    if (rows.run) deps.pass('run.event.run_queued');
    return true;
  });
}

function keepAttachments({ filesOf, ids }: WriterDeps, { persona, mail }: Facts): Omit<NewAttachment, 'message'>[] {
  if (mail.attachments.length === 0) return [];
  const { artifacts } = filesOf(persona.id);
  return mail.attachments.map((attachment, position) => {
    if (attachment.unreadable === null) artifacts.put(attachment.content, attachment.sha256);
    return {
      id: `att_${ids.random(6)}`,
      position,
      name: attachment.name,
      type: attachment.type,
      bytes: attachment.bytes,
      sha256: attachment.sha256,
      unreadable: attachment.unreadable,
      charset: attachment.charset,
    };
  });
}

/** What a proven owner said is kept with its bytes; other mail that is never answered may be anybody's. */
async function keepOwnersWords(deps: WriterDeps, { persona, mail, raw, now }: Facts, code: string): Promise<void> {
  await deps.filesOf(persona.id).keepMail(raw, mail.rawSha256);
  const kept = { raw_sha256: mail.rawSha256, code, message_id: mail.messageId, bytes: raw.byteLength, at: now };
  await deps.stores.use(persona.id, (store) => store.keepRecorded(kept));
}

const keepUnreadable = (
  deps: WriterDeps,
  facts: Facts,
  { code, tier, detail }: Extract<MailDecision, { do: 'keep_unreadable' }>,
): Promise<void> =>
  addDeadLetter(deps, {
    key: facts.mail.rawSha256,
    messageId: facts.mail.messageId,
    from: facts.identity.address,
    subject: facts.mail.subject,
    raw: facts.raw,
    persona: facts.persona,
    stage: code === 'message_too_large' ? 'fetch' : 'parse',
    code,
    message: detail,
    also: isTold(tier) ? noteTo(deps, facts, code === 'message_too_large' ? 'too_large' : 'unreadable', null) : [],
  });

/** It stays in its mailbox, where nobody would hear of it. */
const tellOfFiles = (deps: WriterDeps, facts: Facts, tells: 'owners' | 'sender'): Promise<void> =>
  deps.announce(facts.persona.id, facts.now, () =>
    deps.stores.use(facts.persona.id, (store) =>
      store.addJobs([
        ownersHearOfFiles(facts),
        ...(tells === 'sender' ? noteTo(deps, facts, 'too_many_files', null) : []),
      ]),
    ),
  );

/**
 * A proven person whom a rule let in before, and none does now, hears so, once: they wait for an answer. A stranger hears
 * nothing, and neither do the owners: they have taken them off.
 */
async function tellTakenOff(deps: WriterDeps, facts: MailFacts): Promise<void> {
  const { persona, identity, now } = facts;
  const { address, authenticated } = identity;
  if (!authenticated || address === null || !deps.stores.exists(persona.id)) return;
  await deps.stores.use(persona.id, async (store) => {
    if (!(await store.wasLetIn(address))) return;
    const jobs = noteTo(deps, facts, 'taken_off', null);
    await deps.announce(persona.id, now, () => store.addJobs(jobs));
  });
}

const inBrief = ({ recipient, persona, identity, admission }: MailFacts): Subject => ({
  recipient,
  persona: persona.id,
  detail: identity.detail,
  tier: admission.verdict === 'admit' ? admission.tier : null,
});

/**
 * A bounce names a mail of ours: those of its recipients who may have got it are marked, an unknown delivery becomes a
 * known one, and the owner is told. It never starts a run and is never shown to a model as somebody's words. Its bytes
 * are kept only if it says something new; any other mail changes nothing.
 */
async function applyBounce(
  { stores, announce, filesOf }: WriterDeps,
  { persona, mail, raw, now }: MailFacts,
  code: string,
): Promise<void> {
  const bounce = parseBounce(mail);
  const claim = bounce && claimOf(bounce);
  // A persona that never had mail has sent none that could come back.
  if (!claim || !stores.exists(persona.id)) return;
  const failed = claim.failed.slice(0, 20).map(({ address, status }) => ({ address, status, why: 'refused' as const }));
  const kept = { raw_sha256: mail.rawSha256, code, message_id: mail.messageId, bytes: raw.byteLength, at: now };
  await stores.use(persona.id, async (store) => {
    if (!(await store.isNewBounce(claim))) return;
    await filesOf(persona.id).keepMail(raw, mail.rawSha256);
    const notices = (outboxId: string) => undeliveredNotices(outboxId, failed, now);
    await announce(persona.id, now, () => store.recordBounce({ ...claim, kept, now, notices }));
  });
}

/** What a bounce claims of one mail of ours; null when it claims nothing that would change anything. */
function claimOf({ originalMessageId, recipients }: Bounce) {
  const failed = recipients.filter(({ action }) => action === 'failed');
  if (originalMessageId === null || failed.length === 0) return null;
  return {
    messageId: originalMessageId,
    failed: failed.map(({ address, status }) => ({ address, status, smtp: `bounced ${status ?? ''}`.trim() })),
  };
}

/**
 * Does what a proven owner commands before any model reads the mail. STOP ends what is under way and freezes what has
 * not left, and new mail waits; RESUME lets it go on.
 */
async function obeyOwner(deps: WriterDeps, facts: Facts, command: OwnerCommand): Promise<void> {
  const { gateway, stores } = deps;
  const { persona, mail, identity, now } = facts;
  // It answers the mail with the command; an id that is none would keep it from leaving.
  const about = /^<[^<>\s]{1,900}>$/.test(mail.messageId) ? { about: mail.messageId } : {};
  const notice = (told: (language: Language) => { readonly subject: string; readonly text: string }): NewJob =>
    ownerNotice.job({
      id: `notice:${command}:${mail.rawSha256}`,
      due_at: now,
      payload: { ...inEach(languageOf([mail.newText], persona.language), told), ...about },
    });
  const { besideCommand } = facts;
  if (command === 'resume' && besideCommand !== null) {
    const told = notice((language) => ({
      subject: say(language, 'ownerCommands.stillStopped'),
      text: say(language, 'ownerCommands.notAlone', { line: besideCommand }),
    }));
    return deps.announce(persona.id, now, () =>
      stores.use(persona.id, (store) => store.endCommand(facts.query, [told])),
    );
  }
  // Counted and written down before the switch: a process that dies in between must not find nothing waiting.
  if (command === 'resume') {
    await stores.use(persona.id, async (store) => {
      const waiting = await waitingForResume(store);
      return store.addJobs([
        notice((language) => ({
          subject: say(language, 'ownerCommands.resumed'),
          text: say(language, 'ownerCommands.resume', { waited: waiting }),
        })),
      ]);
    });
  }
  // The switch first: whatever is cut off below must not find an open door.
  await gateway.setPaused(persona.id, command === 'stop' ? 'stopped' : null);
  deps.pass('resume.switched');
  const end = async (store: Store): Promise<void> => {
    const by = identity.address ?? '';
    const stopped = command === 'stop' ? await stopRuns(deps, { store, persona, now, by }) : null;
    const jobs =
      stopped === null
        ? []
        : [
            notice((language) => ({
              subject: say(language, 'ownerCommands.stopped'),
              text: stopText(language, stopped),
            })),
          ];
    await store.endCommand(facts.query, jobs);
  };
  await deps.announce(persona.id, now, () => stores.use(persona.id, end));
}

const stopText = (language: Language, { unknown, closed, ...counts }: Stopped): string =>
  [
    say(language, 'ownerCommands.stop', counts),
    ...(closed.length === 0
      ? []
      : [say(language, 'ownerCommands.closed', { count: closed.length, list: listed(closed) })]),
    ...(unknown.length === 0
      ? []
      : [
          say(language, 'ownerCommands.cutOff', {
            tools: unknown.map((tool) => toolInWords(tool, language)).join(', '),
          }),
        ]),
  ].join(' ');

/** Which mails, and whose: `Lunch (carol@example.com)`. */
const listed = (closed: Stopped['closed']): string =>
  closed.map(({ subject, from }) => `${subject ?? '–'}${from === null ? '' : ` (${from})`}`).join('; ');

const MAX_FILES = 2;
/** The first answer is told at once, and what its writer makes of it later at the end of such a span: all of it in one mail. */
const TOLD_EACH_MS = 600_000;

/**
 * An answer to an invitation that the persona knows is recorded, where its sender is proven and is the very attendee who
 * answers, and was invited. Anything else changes nothing: anybody can write an answer in somebody's name.
 */
async function applyCalendarReply(
  { stores, documents, announce }: WriterDeps,
  { persona, mail, identity, now }: MailFacts,
): Promise<void> {
  const sender = identity.authenticated ? identity.address : null;
  if (sender === null || !stores.exists(persona.id)) return;
  for (const file of mail.attachments.filter(isCalendarFile).slice(0, MAX_FILES)) {
    const replies = await repliesIn(documents, file, { persona: persona.id, sender, now });
    if (replies.length === 0) continue;
    await announce(persona.id, now, () =>
      stores.use(persona.id, async (store) => {
        for (const reply of replies) await record(store, reply, { sender, now, persona });
      }),
    );
  }
}

async function repliesIn(
  documents: WriterDeps['documents'],
  { content, name, charset }: ParsedAttachment,
  { persona, sender, now }: { readonly persona: string; readonly sender: string; readonly now: number },
): Promise<readonly Invitation[]> {
  const question = { kind: 'invitations', timezone: 'UTC', from: now } as const;
  // A mail is taken in whether or not its calendar can be read.
  const answer = await documents
    .ask({ bytes: content, name, charset, question }, { key: `${persona} ${sender}`, first: false })
    .catch(() => null);
  return answer?.kind === 'invitations' ? answer.invitations.filter(({ method }) => method === 'REPLY') : [];
}

async function record(
  store: Pick<Store, 'newestInvitation' | 'answersToInvitation' | 'keepInvitationAnswer' | 'addJobs' | 'messageById'>,
  { uid, recurrence_id, sequence, dtstamp, attendees: [attendee], comment }: Invitation,
  { sender, now, persona }: Pick<MailFacts, 'persona' | 'now'> & { readonly sender: string },
): Promise<void> {
  if (attendee?.address.toLowerCase() !== sender) return;
  const named = recurrence_id ?? '';
  const known = (await store.newestInvitation(uid, named)) ?? (await store.newestInvitation(uid, ''));
  // Our own do not repeat: whoever answers to single dates of one would leave a row for each that they think of.
  const of = known && isOwnInvitation(known) ? known.recurrence_id : named;
  const isInvited = known && factsOf(known).attendees.some(({ address }) => address.toLowerCase() === sender);
  if (!isInvited) return;
  const before = await answerOf(store, { uid, of, sender });
  await store.keepInvitationAnswer({
    uid,
    recurrence_id: of,
    attendee: sender,
    partstat: attendee.partstat,
    sequence,
    // A clock that is ahead must not keep out what is answered later.
    answered_at: Math.min(dtstamp ?? now, now),
    comment: comment.slice(0, 500),
  });
  const after = await answerOf(store, { uid, of, sender });
  if (!isOwnInvitation(known) || !after || after.answered_at === before?.answered_at) return;
  if (after.partstat === before?.partstat && after.comment === before.comment) return;
  const slot = Math.floor(now / TOLD_EACH_MS) + 1;
  const [part, due_at] = before === undefined ? ['first', now] : [String(slot), slot * TOLD_EACH_MS];
  const id = `meeting_answered:${known.id}:${sender}:${part}`;
  // In the language in which whoever asked for it is told of the answer.
  const request = await store.messageById(known.message);
  const language = languageOf([request?.new_text ?? ''], persona.language);
  const meeting = meetingLines(factsOf(known), language).join('\n');
  const payload = { invitation_id: known.id, attendee: sender, meeting };
  await store.addJobs([meetingAnswered.job({ id, due_at, payload })]);
}

const answerOf = async (
  store: Pick<Store, 'answersToInvitation'>,
  { uid, of, sender }: { readonly uid: string; readonly of: string; readonly sender: string },
) => (await store.answersToInvitation(uid, of)).find(({ attendee }) => attendee === sender);
