import { describe, expect, it } from 'vitest';
import type { KnowledgeFile } from '../../../engine/storage/types/knowledge.ts';
import type { StorageEngine } from '../engine.ts';
import { eachWithAStore, NOON } from '../world.ts';

const file = (path: string, change: Partial<KnowledgeFile> = {}): KnowledgeFile => ({
  path,
  bytes: 10,
  changed_at: NOON,
  sha256: `sha of ${path}`,
  characters: 10,
  unreadable: null,
  indexed_at: NOON,
  rewritten_at: null,
  ...change,
});

export const knowledgePromises = (engine: StorageEngine): void => {
  const store = eachWithAStore(engine);

  describe('what an owner put into knowledge', () => {
    it('is found by its words, its title and its path, and read by the ids that were given', async () => {
      await store().keepKnowledge(file('prices.md'), [
        { title: 'Apples', text: 'They cost 3 EUR.\n' },
        { title: 'Pears', text: 'They cost 4 EUR.\n' },
      ]);
      await store().keepKnowledge(file('hours.md'), [{ title: '', text: 'Open from nine.' }]);
      const find = async (query: string) =>
        (await store().findKnowledge({ query, limit: 5 })).map(({ path, title }) => `${path} ${title}`);
      expect(await find('pears')).toEqual(['prices.md Pears']);
      expect(await find('hours')).toEqual(['hours.md ']);
      expect(await find('')).toEqual([]);
      const hits = await store().findKnowledge({ query: 'EUR', limit: 5 });
      const ids = hits.map(({ id }) => id).toReversed();
      expect((await store().knowledgeSections([...ids, 9999])).map(({ id }) => id)).toEqual(ids);
      const texts = await store().knowledgeTexts('prices.md');
      expect(texts.map(({ text }) => text).join('')).toBe('They cost 3 EUR.\nThey cost 4 EUR.\n');
    });

    it('is replaced when its bytes are others, and keeps its ids when they are not', async () => {
      await store().keepKnowledge(file('a.md'), [{ title: '', text: 'Apples.' }]);
      const [first] = await store().knowledgeTexts(null);
      await store().keepKnowledge(file('a.md', { changed_at: NOON + 1 }), [{ title: '', text: 'never looked at' }]);
      expect(await store().knowledgeTexts(null)).toMatchObject([
        { id: first?.id, text: 'Apples.', changed_at: NOON + 1 },
      ]);
      await store().keepKnowledge(file('a.md', { sha256: 'other' }), [{ title: '', text: 'Pears.' }]);
      const [next] = await store().knowledgeTexts(null);
      expect(next).toMatchObject({ text: 'Pears.', sha256: 'other' });
      expect(next?.id).toBeGreaterThan(first?.id ?? 0);
      expect(await store().findKnowledge({ query: 'apples', limit: 5 })).toEqual([]);
    });

    it('is gone when its file is forgotten', async () => {
      await store().keepKnowledge(file('a.md'), [{ title: '', text: 'Apples.' }]);
      await store().forgetKnowledge(['a.md', 'never.md']);
      expect(await store().knowledgeFiles()).toEqual([]);
      expect(await store().findKnowledge({ query: 'apples', limit: 5 })).toEqual([]);
    });
  });
};
