import { describe, expect, it } from 'vitest';
import threadHistory from '../../../extensions/resolvers/thread-history/index.ts';
import memoryState from '../../../extensions/resolvers/thread-memory-state/index.ts';
import { inputOf, workspace } from './input.ts';

describe('a thread that fits', () => {
  it('is the history, and nothing is said about it', async () => {
    const { budgets, capabilities } = workspace({});
    const input = inputOf({ budgetTokens: 1234 });
    expect(await threadHistory.resolve(input, capabilities)).toMatchObject({
      slot: 'history',
      messages: { length: 1 },
    });
    expect(await memoryState.resolve(input, capabilities)).toBeNull();
    expect(budgets).toEqual([1234, 1234]);
  });
});

describe('a thread that does not fit', () => {
  it.each([
    [1, '1 earlier message '],
    [14, '14 earlier messages '],
  ])('says how much of it is missing: %i', async (omitted, words) => {
    const { capabilities } = workspace({}, { omitted });
    const resolved = await memoryState.resolve(inputOf(), capabilities);
    expect(resolved).toMatchObject({ slot: 'brief', text: expect.stringContaining(words) });
    expect(resolved).toMatchObject({ text: expect.stringContaining('search_mail') });
    expect(resolved).not.toHaveProperty('once');
  });

  it('tells what was summarised of it, in this run alone', async () => {
    const { capabilities } = workspace({}, { omitted: 14, memory: 'They want the blue one.' });
    const resolved = await memoryState.resolve(inputOf(), capabilities);
    expect(resolved).toMatchObject({
      slot: 'volatile',
      once: true,
      text: expect.stringMatching(/^This thread.*\n.*blue one/),
    });
  });
});
