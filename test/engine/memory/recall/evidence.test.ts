import { describe, expect, it } from 'vitest';
import { contentWords } from '../../../../engine/memory/recall/content-words.ts';
import { chooseDiverse, LIKELY, MIN_SHARE, tellingOf } from '../../../../engine/memory/recall/recall.ts';
import { comparedWords } from '../../../../engine/storage/search/read-text.ts';
import { likelyEpisodes, nothingKnown } from '../../../../engine/storage/sqlite/search/recall-mail.ts';
import { makeDialogues } from '../../../../scripts/lib/dialogues/dialogues.ts';
import { SIZE } from '../../../size.ts';
import { remembered } from './remembered.ts';

const SEEDS = SIZE < 20 ? [1] : [1, 2, 3];
const LETTERS = 5000;
const QUESTIONS = 500;

describe.each(SEEDS)('500 questions about 5,000 mails of twelve people in three languages, seed %i', (seed) => {
  it('find their evidence among the first ten, or beside them', async () => {
    const { letters, questions } = makeDialogues({ seed, letters: LETTERS, questions: QUESTIONS });
    const { db, close, indexMs } = await remembered(letters);
    const common = nothingKnown();
    const placeOf = new Map(letters.map(({ messageId }, at) => [messageId, at]));
    const counted = { all: 0, found: 0, beside: 0 };
    for (const { text, evidence } of questions) {
      const words = contentWords({ subject: '', text });
      const likely = await likelyEpisodes(
        db,
        { words, viewer: null, exceptThread: null, limit: LIKELY, minShare: MIN_SHARE },
        common,
      );
      const places = tellingOf(likely, text, 10).map(({ seq }) => seq - 1);
      const at = placeOf.get(evidence) ?? -9;
      const { thread } = letters[at] ?? {};
      counted.all += 1;
      counted.found += places.includes(at) ? 1 : 0;
      counted.beside += places.some((one) => Math.abs(one - at) <= 1 && letters[one]?.thread === thread) ? 1 : 0;
    }
    close();
    const percent = (many: number) => Math.round((1000 * many) / counted.all) / 10;
    const measured = { asked: counted.all, found: percent(counted.found), beside: percent(counted.beside), indexMs };
    // What is measured is told; nothing was chosen by these seeds.
    process.stdout.write(`${JSON.stringify({ seed, ...measured })}\n`);
    expect(counted.all).toBeGreaterThan(450);
    expect(measured.found).toBeGreaterThanOrEqual(75);
    expect(measured.beside).toBeGreaterThanOrEqual(84);
    expect(indexMs).toBeLessThan(2);
  });
});

describe('B-20: what is chosen where three say the same', () => {
  const words = comparedWords;
  it('is one of them and the seven others', () => {
    const same = [1, 2, 3].map((n) => ({ id: `same${n}`, score: 10, words: words('the train leaves at nine') }));
    const others = [1, 2, 3, 4, 5, 6, 7].map((n) => ({
      id: `other${n}`,
      score: 8,
      words: words(`matter${n} told${n} then${n}`),
    }));
    const chosen = chooseDiverse([...same, ...others], 8).map(({ id }) => id);
    expect(chosen.filter((id) => id.startsWith('same'))).toEqual(['same1']);
    expect(chosen).toHaveLength(8);
  });
});
