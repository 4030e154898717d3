import { EngineError } from '#contract';
import { auditSender } from '../../actions/mail/audit-sender.ts';
import { resultsAt, retryMail } from '../../actions/mail/retry-mail.ts';
import { isRefusal } from '../../actions/refusal.ts';
import { setAccess } from '../../actions/set-up/edit-persona.ts';
import type { PersonaEntry, SecurityConfig } from '../../config/types.ts';
import { writeBack } from '../../delivery/notices/owner-mail.ts';
import { visible } from '../../delivery/questions/approval-text.ts';
import { whySaid } from '../../delivery/questions/clarify-mail.ts';
import type { Intake } from '../../intake/incoming.ts';
import { languageOfAnswerer } from '../../languages/owner-language.ts';
import { isKey, say } from '../../languages/say.ts';
import { type ReaderLocale, whenSeenFrom } from '../../languages/times.ts';
import { derivedId } from '../../lib/ids.ts';
import { standingOf } from '../../mail/access.ts';
import { isStillOpen } from '../../mail/approval/senders/still-open.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { keptSource } from '../../queries/mail/received.ts';
import { type SendersAnswered, sendersAnswered } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { SeenMail, SenderQuestion, SenderVerdict } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { addressShown, howToAnswer, linesOf, type SeenQuestion, seenOf } from './digest-mail.ts';
import { incomingOf } from './kept-mail.ts';

interface Parts {
  readonly workspace: Workspace;
  readonly receive: Intake['receive'];
}

type Answer = Pick<SendersAnswered, 'answer_id' | 'message_id' | 'answered_at'> & { readonly by: string };

/** How often the proof of a kept mail is looked up before it stays where it is. */
const PATIENT = 5;

/**
 * Does what an owner's answer says of senders who were refused, and tells them in one mail what became of it. Done again
 * after a crash it comes out the same: what this very answer decided is gone on with.
 */
export function createSendersAnswerer(parts: Parts): JobHandler {
  const { gateway, live, clock, ids, hint } = parts.workspace;
  return handleJobs(sendersAnswered, async (persona, job, store) => {
    const { to: by, notice_id: noticeId, language: answeredIn, said, ...answer } = job.payload;
    const found = await store.findNotice({ id: noticeId });
    const questions = await gateway.senderQuestions(noticeId);
    if (!found || questions.length === 0) return store.endJob(job.id);
    const language = await languageOfAnswerer(store, persona, { to: by, said: answeredIn });
    const outcomes: Outcome[] = [];
    for (const { number, verdict } of said.kind === 'decide' ? said.items : []) {
      const question = questions.find((one) => one.number === number);
      const patient = job.attempts < PATIENT;
      if (question) outcomes.push(await decideAbout(parts, question, verdict, { ...answer, by, patient }));
    }
    const names = (id: string) => nameOf(live, id);
    const sight = { configs: live.current, gateway, nameOf: names, persona, store };
    const text = answerBlocks(
      { said, outcomes, questions: await seenOf(await gateway.senderQuestions(noticeId), sight) },
      {
        language,
        zone: persona.timezone,
        now: clock.now(),
        nameOf: names,
        othersOf: (question) => othersOf(live, question, by),
      },
    );
    await writeBack({ configs: live.current, clock, ids, hint }, persona, {
      store,
      jobId: job.id,
      kind: 'notice',
      language,
      text,
      to: by,
      about: found.notice.message_id,
    });
  });
}

export function nameOf(live: Workspace['live'], id: string): string {
  const entry = live.personas().get(id);
  return entry?.state === 'ready' ? entry.persona.name : id;
}

/** Names of the other personas of whoever answered, where the sender of this question is not refused by a rule yet. */
function othersOf(live: Workspace['live'], { persona_id: id, sender }: SenderQuestion, by: string): readonly string[] {
  const access = live.current().security.gateway_access;
  return [...live.personas().all()].flatMap((entry) =>
    entry.state === 'ready' &&
    entry.persona.id !== id &&
    standingOf(by, entry.persona, access) === 'owner' &&
    standingOf(sender, entry.persona, access) !== 'denied'
      ? [entry.persona.name]
      : [],
  );
}

async function decideAbout(
  parts: Parts,
  question: SenderQuestion,
  verdict: SenderVerdict,
  answer: Answer & { readonly patient: boolean },
): Promise<Outcome> {
  const { gateway, live, pass } = parts.workspace;
  const { answer_id: answerId, answered_at: answeredAt, by, patient } = answer;
  const judge = (asked: SenderQuestion) =>
    judgeAnswer(asked, verdict, {
      answerId,
      by,
      answeredAt,
      entry: live.personas().get(question.persona_id),
      access: live.current().security.gateway_access,
    });
  const before = judge(question);
  if (before.do === 'nothing') return { question, became: before.why };
  const claimed = await gateway.decideSender(question, { verdict, by, at: answeredAt, answerId });
  pass('senders.decided');
  // Somebody else may have been faster.
  const judged = claimed ? judge(claimed) : before;
  if (!claimed || judged.do === 'nothing')
    return { question: claimed ?? question, became: judged.do === 'nothing' ? judged.why : 'settled' };
  if (judged.do !== 'once' && judged.writes && !writeRule(parts.workspace, question, judged.do)) {
    await gateway.reopenSender(answerId, question);
    return { question, became: 'notWritten' };
  }
  pass('senders.rules_written');
  await putOnAudit(parts.workspace, question, verdict, answer);
  if (judged.do === 'block') return { question: claimed, became: 'blocked' };
  const taken = await takeUpSender(parts, question, { once: judged.do === 'once', patient });
  pass('senders.taken_in');
  return { question: claimed, became: judged.do === 'once' ? 'once' : 'allowed', taken };
}

/** The one place for such rules is the persona's file, as for `senders allow`. False: it cannot be changed. */
function writeRule(
  { root, live, log }: Workspace,
  { persona_id: persona, sender }: SenderQuestion,
  list: 'allow' | 'block',
): boolean {
  try {
    setAccess(root, persona, { pattern: sender, list: list === 'allow' ? 'allow' : 'deny' });
    live.lookAtPersona(persona);
    return true;
  } catch (error) {
    log.error({ persona, error: String(error) }, 'an owner’s answer about a sender could not be written down');
    return false;
  }
}

/** Who decided, in the log of the persona that the sender wrote to. */
async function putOnAudit(
  { stores }: Workspace,
  { persona_id: persona, sender, notice_id }: SenderQuestion,
  verdict: SenderVerdict,
  { answered_at: at, answer_id: answerId, message_id, by }: Answer,
): Promise<void> {
  const id = derivedId(at, `sender ${answerId} ${persona} ${sender}`);
  await auditSender(stores, persona, { id, at, by, verdict, detail: { sender, notice_id, message_id } });
}

/** So many of the newest refusals of one sender are looked at. */
const LOOKED_AT = 1000;
const WAIT_MS = 60_000;

/**
 * Takes in what a sender wrote, was proven to have written, and is kept; how much of it is in now. `once`: what the
 * owner was told of, as a stranger's. The same when it is done a second time. Throws `unavailable` where the proof of
 * one could not be looked up, unless it is `patient` no more.
 */
async function takeUpSender(
  { workspace, receive }: { readonly workspace: Workspace; readonly receive: Intake['receive'] },
  { persona_id: persona, sender, asked_at: askedAt }: SenderQuestion,
  { once, patient }: { readonly once: boolean; readonly patient: boolean },
): Promise<number> {
  const { gateway, live } = workspace;
  const found = await gateway.listReceived({ limit: LOOKED_AT, decision: 'refused', persona, from: partOf(sender) });
  const rows = found.filter(
    ({ from_address: from, code, received_at: at }) =>
      code === 'sender_not_allowed' && addressKey(from ?? '') === sender && (!once || at <= askedAt),
  );
  const taken = new Set<string>();
  let isDelayed = false;
  for (const row of rows.toReversed()) {
    const retried = await retryMail(
      {
        gateway,
        takeIn: (kept) =>
          receive({
            ...incomingOf(kept, live.current().gateway.mailboxes),
            fate: { again: ['sender_not_allowed', 'auth_failed'], ...(once ? { once: persona } : {}) },
          }),
      },
      { row, kept: await keptSource(workspace, row) },
    );
    isDelayed ||=
      !isRefusal(retried) && resultsAt(retried.results, persona).some(({ decision }) => decision === 'deferred');
    // After a crash it may have been taken in before, and is kept no more.
    if (isRefusal(retried) ? await isTakenIn(gateway, row) : retried.isDone) taken.add(row.message_id);
  }
  if (isDelayed && patient)
    throw new EngineError('unavailable', 'whose mail it is could not be looked up', { retry: { afterMs: WAIT_MS } });
  return taken.size;
}

/** The rows have an address as it was written, and the domain may have been written in other letters. */
const partOf = (sender: string): string => {
  const at = sender.lastIndexOf('@');
  return sender.includes('xn--', at) ? sender.slice(0, at) : sender;
};

async function isTakenIn(gateway: Workspace['gateway'], row: SeenMail): Promise<boolean> {
  const seen = await gateway.seenByMessageId(row.message_id);
  return seen.some(({ persona_id: persona, decision }) => persona === row.persona_id && decision === 'accepted');
}

/** What became of one sender of whom an owner has answered. */
type Outcome =
  | { readonly question: SenderQuestion; readonly became: 'allowed' | 'once'; readonly taken: number }
  | { readonly question: SenderQuestion; readonly became: 'blocked' | 'notWritten' | Untouched };

interface Told {
  readonly said: SendersAnswered['said'];
  readonly outcomes: readonly Outcome[];
  /** All of the digest, as they are now. */
  readonly questions: readonly SeenQuestion[];
}

type Reader = ReaderLocale & {
  readonly now: number;
  nameOf(personaId: string): string;
  othersOf(question: SenderQuestion): readonly string[];
};

/** What is said of an answer: what became of each sender in it; that nothing was done, why, and the question again. Pure. */
function answerBlocks({ said, outcomes, questions }: Told, reader: Reader): LetterBlock[] {
  if (said.kind === 'decide') return outcomes.map((one) => text(outcomeSaid(one, reader)));
  if (said.kind === 'late') return questions.map((one) => text(stateSaid(one, reader)));
  const open = questions.filter((one) => isOpen(one, reader.now));
  return [
    text(say(reader.language, 'clarify.nothingDone')),
    text(notUnderstood(said, reader)),
    ...(open.length === 0
      ? []
      : [
          text(say(reader.language, 'clarify.again')),
          ...open.flatMap((one) => linesOf(one, reader.language)),
          text(howToAnswer(questions, reader.language)),
        ]),
  ];
}

const text = (words: string): LetterBlock => ({ kind: 'text', text: words });

const isOpen = ({ verdict, until }: SenderQuestion, now: number): boolean => verdict === null && until > now;

function outcomeSaid(outcome: Outcome, reader: Reader): string {
  const { language } = reader;
  const { question, became } = outcome;
  const sender = addressShown(question.sender);
  const persona = reader.nameOf(question.persona_id);
  switch (became) {
    case 'allowed':
    case 'once':
      return `${say(language, `refusedAnswers.${became}`, { sender, persona })} ${say(language, 'refusedAnswers.taken', { mails: outcome.taken })}`;
    case 'settled':
      return stateSaid(question, reader);
    case 'blocked': {
      const others = reader.othersOf(question).join(', ');
      const here = others === '' ? '' : ` ${say(language, 'refusedAnswers.blockedHere', { persona, others })}`;
      return `${say(language, 'refusedAnswers.blocked', { sender, persona })}${here}`;
    }
    default:
      return say(language, `refusedAnswers.${became}`, { sender, persona });
  }
}

function stateSaid(question: SenderQuestion, reader: Reader): string {
  const { language } = reader;
  const sender = addressShown(question.sender);
  const { verdict, decided_by: by, decided_at: at } = question;
  if (verdict !== null) {
    return say(language, 'refusedAnswers.settled', {
      sender,
      verb: say(language, `refusedAnswers.verbs.${verdict}`),
      by: by ?? '',
      at: whenSeenFrom(reader.now, at ?? 0, reader),
    });
  }
  return isOpen(question, reader.now)
    ? say(language, 'refusedAnswers.open', { sender })
    : say(language, 'refusedAnswers.expired', { sender });
}

/** In the words of answers to questions where those say it, too. */
function notUnderstood({ why, detail }: Extract<Told['said'], { kind: 'unclear' }>, { language }: Reader): string {
  const own = `refusedAnswers.why.${why}` as const;
  if (isKey(own)) return say(language, own, { detail: visible(detail ?? '') });
  return isKey(`clarify.why.${why}`)
    ? whySaid(why, { detail }, language)
    : say(language, 'refusedAnswers.why.more_words');
}

/** What is to be done about one sender of whom an owner has answered, or why nothing is. */
type Judged =
  | {
      readonly do: 'allow' | 'block' /** The rule is to be written; it may be there already. */;
      readonly writes: boolean;
    }
  | { readonly do: 'once' }
  | { readonly do: 'nothing'; readonly why: Untouched };

type Untouched = 'settled' | 'expired' | 'needsProof' | 'isOwner' | 'denied' | 'notYours' | 'isPattern';

/**
 * Only an owner of that persona decides, once (after `once`, once more), and in time. An answer gives leave to write and never proof: of a mail that
 * nobody is proven to have written nothing is taken in by it. An owner is blocked by no mail, or a forged one could have
 * them blocked; and a rule that refuses counts before what a mail says. Pure.
 */
export function judgeAnswer(
  question: SenderQuestion,
  verdict: SenderVerdict,
  { answerId, by, answeredAt, entry, access }: Given,
): Judged {
  const { sender, code } = question;
  const isOwn = question.answer_id === answerId;
  if (entry?.state !== 'ready' || standingOf(by, entry.persona, access) !== 'owner') return nothing('notYours');
  if (!isOwn && !isStillOpen(question, verdict)) return nothing('settled');
  if (!isOwn && question.until <= answeredAt) return nothing('expired');
  // As a rule it would fit others.
  if (sender.includes('*')) return nothing('isPattern');
  const standing = standingOf(sender, entry.persona, access);
  if (verdict === 'block')
    return standing === 'owner' ? nothing('isOwner') : { do: 'block', writes: standing !== 'denied' };
  if (code === 'auth_failed') return nothing('needsProof');
  if (standing === 'denied') return nothing('denied');
  return verdict === 'once' ? { do: 'once' } : { do: 'allow', writes: standing === null };
}

const nothing = (why: Untouched): Judged => ({ do: 'nothing', why });

interface Given {
  readonly answerId: string;
  readonly by: string;
  readonly answeredAt: number;
  /** The persona that refused the mail. */
  readonly entry: PersonaEntry | undefined;
  readonly access: Pick<SecurityConfig['gateway_access'], 'allow' | 'deny'>;
}
