import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { NewToolQuestion, ToolsVerdict } from '../../../engine/storage/types/gateway.ts';
import type { StorageEngine } from '../engine.ts';

export const toolQuestionPromises = (engine: StorageEngine): void => {
  let store: GatewayStore;
  beforeEach(async () => {
    store = await engine.openGateway();
  });
  afterEach(() => store.close());

  const question = (id: string, at: number, change: Partial<NewToolQuestion> = {}): NewToolQuestion => ({
    notice_id: id,
    persona_id: 'ada',
    server: 'wiki',
    offer: `[${id}]`,
    offer_sha256: `sha-${id}`,
    asked_at: at,
    until: at + 10,
    ...change,
  });
  const by = (answerId: string, verdict: ToolsVerdict = 'allow') => ({
    verdict,
    by: 'boss@x.test',
    at: 15,
    answerId,
  });

  describe('what owners are asked about tools of a server', () => {
    it('is kept as it was asked first, and found by its server, the newest first', async () => {
      for (const one of [question('1', 10), question('2', 20), question('3', 30, { server: 'crm' })])
        await store.askAboutTools(one);
      await store.askAboutTools(question('1', 99, { offer: 'other' }));
      expect(await store.toolQuestion('1')).toMatchObject({ offer: '[1]', asked_at: 10, verdict: null });
      const about = await store.toolQuestionsAbout('wiki');
      expect(about.map(({ notice_id: id }) => id)).toEqual(['2', '1']);
      expect(about[0]).not.toHaveProperty('offer');
      expect(await store.toolQuestion('none')).toBeUndefined();
      await store.pruneToolQuestions(30);
      expect((await store.toolQuestionsAbout('wiki')).map(({ notice_id: id }) => id)).toEqual(['2']);
    });

    it('is decided by the first answer, which alone can find that it came too late for what it allowed', async () => {
      await store.askAboutTools(question('1', 10));
      expect(await store.decideTools('1', by('a'))).toMatchObject({ verdict: 'allow', answer_id: 'a', decided_at: 15 });
      expect(await store.decideTools('1', by('b', 'leave'))).toMatchObject({ verdict: 'allow', answer_id: 'a' });
      await store.missTools('1', 'b');
      expect(await store.toolQuestion('1')).toMatchObject({ verdict: 'allow' });
      await store.missTools('1', 'a');
      expect(await store.toolQuestion('1')).toMatchObject({ verdict: 'changed', answer_id: 'a' });
      expect(await store.decideTools('none', by('a'))).toBeUndefined();
    });

    it('goes along with a persona that gets another id', async () => {
      await store.askAboutTools(question('1', 10));
      await store.renamePersona('ada', 'eva');
      expect(await store.toolQuestion('1')).toMatchObject({ persona_id: 'eva' });
    });
  });
};
