import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import type { StorageEngine } from '../engine.ts';
import { arrive } from '../world.ts';

export const searchPromises = (engine: StorageEngine): void => {
  const NOON = Date.parse('2026-11-21T12:00:00Z');

  let store: Store;
  beforeEach(async () => {
    store = await engine.openStore();
  });
  afterEach(() => store.close());

  async function accept(id: string, text: string): Promise<void> {
    const mail = { duplicateKey: id, messageId: `<${id}@x.example>`, sender: null, proven: true, references: [] };
    await arrive(
      store,
      { ...mail, limits: [], signatures: [], forgottenBefore: 0, now: NOON },
      {
        newThread: { id: `t-${id}`, kind: 'thread', subject: 'Plan' },
        message: {
          id,
          thread_id: `t-${id}`,
          direction: 'in',
          message_id: `<${id}@x.example>`,
          duplicate_key: id,
          to: [],
          cc: [],
          references: [],
          received_at: NOON,
          subject: 'Plan',
          text,
          new_text: text,
        },
      },
    );
  }

  const found = async (query: string) =>
    (await store.search({ query, limit: 20, viewer: null })).messages.map(({ message_id }) => message_id);

  describe('searching for earlier mail', () => {
    it('finds mail that was accepted and never answered', async () => {
      await accept('a', 'the figures of the north');
      await accept('b', 'the figures of the south');
      expect(await found('figures north')).toEqual(['<a@x.example>', '<b@x.example>']);
      expect(await found('figures')).toEqual(['<b@x.example>', '<a@x.example>']);
    });

    it('finds what came after the last search as well', async () => {
      await accept('a', 'one');
      await found('one');
      await accept('b', 'another one');
      expect(await found('one')).toEqual(['<b@x.example>', '<a@x.example>']);
    });

    it('finds nothing of a private thread, by words or by dates, until it is as any other again', async () => {
      await accept('a', 'a heron in the reeds');
      await accept('b', 'another heron');
      const newest = async () =>
        (await store.search({ query: null, since: 0, limit: 20, viewer: null })).messages.map((one) => one.message_id);
      expect(await found('heron')).toHaveLength(2);
      await store.setThreadPrivate('t-a', NOON);
      expect([await found('heron'), await newest()]).toEqual([['<b@x.example>'], ['<b@x.example>']]);
      await accept('c', 'a third heron');
      await store.setThreadPrivate('t-c', NOON);
      expect(await found('third')).toEqual([]);
      await store.setThreadPrivate('t-a', null);
      expect([await found('reeds'), await newest()]).toEqual([['<a@x.example>'], ['<b@x.example>', '<a@x.example>']]);
    });

    it('takes whatever somebody types for words and not for a query language', async () => {
      await accept('a', 'one NEAR two');
      for (const query of ['"one', 'one OR', 'NEAR(', 'subject:one', '*', 'one* ^two', '']) await found(query);
      expect(await found('NEAR')).toEqual(['<a@x.example>']);
    });
  });
};
