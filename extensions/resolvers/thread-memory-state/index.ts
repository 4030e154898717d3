import { defineResolver } from '#contract';

/**
 * Of a thread that is longer than what is shown of it: what was summarised of the rest, and that it is longer, so that the
 * model searches instead of guessing.
 */
export default defineResolver({
  uses: ['history', 'threadMemory'],
  async resolve({ budgetTokens }, { history, threadMemory }) {
    const { omitted } = await history(budgetTokens);
    if (omitted <= 0) return null;
    const mails = omitted === 1 ? '1 earlier message' : `${omitted} earlier messages`;
    const text = `This thread is longer than what is shown: ${mails} before the first one shown did not fit. search_mail finds them.`;
    const summary = await threadMemory();
    return summary === null ? { slot: 'brief', text } : { slot: 'volatile', text: `${text}\n${summary}`, once: true };
  },
});
