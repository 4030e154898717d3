import { readAgain } from '../../mail/approval/again-answer.ts';
import { readReply } from '../../mail/approval/approval-answer.ts';
import { isExplicitYes } from '../../mail/approval/explicit-yes.ts';
import { ONLY_A_YES, THUMBS_UP } from '../../mail/approval/grammar.ts';
import { readSenders } from '../../mail/approval/senders/senders-answer.ts';
import { isStillOpen } from '../../mail/approval/senders/still-open.ts';
import { readNumbered, readUndo } from '../../mail/approval/undo-answer.ts';
import type { Switch } from '../../storage/types/approvals.ts';
import type { SenderQuestion } from '../../storage/types/gateway.ts';
import {
  type AnswerToRead,
  answered,
  askAbout,
  askBack,
  type ReadAnswer,
  type SendersSaid,
  type Understood,
} from '../../suspensions/answers/read-answer.ts';
import type { NoticeFacts } from '../facts.ts';

/**
 * What an owner says of senders who were refused, below the mail about them; null when that asks about none, or when all
 * is decided and this is about something else. Pure.
 */
export function readSendersAnswer(
  { senders }: Pick<NoticeFacts, 'senders'>,
  { said, now }: Pick<AnswerToRead, 'said' | 'now'>,
): ReadAnswer | null {
  if (senders.length === 0) return null;
  const isOpen = ({ verdict, until }: SenderQuestion) => verdict === null && until > now;
  const open = senders.filter(isOpen);
  const answer = readSenders(
    said.typed,
    senders.map(({ number, sender }) => ({ number, address: sender })),
  );
  // An owner goes on writing below it, and not every word like these is about senders.
  if (open.length === 0 && answer.kind !== 'decide') return null;
  if (answer.kind === 'none')
    return saying({ kind: 'unclear', why: answer.asks ? 'question' : 'nothing', detail: null });
  if (answer.kind === 'unclear') return saying(answer);
  // To block somebody takes nothing from an owner; to let somebody in has to be all that was said.
  const letsIn = answer.items.some(({ verdict }) => verdict !== 'block');
  if (said.doubt && letsIn) return saying({ kind: 'unclear', ...said.doubt });
  const isNew = answer.items.some((item) =>
    senders.some((one) => one.number === item.number && one.until > now && isStillOpen(one, item.verdict)),
  );
  return isNew ? saying(answer, { verdict: 'senders', items: answer.items }) : late(senders);
}

const saying = (said: SendersSaid, understood: Understood = { verdict: 'unclear' }): ReadAnswer => ({
  code: 'approval_answer',
  action: { kind: 'senders', said, understood },
});

/** All that it could be about was decided, or its time is over. */
const late = (senders: readonly SenderQuestion[]): ReadAnswer => ({
  code: senders.some(({ verdict }) => verdict === null) ? 'approval_expired' : 'approval_answer',
  action: { kind: 'senders', said: { kind: 'late' }, understood: { verdict: 'late' } },
});

/** An owner's `undo` below a notice of what was done; null when the mail says something else. Pure. */
export function readUndoAnswer(
  { undo }: Pick<NoticeFacts, 'undo'>,
  { said: { typed, doubt }, now }: AnswerToRead,
): ReadAnswer | null {
  const chosen = readUndo(typed, undo.map(numberOf));
  if (undo.length === 0 || chosen === null) return null;
  if (chosen === 'more') return askBack('undo_more');
  if (doubt) return askAbout(doubt, ['undo']);
  const wanted = undo.filter((item) => chosen.includes(numberOf(item)));
  if (wanted.length === 0) return askBack('undo_which');
  const open = wanted.filter(({ state, until }) => state === 'open' && until > now);
  const items = wanted.map((item) => ({ number: numberOf(item), verdict: 'undo' }) as const);
  if (open.length > 0) {
    return answered({ kind: 'undo', items: open, understood: { verdict: 'undo', rules: ['undo'], items } });
  }
  const code = wanted.some(({ state }) => state !== 'undone') ? 'approval_expired' : 'approval_answer';
  return { code, action: { kind: 'late', understood: { verdict: 'late', rules: ['undo'], items } } };
}

/** An owner's `again` below a notice that offers something; null when the mail says something else. Pure. */
export function readAgainAnswer({ again }: Pick<NoticeFacts, 'again'>, given: AnswerToRead): ReadAnswer | null {
  if (again?.items.some((item) => 'setting' in item)) return readOfferAnswer(given);
  const { typed, doubt } = given.said;
  const { now } = given;
  const switches = again?.items.flatMap((item) => ('switch' in item ? [item] : [])) ?? [];
  if (again !== null && switches.length > 0) return readSwitchAnswer({ switches, until: again.until }, given);
  const isBudget = again?.items.some((item) => 'budget' in item) === true;
  const read = again === null ? null : readWanted(typed, again.items);
  if (again === null || read === null) return null;
  if (read === 'more') return askBack(isBudget ? 'go_on_more' : 'again_more');
  if (doubt) return askAbout(doubt, ['again']);
  const isLate = again.until <= now;
  const understood: Understood = { verdict: isLate ? 'late' : 'again', rules: ['again'] };
  return { code: isLate ? 'approval_expired' : 'approval_answer', action: { kind: 'again', understood } };
}

/** A notice of an earlier version asks for `again` where a thread is given back, and may still lie in somebody's inbox. */
function readWanted(typed: string, items: NonNullable<NoticeFacts['again']>['items']): 'again' | 'more' | null {
  if (items.some((item) => 'budget' in item)) return readAgain(typed, 'goOn');
  const isGiven = items.some((item) => 'thread' in item) && readAgain(typed, 'give') === 'again';
  return isGiven ? 'again' : readAgain(typed, 'again');
}

const NO_YES_TO_NEWS: ReadonlySet<string> = new Set([ONLY_A_YES.name, THUMBS_UP.name]);

/** Yes or no to a setting that is offered, or that it be taken back; null when the mail says something else. */
function readOfferAnswer({ said: { typed, doubt, language, sender, persona } }: AnswerToRead): ReadAnswer | null {
  const back = readUndo(typed, [1]);
  if (back === 'more') return askBack('undo_more');
  const { answer, rules } = readReply(typed, [1], undefined, language, sender, persona);
  const verdict = back === null ? answer.kind : 'undo';
  if (verdict === 'ambiguous' && answer.kind === 'ambiguous')
    return askBack(answer.why, { detail: answer.detail, rules });
  if (verdict !== 'undo' && verdict !== 'approve' && verdict !== 'deny') return null;
  // To a question that stands alone these are a yes; below news they may only say that it was read.
  const isMeant = !rules.some((rule) => NO_YES_TO_NEWS.has(rule)) && isExplicitYes(typed, language);
  if (verdict === 'approve' && !isMeant) return askBack('praise', { rules });
  // A no leaves everything as it is.
  if (doubt && verdict !== 'deny') return askAbout(doubt, rules);
  return answered({ kind: 'again', understood: { verdict, rules: verdict === 'undo' ? ['undo'] : rules } });
}

/** `on 3`, or `off 5`, below a mail that lists what can be switched; null when the mail says something else. Pure. */
function readSwitchAnswer(
  { switches, until }: { readonly switches: readonly Switch[]; readonly until: number },
  { said: { typed, doubt }, now }: AnswerToRead,
): ReadAnswer | null {
  const isOff = ({ switch: name }: Switch): boolean => name === 'weekly_mail';
  const read = (word: 'on' | 'off') =>
    readNumbered(word, typed, switches.filter((one) => isOff(one) === (word === 'off')).map(numberOf));
  const chosen = read('on') ?? read('off');
  if (chosen === null) return null;
  if (chosen === 'more') return askBack('switch_more');
  if (doubt) return askAbout(doubt, ['switch']);
  if (chosen.length === 0) return askBack('switch_which');
  const isLate = until <= now;
  const understood: Understood = { verdict: isLate ? 'late' : 'switch', rules: ['switch'] };
  return {
    code: isLate ? 'approval_expired' : 'approval_answer',
    action: { kind: 'again', numbers: chosen, understood },
  };
}

const numberOf = ({ number }: { readonly number: number | null }): number => number ?? 0;
