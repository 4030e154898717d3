import { marksOf } from '../mail/machine-marks.ts';
import type { NewArrival } from '../storage/ports/mail.ts';
import { MOST_IN_ROW } from '../storage/raw-mail.ts';
import type { NewAttachment } from '../storage/types/mail.ts';
import type { AnswerAction } from '../suspensions/answers/read-answer.ts';
import { actOnAnswer, auditRefusedAnswer } from './answers/act-on-answer.ts';
import type { Decision } from './decide.ts';
import type { WriterDeps } from './deps.ts';
import { applyBounce } from './effects/apply-bounce.ts';
import { applyCalendarReply } from './effects/apply-calendar-reply.ts';
import { noteTo, ownersHearOfFiles, rowsOfRun, rowsOfStop } from './effects/arrival-rows.ts';
import { addDeadLetter } from './effects/dead-letter.ts';
import { obeyOwner } from './effects/obey-owner.ts';
import type { Facts, MailFacts } from './facts.ts';
import { queryOf } from './look.ts';
import { type DetailedResult, resultOf, type Subject } from './results.ts';
import { isTold } from './rules/loops.ts';

/** Does what was decided without a look at any row. */
export async function writeUnread(deps: WriterDeps, facts: MailFacts, decision: Decision): Promise<DetailedResult> {
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
 * Makes a decision durable. Whatever it leaves is one transaction. `changed`: the rows that it rests on are others by
 * now, and nothing was written.
 */
export async function write(deps: WriterDeps, facts: Facts, decision: Decision): Promise<DetailedResult | 'changed'> {
  switch (decision.do) {
    case 'duplicate':
      await useUp(deps, facts, { message: facts.arrival.duplicate?.id ?? null });
      break;
    case 'stay_silent':
      await useUp(deps, facts, { isSilent: true });
      break;
    case 'run':
      return startRun(deps, facts, decision);
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
async function startRun(deps: WriterDeps, facts: Facts, decision: Extract<Decision, { do: 'run' }>) {
  const { persona, mail, raw, now } = facts;
  const isHeld = raw.byteLength <= MOST_IN_ROW;
  if (!isHeld) await deps.filesOf(persona.id).keepMail(raw, mail.rawSha256);
  const rows = rowsOfRun(deps, facts, decision, keepAttachments(deps, facts));
  deps.pass('accept.raw_written');
  if (!(await keepRows(deps, facts, isHeld ? { ...rows, raw } : rows))) return 'changed';
  if (isHeld) deps.rawMail.held(persona.id, raw.byteLength);
  deps.circuit.count(now);
  return { ...resultOf(inBrief(facts), decision), threadId: rows.run.thread_id, runId: rows.run.id };
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
  { code, tier, detail }: Extract<Decision, { do: 'keep_unreadable' }>,
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

const inBrief = ({ recipient, persona, identity, admission }: MailFacts): Subject => ({
  recipient,
  persona: persona.id,
  detail: identity.detail,
  tier: admission.verdict === 'admit' ? admission.tier : null,
});
