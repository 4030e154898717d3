import { defineResolver } from '#contract';

/** Earlier mail of the thread, oldest first: the newest unbroken stretch that fits the budget. */
export default defineResolver({
  async resolve({ budgetTokens }, { history }) {
    const { messages } = await history(budgetTokens);
    return { slot: 'history', messages };
  },
});
