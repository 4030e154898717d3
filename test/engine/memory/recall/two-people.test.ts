import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { contentWords } from '../../../../engine/memory/recall/content-words.ts';
import { LIKELY, MIN_SHARE, tellingOf } from '../../../../engine/memory/recall/recall.ts';
import { likelyEpisodes, nothingKnown } from '../../../../engine/storage/sqlite/search/recall-mail.ts';
import type { Letter } from '../../../../scripts/lib/dialogues/dialogues.ts';
import { remembered } from './remembered.ts';

// What recall finds of mail and questions by people who have not seen it (test/corpus/recall). Most questions have few words of
// what answers them, and recall knows words alone: the figures are what that is worth, and no aim.

interface Asked {
  readonly text: string;
  readonly evidence: readonly string[];
  readonly needs: 'any' | 'all';
}

const PLACES = ['a', 'b'] as const;
const read = <Row>(place: string, name: string): readonly Row[] =>
  JSON.parse(readFileSync(new URL(`../../../corpus/recall/${place}/${name}.json`, import.meta.url), 'utf8'));

// Both places are one mailbox, in which names of mails and conversations are told apart.
const letters = PLACES.flatMap((place) =>
  read<Letter>(place, 'letters').map((letter) => ({
    ...letter,
    messageId: `${place}${letter.messageId}`,
    thread: `${place}${letter.thread}`,
  })),
).sort((one, other) => one.at - other.at);
const questions = PLACES.flatMap((place) =>
  read<Asked>(place, 'questions').map((asked) => ({ ...asked, evidence: asked.evidence.map((id) => `${place}${id}`) })),
);

it('finds mail by questions of two people in three languages', async () => {
  const { db, close } = await remembered(letters);
  const known = nothingKnown();
  const placeOf = new Map(letters.map(({ messageId }, at) => [messageId, at]));
  const inThread = Map.groupBy(letters.keys(), (at) => letters[at]?.thread ?? '');
  /** Those that stand directly before and after it in its conversation, and it itself. */
  const besideOf = (at: number): readonly number[] => {
    const all = inThread.get(letters[at]?.thread ?? '') ?? [];
    const own = all.indexOf(at);
    return all.slice(Math.max(0, own - 1), own + 2);
  };
  const counted = { found: 0, beside: 0, shown: 0 };
  for (const { text, evidence, needs } of questions) {
    const words = contentWords({ subject: '', text });
    const likely = await likelyEpisodes(
      db,
      { words, viewer: null, exceptThread: null, limit: LIKELY, minShare: MIN_SHARE },
      known,
    );
    const places = (limit: number): readonly number[] => tellingOf(likely, text, limit).map(({ seq }) => seq - 1);
    const answers = (seen: ReadonlySet<number>): boolean => {
      const are = evidence.map((id) => seen.has(placeOf.get(id) ?? -1));
      return needs === 'all' ? are.every(Boolean) : are.some(Boolean);
    };
    counted.found += answers(new Set(places(10))) ? 1 : 0;
    counted.beside += answers(new Set(places(10).flatMap(besideOf))) ? 1 : 0;
    counted.shown += answers(new Set(places(3))) ? 1 : 0;
  }
  close();
  const percent = (many: number) => Math.round((1000 * many) / questions.length) / 10;
  const measured = {
    asked: questions.length,
    found: percent(counted.found),
    beside: percent(counted.beside),
    shown: percent(counted.shown),
  };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
  expect(questions).toHaveLength(300);
  expect(letters).toHaveLength(5000);
  // What it came to when it was first measured, less a little: it is not to get worse.
  expect(measured.found).toBeGreaterThanOrEqual(34);
  expect(measured.beside).toBeGreaterThanOrEqual(41);
  expect(measured.shown).toBeGreaterThanOrEqual(26);
});
