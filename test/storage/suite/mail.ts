import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArrivalPlan, Found } from '../../../engine/storage/ports/mail.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, arrival, eachWithAStore, MIA, message, plan, ZOE } from '../world.ts';

type Answer = 'run' | 'duplicate';

/** As an intake decides that knows nothing but duplicates. */
const decide =
  (id: string, thread: string) =>
  (found: Found): ArrivalPlan<Answer> =>
    found.duplicate ? { verdict: 'duplicate' } : { ...plan(id, { thread }), verdict: 'run' };

export const mailPromises = (engine: StorageEngine): void => {
  describe('an arriving mail', () => {
    const store = eachWithAStore(engine);

    it('is answered once, however many of it come at once under whatever ids', async () => {
      await accept(store(), 'first');
      const verdicts = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          store().acceptMail(arrival('same', { duplicateKey: 'same' }), (found) => {
            const planned = decide(`copy-${n}`, 't-first')(found);
            return planned.message ? { ...planned, message: { ...planned.message, duplicate_key: 'same' } } : planned;
          }),
        ),
      );
      expect(verdicts.toSorted()).toEqual([...Array(11).fill('duplicate'), 'run']);
      expect(await store().listRuns({ limit: 50 })).toHaveLength(2);
    });

    it('cannot be stored a second time under its key, whoever forgets to look', async () => {
      await accept(store(), 'a');
      const again = plan('b', { thread: 't-a' });
      const twin = { ...again, message: { ...message('b', 't-a'), duplicate_key: 'a' } };
      await expect(store().acceptMail(arrival('a'), () => twin)).rejects.toThrow();
      expect(await store().messageById('b')).toBeUndefined();
      expect(await store().getRun('r-b')).toBeUndefined();
    });

    it('is a duplicate where a signature of it has proven a mail before', async () => {
      const signed = { signatures: ['s1'] };
      await store().acceptMail(arrival('a', signed), () => plan('a'));
      expect(await store().knowsSignature(['s1', 's2'])).toBe(true);
      const seen = await store().acceptMail(arrival('b', signed), ({ duplicate }) => ({ verdict: duplicate?.id }));
      expect(seen).toBe('a');
    });

    it('is told the threads that it names, the nearest first, with its sender’s part', async () => {
      await accept(store(), 'a');
      await accept(store(), 'b');
      const references = ['<b@x.example>', '<a@x.example>', '<none@x.example>'];
      const threads = await store().acceptMail(arrival('c', { references }), (found) => ({ verdict: found.threads }));
      expect(threads.map(({ id, role }) => [id, role])).toEqual([
        ['t-b', 'sender'],
        ['t-a', 'sender'],
      ]);
    });

    it('leaves nothing where its decision throws', async () => {
      const failing = store().acceptMail(arrival('a'), () => {
        throw new Error('cannot decide');
      });
      await expect(failing).rejects.toThrow('cannot decide');
      expect(await store().listThreads({ limit: 10 })).toEqual([]);
    });

    it('comes back as it was given', async () => {
      const lists = fc.array(fc.string(), { maxLength: 4 });
      const mails = fc.record({ to: lists, cc: lists, references: lists, limitations: lists, subject: fc.string() });
      let next = 0;
      await fc.assert(
        fc.asyncProperty(mails, async (mail) => {
          next += 1;
          const id = `m${next}`;
          await store().acceptMail(arrival(id), () => ({ ...plan(id), message: message(id, `t-${id}`, mail) }));
          expect(await store().messageById(id)).toMatchObject(mail);
        }),
        { numRuns: 40 },
      );
    });
  });

  describe('a message', () => {
    const store = eachWithAStore(engine);
    const seenBy = async (thread: string, address: string) =>
      (await store().threadPage(thread, 1e9, 50, { address, threadId: null })).map(({ id }) => id);

    it('is seen by those who sent or got it when it came, and by no one who joins later', async () => {
      await accept(store(), 'a');
      await store().acceptMail(arrival('b'), () => ({
        ...plan('b', { thread: 't-a' }),
        viewers: [MIA, ZOE],
        participants: [{ address: ZOE, role: 'known' }],
      }));
      expect(await seenBy('t-a', ZOE)).toEqual(['b']);
      expect(await seenBy('t-a', MIA)).toEqual(['b', 'a']);
      expect(await seenBy('t-a', '')).toEqual([]);
      expect((await store().threadPage('t-a', 1e9, 50, null)).map(({ id }) => id)).toEqual(['b', 'a']);
    });

    it('that an owner put somebody into makes them known, which no later mail takes back', async () => {
      await accept(store(), 'a');
      const withZoe = (id: string, role: 'known' | 'sender') =>
        store().acceptMail(arrival(id), () => ({
          ...plan(id, { thread: 't-a' }),
          participants: [{ address: ZOE, role }],
        }));
      await withZoe('b', 'known');
      await withZoe('c', 'sender');
      expect(await store().knownParticipants('t-a')).toEqual(new Set([ZOE]));
    });

    it('names bytes that must stay; what nothing names may go', async () => {
      const [named, other] = ['a'.repeat(64), 'b'.repeat(64)];
      await store().acceptMail(arrival('a'), () => ({
        ...plan('a'),
        message: message('a', 't-a', { raw_sha256: named }),
      }));
      const how = { contentOf: async () => '', breathe: async () => {} };
      expect(await store().unnamedBlobs([named, other], how)).toEqual(new Set([other]));
    });
  });
};
