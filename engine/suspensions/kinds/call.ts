import type { Json } from '#contract';
import { say } from '../../languages/say.ts';
import { type About, readReply } from '../../mail/approval/approval-answer.ts';
import { type Approval, argumentsOf } from '../../storage/types/approvals.ts';
import { readVerdict } from '../answers/read-verdict.ts';
import type { AskedKind } from '../kind.ts';

/** May this call be made. All calls that a run has held are items of one mail. */
export const call: AskedKind = {
  answeredBy: 'yes_or_no',
  bySteps: false,
  mail: null,
  question: () => null,
  how: (language, several, line) => say(language, several ? 'mails.howSeveral' : 'mails.how', { line }),
  read(given) {
    const { items, said } = given;
    const numbers = items.map(({ number }) => number ?? 0);
    const about = (number: number) => aboutOf(items.find((one) => one.number === number));
    const reading = readReply(said.typed, numbers, about, said.language, said.sender);
    return readVerdict(given, reading);
  },
  result: () => null,
};

const isLong = (value: Json | undefined): value is string => typeof value === 'string' && value.includes('\n');

/** What an answer may name of a call: its arguments, and a word for what it does. */
function aboutOf(approval: Approval | undefined): About | undefined {
  if (!approval) return undefined;
  const args = Object.entries(argumentsOf(approval));
  return {
    keys: args.map(([key]) => key),
    long: args.flatMap(([key, value]) => (isLong(value) ? [key] : [])),
    lines: new Set(args.flatMap(([, value]) => (isLong(value) ? value.split('\n').map((line) => line.trim()) : []))),
    act: approval.risk === 'destructive' ? 'delete' : args.some(([key]) => key === 'to') ? 'send' : null,
  };
}
