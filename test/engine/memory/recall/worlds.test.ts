import { describe, expect, it } from 'vitest';
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

describe(`${WORLDS * THREADS} random conversations in ${WORLDS} worlds of owners, members, known, strangers and forgers`, () => {
  it('have nothing recalled that the sender may not see, nor of the thread that is shown anyway', async () => {
    const counted = { recalled: 0, for: new Set<string>() };
    const wrong: string[] = [];
    for (let world = 0; world < WORLDS; world += 1) {
      const { store, written, threads } = await makeWorld(7000 + world, THREADS);
      if (world % 2 === 0) await store.indexMail(1000);
      const byToken = new Map(written.map((one) => [one.token, one]));
      for (const [n, [sender, tier]] of VIEWERS.entries()) {
        const threadId = threads[(world + n) % threads.length] ?? '';
        const run = { sender, tier, thread_id: threadId };
        const aim = written[(world * 7 + n * 13) % written.length];
        const text = `everybody ${aim?.token} ${written[(world + n) % written.length]?.token}`;
        const found = await recall({
          ...{ store, viewer: viewerOf(run), asker: askerOf(run), timezone: 'UTC' },
          mail: { threadId, subject: 'Something', text },
        });
        const tokens = [...new Set(found?.text.match(TOKENS) ?? [])];
        counted.recalled += tokens.length;
        if (tokens.length > 0) counted.for.add(`${sender} ${tier}`);
        for (const token of tokens) {
          const one = byToken.get(token);
          if (!one || !maySee(sender, tier, one)) wrong.push(`${world}: ${token} for ${sender} (${tier})`);
          if (one?.threadId === threadId) wrong.push(`${world}: ${token} of its own thread`);
        }
      }
      await store.close();
    }
    expect(wrong).toEqual([]);
    expect(counted.recalled).toBeGreaterThan(WORLDS * 10);
    expect(counted.for.size).toBeGreaterThanOrEqual(3);
  }, 900_000);
});
