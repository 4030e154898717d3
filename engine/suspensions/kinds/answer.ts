import { say } from '../../languages/say.ts';
import { answered, askAbout, askBack, isExpired } from '../answers/read-answer.ts';
import type { AskedKind } from '../kind.ts';

const MAX_ANSWER_CHARS = 50_000;

/** A question, to which an owner's words are the result. Nothing is done. */
export const answer: AskedKind = {
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
