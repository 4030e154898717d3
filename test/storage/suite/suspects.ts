import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { ownEvent } from '../../../engine/storage/types/runs.ts';
import type { StorageEngine } from '../engine.ts';
import { arrive } from '../world.ts';

export const suspectPromises = (engine: StorageEngine): void => {
  const NOON = Date.parse('2026-11-21T12:00:00Z');

  describe('runs that were under way when the process died', () => {
    let store: Store;
    beforeEach(async () => {
      store = await engine.openStore();
    });
    afterEach(() => store.close());

    /** A mail that arrived `after` ms past noon, in a thread of its own, with its run. */
    const accept = (id: string, after: number) =>
      arrive(
        store,
        {
          duplicateKey: id,
          messageId: `<${id}>`,
          sender: null,
          proven: true,
          references: [],
          limits: [120],
          signatures: [],
          forgottenBefore: 0,
          now: NOON,
        },
        {
          newThread: { id: `t-${id}`, kind: 'thread', subject: '' },
          message: {
            id,
            thread_id: `t-${id}`,
            direction: 'in',
            message_id: `<${id}>`,
            duplicate_key: id,
            subject: '',
            to: [],
            cc: [],
            references: [],
            received_at: NOON,
            text: '',
            new_text: '',
          },
          run: {
            id,
            thread_id: `t-${id}`,
            message: id,
            message_id: `<${id}>`,
            kind: 'message',
            status: 'queued',
            tier: 'member',
            recursion: 0,
            due_at: NOON + after,
            created_at: NOON,
          },
        },
      );
    const load = async (instance: string, suspects?: boolean) => {
      const which = suspects === undefined ? {} : { suspects };
      const wanted = {
        instance,
        deadHolders: 'all others' as const,
        now: NOON + 60,
        leaseMs: 1000,
        day: '2026-11-21',
        limit: 1,
        ...which,
      };
      return (await store.claimRuns(wanted))[0];
    };
    const claim = async (instance: string, suspects?: boolean) => {
      const loaded = await load(instance, suspects);
      return loaded && { id: loaded.run.id, crashes: loaded.crashes };
    };

    it('are found only by who asks for them, and others only by who does not', async () => {
      await accept('old', 0);
      await claim('first life');
      await claim('second life');
      await accept('new', 1);
      expect(await claim('third life', false)).toEqual({ id: 'new', crashes: 0 });
      expect(await claim('third life', false)).toBeUndefined();
      expect(await claim('third life', true)).toEqual({ id: 'old', crashes: 2 });
    });

    it('are tried again in the order of how often that happened, not of their age', async () => {
      await accept('twice', 0);
      await claim('first life');
      await accept('once', 1);
      await claim('second life');
      await claim('second life');
      expect([await claim('third life'), await claim('third life')]).toEqual([
        { id: 'twice', crashes: 2 },
        { id: 'once', crashes: 1 },
      ]);
      expect(await claim('fourth life', true)).toEqual({ id: 'once', crashes: 2 });
    });

    it('are not blamed for a death that happened after they got further', async () => {
      await accept('a', 0);
      await claim('first life');
      await claim('second life');
      const loaded = await load('third life');
      expect(loaded?.crashes).toBe(2);
      // A model call that only began is no progress: each life of a crashing step begins one.
      const lease = { runId: 'a', fence: loaded?.run.fence ?? 0 };
      const step = { lease, patch: { code: null }, now: NOON };
      const firstSeq = loaded?.events.length ?? 0;
      await store.commitStep({ ...step, firstSeq, events: [ownEvent('model_call_started', {})] });
      const again = await load('fourth life');
      expect(again?.crashes).toBe(3);
      const later = { ...step, lease: { runId: 'a', fence: again?.run.fence ?? 0 } };
      const nextSeq = again?.events.length ?? 0;
      await store.commitStep({ ...later, firstSeq: nextSeq, events: [ownEvent('model_call_ended', {})] });
      expect(await claim('fifth life')).toEqual({ id: 'a', crashes: 1 });
    });
  });
};
