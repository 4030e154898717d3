import { say } from '../../languages/say.ts';
import { readPlanReply, readReply } from '../../mail/approval/approval-answer.ts';
import { type Approval, argumentsOf } from '../../storage/types/approvals.ts';
import { type AnswerAction, answered, askAbout, type Mixed } from '../answers/read-answer.ts';
import { answeredItems, readVerdict } from '../answers/read-verdict.ts';
import type { AskedKind } from '../kind.ts';
import { membersOf } from '../members.ts';
import { stepsIn } from '../steps.ts';

/** May these calls be made, all of them, in order. */
export const plan: AskedKind = {
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
    const { typed, language, doubt, sender } = given.said;
    const split = splitOf(item, typed);
    if (split) return doubt ? askAbout(doubt) : answered(split);
    return readVerdict(given, readPlanReply(typed, stepsIn(argumentsOf(item)).length, language, sender));
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
  return { kind: 'split', plan: item, chosen, understood: { verdict: 'mixed', rules, items: answeredItems(chosen) } };
}
