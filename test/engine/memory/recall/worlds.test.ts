import { describe, expect, it } from 'vitest';
import { contentWords } from '../../../../engine/memory/recall/content-words.ts';
import { recall } from '../../../../engine/memory/recall/recall.ts';
import { askerOf, viewerOf } from '../../../../engine/policy/viewer.ts';
import type { Tier } from '../../../../engine/storage/types/mail.ts';
import { SIZE } from '../../../size.ts';
import { EVERYBODY, makeWorld, PEOPLE, type Written } from '../../harness/context/sight-world.ts';

const WORLDS = SIZE < 20 ? 50 : 1000;
const THREADS = 10;
const TOKENS = /(?:mail|answer|beside|trace|file)\d{6}x/g;

const VIEWERS: readonly (readonly [string, Tier])[] = [
  ...EVERYBODY.map((address) => [address, PEOPLE[address]] as const),
  ['boss@owner.example', 'unauthenticated'],
  ['mia@member.example', 'unauthenticated'],
];

/** Who may see what, without a look at any row: whoever is only known, of their own thread alone, which is left out. */
const maySee = (who: string, tier: Tier, { had }: Written): boolean =>
  tier === 'owner' || (tier !== 'unauthenticated' && tier !== 'known' && had.has(who));

type World = Awaited<ReturnType<typeof makeWorld>>;

/** The tokens that a run of this sender has recalled, and which of them it should not have. */
async function recalledIn({ store, written, threads }: World, n: number, [sender, tier]: (typeof VIEWERS)[number]) {
  const byToken = new Map(written.map((one) => [one.token, one]));
  const threadId = threads[n % threads.length] ?? '';
  const run = { sender, tier, thread_id: threadId };
  const text = `everybody ${written[(n * 13) % written.length]?.token} ${written[n % written.length]?.token}`;
  const found = await recall({
    store,
    viewer: viewerOf(run),
    asker: askerOf(run),
    timezone: 'UTC',
    mail: { threadId, text, at: Number.MAX_SAFE_INTEGER },
    words: contentWords({ subject: 'Something', text }),
  });
  const tokens = [...new Set(found?.text.match(TOKENS) ?? [])];
  const wrong = tokens.filter((token) => {
    const one = byToken.get(token);
    return !one || !maySee(sender, tier, one) || one.threadId === threadId;
  });
  return { tokens, wrong: wrong.map((token) => `${token} for ${sender} (${tier})`) };
}

describe(`${WORLDS * THREADS} random conversations in ${WORLDS} worlds of owners, members, known, strangers and forgers`, () => {
  it('have nothing recalled that the sender may not see, nor of the thread that is shown anyway', async () => {
    const counted = { recalled: 0, for: new Set<string>() };
    const wrong: string[] = [];
    for (let seed = 0; seed < WORLDS; seed += 1) {
      const world = await makeWorld(7000 + seed, THREADS);
      if (seed % 2 === 0) await world.store.indexMail(1000);
      for (const [n, viewer] of VIEWERS.entries()) {
        const found = await recalledIn(world, seed + n, viewer);
        counted.recalled += found.tokens.length;
        if (found.tokens.length > 0) counted.for.add(viewer.join(' '));
        wrong.push(...found.wrong.map((one) => `world ${seed}: ${one}`));
      }
      await world.store.close();
    }
    expect(wrong).toEqual([]);
    expect(counted.recalled).toBeGreaterThan(WORLDS * 10);
    expect(counted.for.size).toBeGreaterThanOrEqual(3);
  });
});
