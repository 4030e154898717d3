import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { StorageEngine } from '../engine.ts';

export const deadLetterPromises = (engine: StorageEngine): void => {
  let store: GatewayStore;
  beforeEach(async () => {
    store = await engine.openGateway();
  });
  afterEach(() => store.close());

  const MOST = { letters: 3, bytes: 100 };
  const add = (id: string, at: number, { bytes = 1, path = `/q/${id}.eml` as string | null } = {}) =>
    store.addDeadLetter(
      {
        id,
        persona_id: null,
        message_id: `<${id}>`,
        stage: 'parse',
        code: 'unparsable',
        message: 'broken',
        raw_path: path,
        bytes,
        at,
      },
      MOST,
    );
  const kept = async () => (await store.listDeadLetters({ limit: 100 })).map(({ id }) => id).toSorted();

  describe('dead letters', () => {
    it('are kept up to a number; the oldest go, and their files are named', async () => {
      for (const [at, id] of ['a', 'b', 'c'].entries()) expect(await add(id, at)).toEqual([]);
      expect(await add('d', 3)).toEqual(['/q/a.eml']);
      expect(await kept()).toEqual(['b', 'c', 'd']);
    });

    it('are kept up to a number of bytes', async () => {
      await add('a', 0, { bytes: 60 });
      await add('b', 1, { bytes: 40 });
      expect(await add('c', 2, { bytes: 30 })).toEqual(['/q/a.eml']);
      expect(await kept()).toEqual(['b', 'c']);
    });

    it('are kept when they are the newest, however large', async () => {
      await add('a', 0);
      expect(await add('b', 1, { bytes: 1000 })).toEqual(['/q/a.eml']);
      expect(await kept()).toEqual(['b']);
    });

    it('keep a file that a later one is about as well, and have none to name where none was kept', async () => {
      await add('a-ada', 0, { path: '/q/a.eml' });
      await add('none', 1, { path: null });
      await add('c', 2);
      await add('a-ben', 3, { path: '/q/a.eml' });
      expect(await add('e', 4)).toEqual([]);
      expect(await kept()).toEqual(['a-ben', 'c', 'e']);
    });

    it('are the same when they come again', async () => {
      await add('a', 0);
      await add('a', 5);
      expect(await store.countDeadLetters()).toBe(1);
    });
  });
};
