// One table, and it is read from top to bottom: its rows stand together.

import { readWhoAnswers } from '../mail/approval/owner-command.ts';
import type { SilenceCode } from '../mail/mime/types.ts';
import { goesOnWith } from '../mail/text/subject.ts';
import type { FoundThread } from '../storage/ports/mail.ts';
import type { ThreadPatch, Tier } from '../storage/types/mail.ts';
import type { AnswerAction, AnswerToRead, ReadAnswer } from '../suspensions/answers/read-answer.ts';
import { askedKind } from '../suspensions/kinds.ts';
import { readAgainAnswer, readSendersAnswer, readUndoAnswer } from './answers/read-answers.ts';
import { readToolsAnswer } from './answers/read-tools.ts';
import type { Facts, MailFacts, NoticeFacts } from './facts.ts';
import type { Addressee, UnderstoodMail } from './identify.ts';
import type { Unreadable } from './incoming.ts';
import { isRefusedByRules, type RefusalCode } from './rules/admit.ts';
import { type Count, guardLoops, hourOf, isTold, type LoopCount } from './rules/loops.ts';

/** What becomes of a mail for one persona. `code` is what `why` shows and what a door is answered. */
export type MailDecision =
  | { readonly do: 'refuse'; readonly code: RefusalCode; readonly detail?: string }
  /** Its server hears of it where it was handed in; of one that lies in a mailbox nobody would: `tells` its sender and the owners. */
  | {
      readonly do: 'refuse';
      readonly code: 'too_many_attachments';
      readonly detail: string;
      readonly tells: 'nobody' | 'owners' | 'sender';
    }
  /** The door offers it again; `since`: when it was deferred first. */
  | { readonly do: 'defer'; readonly code: 'persona_error' | 'auth_failed'; readonly since: number | null }
  | { readonly do: 'duplicate'; readonly code: 'duplicate'; readonly of: Original }
  /** Recorded and never answered. */
  | { readonly do: 'stay_silent'; readonly code: SilenceCode | 'reaction' }
  | { readonly do: 'obey'; readonly code: 'stop_command' }
  | { readonly do: 'refuse_answer'; readonly code: 'approval_not_authorised' | 'approval_token_invalid' }
  | { readonly do: 'act_on_answer'; readonly code: ReadAnswer['code']; readonly action: AnswerAction }
  | { readonly do: 'keep_unreadable'; readonly code: UnreadCode; readonly tier: Tier; readonly detail: string }
  | {
      readonly do: 'stop_loop';
      readonly code: 'loop_limit' | 'sender_rate_limited' | 'hop_limit';
      readonly tier: Tier;
      readonly threadId: string | null;
      readonly threadPatch: ThreadPatch | null;
      /** One notice to the owner under this key; null when it was already sent. */
      readonly noticeKey: string | null;
      /** Whether its sender is to hear that no answer comes: once an hour, or one of all who name that thread. */
      readonly tells: 'sender' | 'thread' | null;
      /** What later mail is counted with. */
      readonly count: Count | null;
    }
  /** Kept with its thread and never answered: a person does. `isNew`: this mail says so. */
  | {
      readonly do: 'leave_to_person';
      readonly code: 'taken_by_person';
      readonly tier: Tier;
      /** Null: the mail begins one, which is that person's as well. */
      readonly thread: FoundThread | null;
      readonly by: string;
      readonly at: number;
      readonly isNew: boolean;
    }
  | {
      readonly do: 'run';
      /**
       * Its run begins later: `slowed_down`: its sender writes at once after each answer; `sender_rate_limited`: they have had
       * the runs of an hour.
       */
      readonly code: 'slowed_down' | 'sender_rate_limited' | null;
      readonly tier: Tier;
      /** The thread that the mail joins; null: it begins one. */
      readonly thread: FoundThread | null;
      readonly count: LoopCount;
    };

type UnreadCode = Exclude<Unreadable['code'], 'too_many_attachments'>;

/** What a duplicate repeats. */
interface Original {
  readonly tier: Tier | null;
  readonly threadId: string | null;
  readonly runId: string | null;
}

/** One row of the table in docs/decisions.md. `decide` is null where the row does not match. Pure. */
interface Rule<Given> {
  readonly when: string;
  /** Each code that the row can give; null: none. */
  readonly codes: readonly (string | null)[];
  decide(given: Given): MailDecision | null;
}

type Arriving = Pick<UnderstoodMail, 'unreadable'> & {
  readonly entry: Pick<Addressee['entry'], 'state'>;
  /** Its server waits for an answer; else it lies in a mailbox. */
  readonly isHandedIn: boolean;
};

/** Asked first: who wrote it makes no difference. */
const BY_ADDRESSEE: readonly Rule<Arriving>[] = [
  {
    when: 'its server hands it in, and it has more attachments than are read',
    codes: ['too_many_attachments'],
    decide: ({ unreadable, isHandedIn }) =>
      unreadable?.code === 'too_many_attachments' && isHandedIn
        ? { do: 'refuse', code: unreadable.code, detail: unreadable.message, tells: 'nobody' }
        : null,
  },
  {
    when: 'the persona’s files have errors',
    codes: ['persona_error'],
    decide: ({ entry }) => (entry.state === 'error' ? { do: 'defer', code: 'persona_error', since: null } : null),
  },
];

const SILENCE: Readonly<Record<SilenceCode, true>> = {
  read_receipt: true,
  delivery_report: true,
  bounce: true,
  own_message: true,
  log_in_mail: true,
  hop_limit: true,
  calendar_reply: true,
  null_return_path: true,
  auto_submitted: true,
  mailing_list: true,
  bulk: true,
  no_reply_sender: true,
};

/** Asked of the mail and of who wrote it, before any row is read. */
const BY_SENDER: readonly Rule<MailFacts>[] = [
  {
    when: 'mail of this kind is never answered',
    codes: Object.keys(SILENCE),
    decide: ({ silence }) => silence && { do: 'stay_silent', code: silence },
  },
  {
    when: 'only proof is missing, and DNS may still bring it',
    codes: ['auth_failed'],
    // Whoever is denied by name is denied now.
    decide: ({ proof, admission }) =>
      proof.mayCome && admission.verdict === 'refuse' && admission.code === 'auth_failed'
        ? { do: 'defer', code: 'auth_failed', since: proof.since }
        : null,
  },
];

const ANSWER_CODES = ['approval_answer', 'approval_expired'];
const REFUSAL_CODES = ['sender_denied', 'sender_not_allowed', 'auth_failed', 'from_missing', 'from_ambiguous'];

const NOT_COUNTED = { threadPatch: null, count: null } as const;

/** Asked of the mail and of the rows that bear on it. The last row always matches. */
const BY_ROWS: readonly Rule<Facts>[] = [
  {
    when: 'a proven owner says STOP or RESUME, with a signature that was used before',
    codes: ['duplicate'],
    // Whoever kept an owner's STOP could otherwise stop the persona with it each time that the owner resumes it.
    decide: ({ command, isCommandUsed }) =>
      command !== null && isCommandUsed ? duplicate({ tier: 'owner', threadId: null, runId: null }) : null,
  },
  {
    when: 'a proven owner says STOP or RESUME',
    codes: ['stop_command'],
    // Where nothing is stopped, a mail that says more than RESUME is one like any other.
    decide: ({ command, besideCommand, waiting }) =>
      command === null || (besideCommand !== null && waiting === null) ? null : { do: 'obey', code: 'stop_command' },
  },
  {
    when: 'it has the subject of an automatic answer, and answers ours within minutes',
    codes: ['auto_submitted'],
    decide: (facts) =>
      tierOf(facts) !== null && answersByItself(facts) ? { do: 'stay_silent', code: 'auto_submitted' } : null,
  },
  {
    when: 'its address or its subject names a notice to owners that there is not',
    codes: ['approval_token_invalid'],
    // Thirty-two typed digits may be anything; in the address or in the subject they can only be a token.
    decide: ({ notice, token }) =>
      notice === null && token !== null && token.carrier !== 'typed'
        ? { do: 'refuse_answer', code: 'approval_token_invalid' }
        : null,
  },
  {
    when: 'it answers a notice, and its sender is no proven owner',
    codes: ['approval_not_authorised'],
    decide: ({ notice, mayAnswer }) =>
      notice !== null && !mayAnswer ? { do: 'refuse_answer', code: 'approval_not_authorised' } : null,
  },
  {
    when: 'this very mail answered the notice before',
    codes: ['approval_answer'],
    decide: ({ notice }) =>
      notice?.isAnswered ? actOn({ code: 'approval_answer', action: { kind: 'nothing' } }) : null,
  },
  {
    when: 'it answers a notice, and nothing proves it but a signature that was used before and made no message',
    codes: ['duplicate'],
    decide: (facts) => (facts.notice !== null && isSpent(facts) ? duplicate(NOTHING) : null),
  },
  {
    when: 'it takes back what a notice says was done',
    codes: ANSWER_CODES,
    decide: (facts) => readBy(readUndoAnswer, facts),
  },
  {
    when: 'it asks to do once more what a notice says was not done',
    codes: ANSWER_CODES,
    decide: (facts) => readBy(readAgainAnswer, facts),
  },
  {
    when: 'it answers a mail about senders who were refused, or is to be asked back about it',
    codes: ANSWER_CODES,
    decide: (facts) => readBy(readSendersAnswer, facts),
  },
  {
    when: 'it answers a mail about tools of a server that have changed, or is to be asked back about it',
    codes: ANSWER_CODES,
    decide: (facts) => readBy(readToolsAnswer, facts),
  },
  {
    when: 'it answers what owners were asked, or is to be asked back about it',
    codes: ANSWER_CODES,
    decide: (facts) => readBy(({ items: [first] }, given) => first && askedKind(first).read(given), facts),
  },
  {
    when: 'it is a sign under a mail, as programs send it, and no letter',
    codes: ['reaction'],
    decide: (facts) =>
      facts.mail.reaction && facts.notice === null && tierOf(facts) !== null
        ? { do: 'stay_silent', code: 'reaction' }
        : null,
  },
  {
    when: 'it lies in a mailbox, and has more attachments than are read',
    codes: ['too_many_attachments'],
    decide: (facts) => {
      if (facts.unreadable?.code !== 'too_many_attachments') return null;
      const tier = tierOf(facts);
      const tells = tier === null || tier === 'unauthenticated' ? 'nobody' : isTold(tier) ? 'sender' : 'owners';
      return { do: 'refuse', code: facts.unreadable.code, detail: facts.unreadable.message, tells };
    },
  },
  {
    when: 'it cannot be read, and nobody let its sender in by name',
    codes: REFUSAL_CODES,
    decide: (facts) => {
      if (facts.unreadable === null) return null;
      const tier = tierOf(facts);
      const detail = `${facts.unreadable.message}; ${facts.identity.detail}`;
      if (tier === null) return { do: 'refuse', code: refusalOf(facts), detail };
      // A sender let in by a default or by `monitor` gets an answer to what can be read; the rest is not kept.
      if (tier === 'unauthenticated') return { do: 'refuse', code: 'auth_failed', detail };
      return tier === 'stranger' ? { do: 'refuse', code: 'sender_not_allowed', detail } : null;
    },
  },
  {
    when: 'it cannot be read',
    codes: ['unparsable', 'mime_limit', 'message_too_large'],
    decide: (facts) => {
      const tier = tierOf(facts);
      if (facts.unreadable === null || tier === null) return null;
      const { code, message: detail } = facts.unreadable;
      return code === 'too_many_attachments' ? null : { do: 'keep_unreadable', code, tier, detail };
    },
  },
  {
    when: 'a rule denies its sender, nothing proves them, or no rule names them and it answers no mail',
    codes: REFUSAL_CODES,
    decide: (facts) => (isRefusedByRules(facts) ? { do: 'refuse', code: refusalOf(facts) } : null),
  },
  {
    when: 'it was taken in before: the same Message-ID, sender and Date, or the same signature',
    codes: ['duplicate'],
    decide: (facts) => {
      const same = facts.arrival.duplicate;
      if (same) return duplicate({ tier: null, threadId: same.thread_id, runId: same.run_id });
      return isSpent(facts) ? duplicate(NOTHING) : null;
    },
  },
  {
    when: 'it has the Message-ID of a mail that the persona has sent',
    codes: ['own_message'],
    decide: ({ arrival }) => (arrival.sameId?.isOurs ? { do: 'stay_silent', code: 'own_message' } : null),
  },
  {
    when: 'no rule names its sender, and no owner put them on the thread',
    codes: ['sender_not_allowed'],
    decide: (facts) => (tierOf(facts) === null ? { do: 'refuse', code: refusalOf(facts) } : null),
  },
  {
    when: 'a person answers in its thread, or an owner says with its first line that they do from now on',
    codes: ['taken_by_person'],
    decide: (facts) => leftToPerson(facts),
  },
  {
    when: 'a persona of this gateway wrote it, and it has gone between them as often as it may',
    codes: ['hop_limit'],
    // A program waits for its answer; somebody who began it may wait behind that.
    decide: (facts) => {
      const tier = tierOf(facts);
      if (tier === null || facts.isAsked || facts.recursion >= 0) return null;
      const noticeKey = `hop_limit:${facts.identity.address}:${Math.floor(hourOf(facts.now) / 24)}`;
      return { do: 'stop_loop', code: 'hop_limit', tier, noticeKey, tells: null, threadId: null, ...NOT_COUNTED };
    },
  },
  {
    when: 'its sender has had the runs of an hour, and is not proven or would wait for days',
    codes: ['sender_rate_limited'],
    decide: (facts) => {
      const tier = tierOf(facts);
      if (tier === null || !isOverRate(facts) || mayWait(facts, tier)) return null;
      const noticeKey = `sender_rate_limited:${facts.identity.address}:${hourOf(facts.now)}`;
      const tells = isTold(tier) ? 'sender' : null;
      return { do: 'stop_loop', code: 'sender_rate_limited', tier, noticeKey, tells, threadId: null, ...NOT_COUNTED };
    },
  },
  {
    when: 'its sender, its thread or this gateway has had the answers of an hour, or the same comes back too fast',
    codes: ['loop_limit'],
    decide: (facts) => {
      const { tier, guard } = guarded(facts);
      if (guard.kind === 'go') return null;
      const { kind: _, ...stop } = guard;
      return { do: 'stop_loop', code: 'loop_limit', tier, ...stop };
    },
  },
  {
    when: 'its sender is proven and has had the runs of an hour',
    codes: ['sender_rate_limited'],
    decide: (facts) => {
      const { tier, thread, guard } = guarded(facts);
      const { slotAt } = facts.arrival;
      if (guard.kind === 'stop' || slotAt === null || !isOverRate(facts)) return null;
      const until = Math.max(slotAt, guard.later?.until ?? 0);
      const count = { ...guard, later: { until, tells: isTold(tier), said: 'in_turn' as const } };
      return { do: 'run', code: 'sender_rate_limited', tier, thread, count };
    },
  },
  {
    when: 'its sender is proven, and answers of theirs, in other words each, come back too fast',
    codes: ['slowed_down'],
    decide: (facts) => {
      const { tier, thread, guard } = guarded(facts);
      return guard.kind === 'go' && guard.later !== null
        ? { do: 'run', code: 'slowed_down', tier, thread, count: guard }
        : null;
    },
  },
  {
    when: 'anything else',
    codes: [null],
    decide: (facts) => {
      const { tier, thread, guard } = guarded(facts);
      return guard.kind === 'go' ? { do: 'run', code: null, tier, thread, count: guard } : null;
    },
  },
];

/** All rows, in the order in which they are asked. */
export const TABLE: readonly Pick<Rule<never>, 'when' | 'codes'>[] = [...BY_ADDRESSEE, ...BY_SENDER, ...BY_ROWS];

const firstOf = <Given>(rules: readonly Rule<Given>[], given: Given): MailDecision | null => {
  for (const rule of rules) {
    const decision = rule.decide(given);
    if (decision !== null) return decision;
  }
  return null;
};

/** What becomes of a mail whoever wrote it; null: that depends on who did. */
export const decideByAddressee = (arriving: Arriving): MailDecision | null => firstOf(BY_ADDRESSEE, arriving);

/** What becomes of a mail without a look at any row; null: they decide. */
export const decideBySender = (facts: MailFacts): MailDecision | null => firstOf(BY_SENDER, facts);

/** What becomes of a mail of which neither `decideByAddressee` nor `decideBySender` has decided. */
export function decide(facts: Facts): MailDecision {
  const decision = firstOf(BY_ROWS, facts);
  if (decision === null) throw new Error('the last row of the table matches every mail');
  return decision;
}

const duplicate = (of: Original): MailDecision => ({ do: 'duplicate', code: 'duplicate', of });

const NOTHING: Original = { tier: null, threadId: null, runId: null };

const actOn = ({ code, action }: ReadAnswer): MailDecision => ({ do: 'act_on_answer', code, action });

/** How soon after our answer a program is thought to have written back, and not a person. */
const AT_ONCE_MS = 15 * 60_000;

/** Of a mail of ours that is on no record, since a relay has changed its id, nobody can say when it left. */
function answersByItself({ mail, automatic, arrival: { threads }, now }: Facts): boolean {
  if (automatic === null) return false;
  const nearest = threads.find(({ by }) => by === 'message');
  if (nearest === undefined) return automatic.namesOurs;
  // People who begin another subject in an answer write words of theirs.
  if (!goesOnWith(mail.subject, nearest.subject)) return false;
  return nearest.last_reply_at !== null && Math.abs(now - nearest.last_reply_at) < AT_ONCE_MS;
}

/** All items of one notice are of one kind. */
function readBy(
  read: (notice: NoticeFacts, given: AnswerToRead) => ReadAnswer | null | undefined,
  { notice, identity, now }: Facts,
): MailDecision | null {
  if (notice === null) return null;
  const found = read(notice, { items: notice.items, said: notice.said, by: identity.address ?? '', now });
  return found ? actOn(found) : null;
}

/** Mail waits for no longer than this before its sender is told that no answer comes. */
const LONGEST_WAIT_MS = 48 * 3_600_000;

/** A mail that a limit stopped has used its signature up; an owner who wants it taken in after all means that very mail. */
const isSpent = ({ arrival, isAsked }: Facts): boolean => arrival.isSpent && !isAsked;

function isOverRate({ persona, arrival, isAsked }: Facts): boolean {
  if (isAsked) return false;
  const most = persona.budget.runs_per_sender_per_hour;
  return most !== null && (most === 0 || arrival.slotAt !== null);
}

/** What nobody proved may be anybody's, as much of it as they like: it is kept for an owner to look at, and holds up nobody. */
const mayWait = ({ arrival: { slotAt }, now }: Facts, tier: Tier): boolean =>
  tier !== 'unauthenticated' && slotAt !== null && slotAt - now < LONGEST_WAIT_MS;

/** The tier under which the sender may write here; null: not at all. */
function tierOf({ admission, arrival }: Facts): Tier | null {
  if (admission.verdict === 'admit') return admission.tier;
  if (admission.verdict === 'refuse') return null;
  if (arrival.threads.some(({ role }) => role === 'known')) return 'known';
  return admission.byDefault === 'allow' ? 'stranger' : null;
}

/** Whoever may not join the thread is left to that person with a thread of their own. */
function leftToPerson(facts: Facts): MailDecision | null {
  const { identity, mayAnswer, now } = facts;
  const tier = tierOf(facts);
  // An owner wants this very mail answered.
  if (tier === null || facts.isAsked) return null;
  const nearest = facts.arrival.threads.find(({ by }) => by === 'message') ?? null;
  const joined = joinedBy(tier, facts) ?? nearest;
  if (joined === null) return null;
  const said = mayAnswer && tier === 'owner' ? readWhoAnswers(facts.mail) : null;
  if (said === 'give') return null;
  const isNew = said === 'take' && joined.taken_by === null;
  const by = isNew ? identity.address : joined.taken_by;
  if (by === null) return null;
  const thread = mayJoin(tier, joined) ? joined : null;
  const at = isNew ? now : (joined.taken_at ?? now);
  return { do: 'leave_to_person', code: 'taken_by_person', tier, thread, by, at, isNew };
}

const joinedBy = (tier: Tier, { arrival }: Facts): FoundThread | null =>
  arrival.threads.find((one) => mayJoin(tier, one)) ?? null;

const refusalOf = ({ admission }: MailFacts): RefusalCode =>
  admission.verdict === 'refuse' ? admission.code : 'sender_not_allowed';

/** What an owner asks for by name is not counted. */
const GOES: LoopCount = { kind: 'go', threadPatch: null, count: null, later: null };

/** The thread that the mail joins, and what the loop guard says. Only for somebody who may write here. */
function guarded(facts: Facts) {
  const tier = tierOf(facts);
  if (tier === null) throw new Error('whoever may not write here was refused by an earlier row');
  const { arrival, identity, loopGuard, isAsked, answersOfAll, now } = facts;
  const thread = joinedBy(tier, facts);
  const guard = isAsked
    ? GOES
    : guardLoops({ arrival, tier, thread, sender: identity.address, loopGuard, answersOfAll, now });
  return { tier, thread, guard };
}

/**
 * Whoever copies a Message-ID does not join a thread: only an owner, somebody who already takes part, or a member who
 * answers a mail that was openly addressed to them.
 */
function mayJoin(tier: Tier, { role, named, by }: FoundThread): boolean {
  // Who names what others name may have copied it, and others may have named it first to be joined.
  if (by === 'ancestor' && role === null && !named) return false;
  if (tier === 'owner' || (tier === 'member' && named)) return true;
  // `known` holds on its own thread only: another one named beside it lends nothing.
  return tier === 'known' ? role === 'known' : tier !== 'unauthenticated' && role !== null;
}
