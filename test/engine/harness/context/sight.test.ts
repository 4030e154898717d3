import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHistory } from '../../../../engine/harness/context/as-built.ts';
import { viewerOf } from '../../../../engine/policy/viewer.ts';
import type { Tier } from '../../../../engine/storage/types/mail.ts';

import { SIZE } from '../../../size.ts';
import { EVERYBODY, makeWorld, PEOPLE, type World, type Written } from './sight-world.ts';

const SEED = 20261121;
const THREADS = SIZE < 20 ? 100 : 2000;
/** At full size each of them asks thousands of questions. */
const made: { world?: World } = {};
beforeAll(async () => {
  made.world = await makeWorld(SEED, THREADS);
});
afterAll(() => made.world?.store.close());
function world(): World {
  if (!made.world) throw new Error('not made yet');
  return made.world;
}

/** Who writes, and who gets the answer as well. */
const VIEWERS: readonly (readonly [string, Tier, readonly string[]])[] = [
  ...EVERYBODY.map((address) => [address, PEOPLE[address], []] as const),
  // The same addresses, proven by nobody.
  ['boss@owner.example', 'unauthenticated', []],
  ['mia@member.example', 'unauthenticated', []],
  ['mia@member.example', 'member', ['max@member.example']],
  ['mia@member.example', 'member', ['MAX@member.example', 'kim@vendor.example']],
  ['boss@owner.example', 'owner', ['kim@vendor.example']],
  ['boss@owner.example', 'owner', ['kim@vendor.example', 'max@member.example']],
  ['kim@vendor.example', 'known', ['mia@member.example']],
];
const TOKENS = /(?:mail|answer|beside|trace|file)\d{6}x/g;

/** Who may see what, without a look at any row. */
const maySee = (who: string, tier: Tier, readers: readonly string[], { had }: Written): boolean =>
  (tier === 'owner' || (tier !== 'unauthenticated' && had.has(who))) &&
  readers.every((reader) => had.has(reader.toLowerCase()));

/** Every token that a run for this sender would be shown of a thread. */
async function shownIn(threadId: string, [sender, tier, readers]: (typeof VIEWERS)[number]): Promise<Set<string>> {
  const { store } = world();
  const [row] = await store.threadMessages(threadId, 1);
  const loaded = await store.loadRun(row?.run_id ?? '');
  if (!loaded) throw new Error('no run');
  const message = { ...loaded.message, seq: Number.MAX_SAFE_INTEGER - 1 };
  const run = { ...loaded.run, sender, tier, readers };
  const all = { budgetTokens: 1e9, messageCount: 0, from: 0 };
  const { messages } = await readHistory({ loaded: { ...loaded, message, run }, store, ...all });
  return new Set(JSON.stringify(messages).match(TOKENS));
}

describe(`M4: ${THREADS} random threads of owners, members, known, strangers and forgers`, () => {
  it.each(VIEWERS)(
    'show %s (%s) with %j in history what they sent or were sent, all of it and nothing else',
    async (who, tier, readers) => {
      const { written, told, threads } = world();
      const byThread = Map.groupBy(written, ({ threadId }) => threadId);
      const ownTold = new Set(
        told
          // What tools brought for one is nothing for several.
          .filter((one) => readers.length === 0 && (tier === 'owner' || (one.to === who && one.tier === tier)))
          .map(({ token }) => token),
      );
      const wrong: string[] = [];
      for (const threadId of threads) {
        const shown = await shownIn(threadId, [who, tier, readers]);
        const theirs = (byThread.get(threadId) ?? []).filter((one) => maySee(who, tier, readers, one));
        // As it was rendered for its own sender a mail names its files by itself, and none of these does.
        const isOwn = (one: Written) =>
          readers.length === 0 && (tier === 'owner' || (one.by === who && one.tier === tier));
        const files = theirs.flatMap((one) => (one.attachment === null || isOwn(one) ? [] : [one.attachment]));
        const may = new Set([...theirs.map(({ token }) => token), ...files]);
        wrong.push(...[...may].filter((token) => !shown.has(token)).map((token) => `${token} is missing`));
        const more = [...shown].filter((token) => !may.has(token) && !ownTold.has(token));
        wrong.push(...more.map((token) => `${token} is shown`));
      }
      expect(wrong).toEqual([]);
    },
  );

  it('are joined by whoever had a part in them, by owners, and by members who answer a mail that was theirs', () => {
    const { written, joined } = world();
    const newcomers = joined.filter(({ token, threadId, sender }) => {
      const before = written.slice(
        0,
        written.findIndex((one) => one.token === token),
      );
      // They wrote there, an answer of ours went to them, or an owner put them there.
      const had = ({ by, had }: Written) =>
        by === sender || (had.has(sender) && (by === null || PEOPLE[by] === 'owner'));
      return !before.some((one) => one.threadId === threadId && had(one));
    });
    const byTier = Map.groupBy(newcomers, ({ sender }) => PEOPLE[sender]);
    expect([...byTier.keys()].toSorted()).toEqual(['member', 'owner']);
    const members = byTier.get('member') ?? [];
    expect(members.filter(({ sender, answered }) => !answered?.had.has(sender))).toEqual([]);
    expect(joined.filter(({ isForged }) => isForged)).toEqual([]);
    expect(members.length).toBeGreaterThan(THREADS / 50);
    process.stdout.write(
      `${JSON.stringify({ threads: THREADS, seed: SEED, joined: joined.length, newcomers: members.length })}\n`,
    );
  });

  it.each(VIEWERS)('let %s (%s) with %j find and open nothing else', async (who, tier, readers) => {
    const { store, written, threads } = world();
    const wrong: string[] = [];
    for (const [n, one] of written.entries()) {
      // From within its thread, or from another: to whoever is only known on a thread that is not the same.
      const from = n % 2 === 0 ? one.threadId : (threads[n % threads.length] ?? '');
      const viewer = viewerOf({ sender: who, tier, thread_id: from, readers });
      const may = maySee(who, tier, readers, one) && (tier !== 'known' || from === one.threadId);
      const { messages: found } = await store.search({ query: one.token, limit: 5, viewer });
      if (found.length > 0 !== may) wrong.push(`${one.token}: found ${found.length}`);
      const file = one.attachment === null ? null : await store.findAttachment(one.attachment, viewer);
      if (file !== null && (file !== undefined) !== may) wrong.push(`${one.attachment}: opened ${file !== undefined}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each(VIEWERS)('let %s (%s) with %j find nothing else by the text of a file', async (who, tier, readers) => {
    const { store, written } = world();
    const wrong: string[] = [];
    for (const one of written) {
      if (one.attachment === null) continue;
      const viewer = viewerOf({ sender: who, tier, thread_id: one.threadId, readers });
      const { messages: found } = await store.search({ query: one.attachment, limit: 5, viewer });
      if (found.length > 0 !== maySee(who, tier, readers, one)) wrong.push(`${one.attachment}: found ${found.length}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each(VIEWERS)('let %s (%s) with %j open nothing else, and count nothing else', async (who, tier, readers) => {
    const { store, written, threads } = world();
    const seen: unknown[] = [];
    const expected: unknown[] = [];
    for (const [n, one] of written.entries()) {
      const from = n % 2 === 0 ? one.threadId : (threads[n % threads.length] ?? '');
      const viewer = viewerOf({ sender: who, tier, thread_id: from, readers });
      const may = maySee(who, tier, readers, one) && (tier !== 'known' || from === one.threadId);
      const { total } = await store.search({ query: one.token, to: 'example', limit: 1, viewer });
      const domain = /^(?:answer|beside)/.test(one.token) ? 'agents.localhost' : 'x.example';
      const opened = await store.openMail(`<${one.token}@${domain}>`, viewer);
      seen.push([one.token, total <= Number(may), opened !== undefined]);
      expected.push([one.token, true, may]);
    }
    expect(seen).toEqual(expected);
  });

  it.each(VIEWERS)('give %s (%s) with %j nothing else for a word that stands in all', async (who, tier, readers) => {
    const { store, written, threads } = world();
    const byToken = new Map(written.map((one) => [one.token, one]));
    for (const thread_id of threads.slice(0, 50)) {
      const viewer = viewerOf({ sender: who, tier, thread_id, readers });
      const { messages: found } = await store.search({ query: 'everybody', limit: 20, viewer });
      const tokens = found.flatMap(({ snippet }) => snippet.match(TOKENS) ?? ['?']);
      expect(tokens.filter((token) => !maySee(who, tier, readers, byToken.get(token) as Written))).toEqual([]);
    }
  });

  it('have enough of each kind to mean something', () => {
    const { written, threads } = world();
    expect(threads.length).toBeGreaterThanOrEqual(THREADS);
    expect(written.length).toBeGreaterThan(THREADS * 4);
    expect(written.filter(({ had }) => had.size === 0).length).toBeGreaterThan(THREADS / 5);
    expect(written.filter(({ had }) => had.size > 1).length).toBeGreaterThan(THREADS);
    const senders = new Set(written.flatMap(({ had }) => [...had]));
    expect(senders.size).toBe(EVERYBODY.length);
  });
});
