import { z } from 'zod';
import { type Asks, type Json, MAX_PENDING_S } from '#contract';
import { say } from '../languages/say.ts';
import { type AboutCall, type ReadReply, readPlanReply, readReply } from '../mail/approval/approval-answer.ts';
import { FROM_NOW_ON, withoutFromNowOn } from '../mail/approval/from-now-on.ts';
import { type Approval, type ApprovalKind, argumentsOf } from '../storage/types/approvals.ts';
import type { Suspension } from '../storage/types/suspensions.ts';
import {
  type AnswerAction,
  type AnswerToRead,
  answered,
  answeredItems,
  askAbout,
  askBack,
  isClosedByStop,
  isExpired,
  type Mixed,
  type ReadAnswer,
  readVerdict,
} from './answers/read-answer.ts';
import type { AskedKind } from './kind.ts';
import { external } from './kinds/external.ts';
import { keysByLabel } from './labels.ts';
import { membersOf, stepsIn } from './members.ts';
import type { Begins, OutsideKind, Wait } from './outside.ts';

/** May these calls be made, all of them, in order. */
const plan: AskedKind = {
  answeredBy: 'yes_or_no',
  bySteps: true,
  mail: {
    purpose: 'plan',
    subject: (language, name, args) =>
      say(language, 'mails.asks', { name, question: say(language, 'mails.may.plan', { count: stepsIn(args).length }) }),
    opening: (language, args) => say(language, 'mails.would.plan', { count: stepsIn(args).length }),
  },
  question: () => null,
  how: (language) => say(language, 'mails.howPlan'),
  read(given) {
    const [item] = given.items;
    if (!item) return null;
    const { typed, language, doubt, sender, persona } = given.said;
    const split = splitOf(item, typed);
    if (split) return doubt ? askAbout(doubt) : answered(split);
    return readVerdict(given, readPlanReply(typed, stepsIn(argumentsOf(item)).length, language, sender, persona));
  },
  result: () => null,
};

/**
 * An owner may say yes to some calls of a plan that was put together from calls of one turn: "approve 1", "approve 1,
 * deny 2". What the answer leaves out is denied, so that nothing of it goes on waiting. A no to one alone is a no to
 * the plan, like a no to nothing in particular. Null where the answer is one to the plan as a whole.
 */
function splitOf(item: Approval, newText: string): AnswerAction | null {
  const count = item.state === 'pending' ? membersOf(item).length : 0;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const { answer: read, rules } = readReply(newText, numbers);
  const approve = read.kind === 'approve' ? read.items : read.kind === 'mixed' ? read.approve : [];
  if (approve.length === 0 || approve.length === count) return null;
  const deny = numbers.filter((number) => !approve.includes(number));
  const chosen: Mixed = { kind: 'mixed', approve, deny, reason: read.kind === 'mixed' ? read.reason : null };
  const said = read.kind === 'approve' || read.kind === 'mixed' ? read.beside : undefined;
  const understood = { verdict: 'mixed', rules, items: answeredItems(chosen) } as const;
  return { kind: 'split', plan: item, chosen, understood, ...(said === undefined ? {} : { beside: said }) };
}

const MAX_ANSWER_CHARS = 50_000;

/** A question, to which an owner's words are the result. Nothing is done. */
const answer: AskedKind = {
  answeredBy: 'words',
  bySteps: false,
  mail: {
    purpose: 'question',
    subject: (language, name) => say(language, 'mails.hasQuestion', { name }),
    opening: () => null,
  },
  question: ({ question }) => String(question ?? ''),
  how: (language) => say(language, 'mails.howQuestion'),
  /** Whatever the words are: a `no` is an answer here, not a denial. Null when the question is settled. */
  read({ items: [item], said: { typed, doubt }, by, now }) {
    if (!item) return null;
    const words = typed.trim().slice(0, MAX_ANSWER_CHARS);
    if (isExpired(item, now)) {
      return { code: 'approval_expired', action: { kind: 'late', understood: { verdict: 'late' } } };
    }
    if (isClosedByStop(item)) return answered({ kind: 'late', understood: { verdict: 'late' } });
    if (item.state !== 'pending') {
      // The same mail delivered twice is no new one.
      return item.decided_by === by && item.reason === words ? answered({ kind: 'nothing' }) : null;
    }
    if (doubt) return askAbout(doubt);
    if (words === '') return askBack('no_words');
    return answered({
      kind: 'decide',
      verdicts: [{ id: item.id, state: 'approved', by, reason: words }],
      understood: { verdict: 'words', items: [{ number: item.number ?? 1, verdict: 'answer' }] },
    });
  },
  result: ({ reason, decided_by }) => ({
    answer: reason ?? '',
    answered_by: decided_by ?? 'an owner',
    note: 'the owner’s own words',
  }),
};

/** May this call be made. All calls that a run has held are items of one mail. */
const call: AskedKind = {
  answeredBy: 'yes_or_no',
  bySteps: false,
  mail: null,
  question: () => null,
  how: (language, several, line) => say(language, several ? 'mails.howSeveral' : 'mails.how', { line }),
  read(given) {
    const { items, said } = given;
    const numbers = items.map(({ number }) => number ?? 0);
    const about = (number: number) => aboutOf(items.find((one) => one.number === number));
    const read = (typed: string) => readReply(typed, numbers, about, said.language, said.sender, said.persona);
    return readFromNowOn(given, read) ?? readVerdict(given, read(said.typed));
  },
  result: () => null,
};

/**
 * "Yes, and from now on without asking": a yes, where the question offers it and nothing else is said. Null where nothing of that kind
 * is said, and where the answer is none but a no: a no needs no more to be one.
 */
function readFromNowOn(given: AnswerToRead, read: (typed: string) => ReadReply): ReadAnswer | null {
  const { items, said, now } = given;
  const { rest, count } = withoutFromNowOn(said.typed);
  const open = items.filter((item) => item.state === 'pending' && !isExpired(item, now));
  if (count === 0 || open.length === 0 || read(said.typed).answer.kind === 'deny') return null;
  const { answer, rules } = read(rest);
  const [only, ...others] = items;
  const isOffered = only !== undefined && others.length === 0 && only.offered_at !== null;
  const isYes = answer.kind === 'approve' && answer.beside === undefined;
  if (count > 1 || !isOffered || !isYes) return askBack('more_words', { rules });
  const decided = readVerdict(given, { answer, rules: [...rules, FROM_NOW_ON], asks: false });
  return decided?.action.kind === 'decide' ? { ...decided, action: { ...decided.action, fromNowOn: true } } : decided;
}

/** The words before the @ of each address: what people call those whom a mail goes to. */
const peopleIn = (value: Json): readonly string[] =>
  [value]
    .flat()
    .flatMap((one) =>
      typeof one === 'string' && one.includes('@') ? one.slice(0, one.lastIndexOf('@')).split(/[._+-]/) : [],
    )
    .filter((word) => /^\p{L}{2,}$/u.test(word));

const isLong = (value: Json | undefined): value is string => typeof value === 'string' && value.includes('\n');

/** What an answer may name of a call: its arguments, and a word for what it does. */
function aboutOf(approval: Approval | undefined): AboutCall | undefined {
  if (!approval) return undefined;
  const args = Object.entries(argumentsOf(approval));
  return {
    keys: args.map(([key]) => key),
    labels: keysByLabel(
      approval.tool,
      args.map(([key]) => key),
    ),
    long: args.flatMap(([key, value]) => (isLong(value) ? [key] : [])),
    lines: new Set(args.flatMap(([, value]) => (isLong(value) ? value.split('\n').map((line) => line.trim()) : []))),
    people: args.flatMap(([key, value]) => (key === 'to' || key === 'cc' ? peopleIn(value) : [])),
    act: approval.risk === 'destructive' ? 'delete' : args.some(([key]) => key === 'to') ? 'send' : null,
  };
}

const delegated = z.object({
  delegated: z.strictObject({ run_id: z.string(), timeout_s: z.number().positive().max(MAX_PENDING_S) }),
});
const kept = delegated.shape.delegated;

/** The child run that a suspension of this kind waits for. */
export const childOf = (payload: unknown): string | null => kept.safeParse(payload).data?.run_id ?? null;

/** A child run, whose end brings the result. */
const delegation: OutsideKind = {
  begins(answer, { delegates }, now) {
    const told = delegates ? delegated.safeParse(answer).data?.delegated : undefined;
    if (told === undefined) return null;
    const dueAt = now + told.timeout_s * 1000;
    return { payload: told, wakeAt: dueAt, dueAt };
  },
  wakes({ payload, due_at }, now) {
    if (now < due_at) return { do: 'wait', until: due_at };
    const { timeout_s } = kept.parse(payload);
    const message = `timed_out: the child run gave no result within ${timeout_s} s, and was ended`;
    return { do: 'end', state: 'timed_out', outcome: { ok: false, error: { code: 'tool_timeout', message } } };
  },
};

/** Everything that owners can be asked. Whoever treats one otherwise than another asks this table. */
export const ASKED: { readonly [Kind in ApprovalKind]: AskedKind } = { call, answer, plan };

export const askedKind = ({ kind }: Pick<Approval, 'kind'>): AskedKind => ASKED[kind];

/** What owners are asked about the calls of a tool, by what it declares. */
export const kindOfTool = ({ asks }: { readonly asks?: Asks }): ApprovalKind => asks ?? 'call';

/** What a tool of that kind declares; absent where its calls are made. */
export const declaredAs = (kind: ApprovalKind): { readonly asks?: Asks } => (kind === 'call' ? {} : { asks: kind });

/** Everything else that a run can wait for. */
const OUTSIDE: Readonly<Record<string, OutsideKind>> = { external, delegation };

/** Undefined for one that a later version has left. */
export const outsideKind = ({ kind }: Pick<Suspension, 'kind'>): OutsideKind | undefined =>
  Object.hasOwn(OUTSIDE, kind) ? OUTSIDE[kind] : undefined;

/** Whether what a tool gave back says that its call waits for something; null: it is its result. */
export function waitIn(answer: Json, tool: Begins, now: number): Wait | null {
  for (const [kind, { begins }] of Object.entries(OUTSIDE)) {
    const wait = begins(answer, tool, now);
    if (wait) return { kind, ...wait };
  }
  return null;
}
