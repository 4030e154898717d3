import type { AnswerShape } from '../../../queries/mail/answer-shape.ts';

const PLAIN: Readonly<Record<AnswerShape['verdict'], string>> = {
  approve: 'a yes',
  deny: 'a no',
  mixed: 'a yes to some, a no to others',
  edit: 'a change',
  words: 'the answer to a question, as it stands',
  undo: 'to take back what was done',
  senders: 'who of those who were refused may write',
  unclear: 'unclear, so nothing was done',
  late: 'too late: all of it was decided before, or its time was over',
};

/** The same in lines of a table. */
export function describeAnswer(answer: AnswerShape | null): string[] {
  if (answer === null) return [];
  const { verdict, rules, items, unclear, detail, asked_back: askedBack } = answer;
  const why = unclear === null ? '' : `: ${unclear}${detail === null ? '' : ` (${detail})`}`;
  return [
    `  answer    ${PLAIN[verdict]}${why}`,
    ...(rules.length > 0 ? [`            by rule: ${rules.join(', ')}`] : []),
    ...(items.length > 0
      ? [`            ${items.map(({ number, verdict: one }) => `${number}: ${one}`).join(', ')}`]
      : []),
    ...(unclear !== null || verdict === 'late'
      ? [
          askedBack
            ? '            its sender was answered'
            : '            its sender was not answered: too many within the hour',
        ]
      : []),
  ];
}
