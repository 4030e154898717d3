import { describe, expect, it } from 'vitest';
import { SIZE } from '../../size.ts';
import {
  leftOfHidden,
  lookFrom,
  type MemoryWorld,
  makeMemoryWorld,
  tokensIn,
  VIEWERS,
  WAYS,
  wrongIn,
} from './privacy-world.ts';

const WORLDS = SIZE < 20 ? 40 : 10_000;
const SEED = 20261123;

/** What every viewer is shown in a world: how much, by each way and tier, and what of it is wrong. */
async function lookAround(world: MemoryWorld, n: number, shown: Map<string, number>): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [at, viewer] of VIEWERS.entries()) {
    const look = await lookFrom(world, world.threads[(n + at) % world.threads.length] ?? '', viewer);
    for (const [way, read] of Object.entries(WAYS)) {
      const tokens = tokensIn(await read(look));
      const key = `${way} ${viewer[1]}${viewer[2].length > 0 ? ' with others' : ''}`;
      shown.set(key, (shown.get(key) ?? 0) + tokens.length);
      for (const token of tokens) {
        const why = wrongIn(way, look, token);
        if (why !== null) wrong.push(`${token} by ${way} for ${viewer.join(' ')}: ${why}`);
      }
    }
  }
  return [...wrong, ...(await leftOfHidden(world)).map((token) => `${token} of a private thread is on disk`)];
}

describe(`${WORLDS} random worlds of senders, threads, tiers, facts, summaries and private threads, seed ${SEED}`, () => {
  it('tell nobody, by any way, what they may not see', async () => {
    const wrong: string[] = [];
    const shown = new Map<string, number>();
    const counted = { hidden: 0, facts: 0, gone: 0 };
    for (let n = 0; n < WORLDS && wrong.length < 20; n += 1) {
      const world = await makeMemoryWorld(SEED + n * 2, 3);
      counted.hidden += world.hidden.size;
      counted.facts += world.facts.length;
      counted.gone += world.facts.filter(({ threadId }) => world.everHidden.has(threadId)).length;
      wrong.push(...(await lookAround(world, n, shown)).map((one) => `world ${n}: ${one}`));
      await world.store.close();
    }
    const texts = [...shown.values()].reduce((sum, one) => sum + one, 0);
    process.stdout.write(`${JSON.stringify({ worlds: WORLDS, seed: SEED, texts, ...counted, wrong: wrong.length })}\n`);
    expect(wrong).toEqual([]);
    // Each way shows something to those who may see it, or the worlds prove nothing.
    for (const way of ['history', 'recall', 'facts', 'search', 'summary', 'closed', 'active'])
      for (const tier of ['owner', 'member']) expect(shown.get(`${way} ${tier}`), `${way} ${tier}`).toBeGreaterThan(0);
    for (const way of ['history', 'search', 'summary'])
      for (const tier of ['owner', 'member']) expect(shown.get(`${way} ${tier} with others`), way).toBeGreaterThan(0);
    for (const way of ['recall', 'closed'])
      for (const tier of ['owner', 'member']) expect(shown.get(`${way} ${tier} with others`), way).toBe(0);
    expect(counted.hidden).toBeGreaterThan(WORLDS / 4);
    expect(counted.gone).toBeGreaterThan(WORLDS / 4);
  });
});
