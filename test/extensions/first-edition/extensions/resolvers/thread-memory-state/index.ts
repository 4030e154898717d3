import { defineResolver } from '#contract';

/** Tells the model that the thread is longer than what it sees, so that it searches instead of guessing. */
export default defineResolver({
  async resolve({ budgetTokens }, { history }) {
    const { omitted } = await history(budgetTokens);
    if (omitted <= 0) return null;
    const mails = omitted === 1 ? '1 earlier message' : `${omitted} earlier messages`;
    return {
      slot: 'volatile',
      text: `This thread is longer than what is shown: ${mails} before the first one shown did not fit. search_mail finds them.`,
    };
  },
});
