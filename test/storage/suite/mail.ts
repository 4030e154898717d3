import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArrivalQuery } from '../../../engine/storage/ports/mail.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, arrival, arrive, eachWithAStore, MIA, message, plan, ZOE } from '../world.ts';

export const mailPromises = (engine: StorageEngine): void => {
  describe('an arriving mail', () => {
    const store = eachWithAStore(engine);

    it('is answered once, however many of it come at once under whatever ids', async () => {
      await accept(store(), 'first');
      const query = arrival('same', { duplicateKey: 'same' });
      const offer = async (n: number): Promise<'run' | 'duplicate'> => {
        const id = `copy-${n}`;
        const rows = await store().readForArrival(query);
        if (rows.duplicate) return 'duplicate';
        const mail = { ...plan(id, { thread: 't-first' }), message: message(id, 't-first', { duplicate_key: 'same' }) };
        return (await store().keepArrival(mail, { query, rows })) ? 'run' : offer(n);
      };
      const verdicts = await Promise.all(Array.from({ length: 12 }, (_, n) => offer(n)));
      expect(verdicts.toSorted()).toEqual([...Array(11).fill('duplicate'), 'run']);
      expect(await store().listRuns({ limit: 50 })).toHaveLength(2);
    });

    it('cannot be stored a second time under its key, whoever forgets to look', async () => {
      await accept(store(), 'a');
      const again = plan('b', { thread: 't-a' });
      const twin = { ...again, message: { ...message('b', 't-a'), duplicate_key: 'a' } };
      await expect(arrive(store(), arrival('c'), twin)).rejects.toThrow();
      expect(await store().messageById('b')).toBeUndefined();
      expect(await store().getRun('r-b')).toBeUndefined();
    });

    it('is a duplicate where a signature of it has proven a mail before', async () => {
      const signed = { signatures: ['s1'] };
      await arrive(store(), arrival('a', signed), plan('a'));
      expect(await store().knowsSignature({ signatures: ['s1', 's2'] })).toBe(true);
      expect((await store().readForArrival(arrival('b', signed))).duplicate?.id).toBe('a');
    });

    it('is told that its signature, which alone proves it, was used by a mail that became no message', async () => {
      const spent = async (id: string, bySignature: boolean) => {
        const { duplicate, isSpent } = await store().readForArrival(arrival(id, { signatures: [id], bySignature }));
        return [duplicate?.id, isSpent];
      };
      await accept(store(), 'a');
      const used = (id: string) => arrival(id, { signatures: [id] });
      await store().useSignatures(used('silent'), { isSilent: true });
      await store().endCommand(used('command'), []);
      await arrive(store(), used('stopped'), {});
      await store().useSignatures(used('again'), { message: 'a' });
      for (const id of ['silent', 'command', 'stopped']) {
        expect([id, await spent(id, true)]).toEqual([id, [undefined, true]]);
        expect([id, await spent(id, false)]).toEqual([id, [undefined, false]]);
      }
      expect(await spent('again', true)).toEqual(['a', false]);
      const knows = (id: string, bySignature: boolean) => store().knowsSignature({ signatures: [id], bySignature });
      expect([await knows('silent', true), await knows('silent', false)]).toEqual([true, false]);
      expect([await knows('command', true), await knows('command', false)]).toEqual([true, true]);
      const lookedAt = arrival('late', { signatures: ['late'], bySignature: true });
      const rows = await store().readForArrival(lookedAt);
      await store().useSignatures(lookedAt, { isSilent: true });
      expect(await store().keepArrival(plan('late'), { query: lookedAt, rows })).toBe(false);
    });

    it('is told the threads that it names, the nearest first, with its sender’s part', async () => {
      await accept(store(), 'a');
      await accept(store(), 'b');
      const references = ['<b@x.example>', '<a@x.example>', '<none@x.example>'];
      const { threads } = await store().readForArrival(arrival('c', { references }));
      expect(threads.map(({ id, role }) => [id, role])).toEqual([
        ['t-b', 'sender'],
        ['t-a', 'sender'],
      ]);
    });

    it('is told what of the thread its sender wrote or was sent, with its words as they were kept once', async () => {
      await accept(store(), 'a');
      await arrive(store(), arrival('b'), { ...plan('b', { thread: 't-a' }), viewers: [ZOE] });
      await accept(store(), 'c', { thread: 't-a' });
      const [c, a] = await store().quotableMails('t-a', MIA);
      expect([c?.message_id, a?.message_id]).toEqual(['<c@x.example>', '<a@x.example>']);
      expect(a).toMatchObject({ words: null, text: 'the text of a' });
      const words = [{ seq: a?.seq ?? 0, words: Uint8Array.of(1, 2) }];
      await arrive(store(), arrival('d'), { ...plan('d', { thread: 't-a' }), words });
      // Whoever read it at the same time has the same.
      await arrive(store(), arrival('e'), { ...plan('e', { thread: 't-a' }), words });
      const kept = (await store().quotableMails('t-a', MIA)).find(({ seq }) => seq === a?.seq);
      expect({ ...kept, words: [...(kept?.words ?? [])] }).toMatchObject({ words: [1, 2], text: null });
      expect(await store().quotableMails('t-a', 'nobody@x.example')).toEqual([]);
    });

    it('is told which of the mails that it names were addressed to its sender', async () => {
      await accept(store(), 'a');
      await arrive(store(), arrival('b'), { ...plan('b', { thread: 't-a' }), viewers: [MIA, ZOE] });
      const namedFor = async (sender: string, references: string[]) =>
        (await store().readForArrival(arrival('c', { sender, references }))).threads.map((one) => [
          ...[one.id, one.role, one.named],
        ]);
      expect(await namedFor(ZOE, ['<a@x.example>'])).toEqual([['t-a', null, false]]);
      expect(await namedFor(ZOE, ['<a@x.example>', '<b@x.example>'])).toEqual([
        ['t-a', null, false],
        ['t-a', null, true],
      ]);
      expect(await namedFor(MIA, ['<b@x.example>'])).toEqual([['t-a', 'sender', true]]);
      expect(await namedFor('', ['<b@x.example>'])).toEqual([['t-a', null, false]]);
    });

    it('is told the threads whose mails name what it names and was never here, nearest first, after those it answers', async () => {
      const names = (id: string, ids: readonly string[]) => arrive(store(), arrival(id), { ...plan(id), names: ids });
      await names('a', ['<Root@x>', '<x2@x>']);
      await names('b', ['<root@x>', '<a@x.example>']);
      const found = async (ancestors: readonly string[], change: Partial<ArrivalQuery> = {}) =>
        (await store().readForArrival(arrival('c', { ancestors, ...change }))).threads.map(
          ({ id, by, role, named }) => [...[id, by, role, named]],
        );
      const ofA = ['t-a', 'ancestor', 'sender', true];
      expect(await found(['<x2@x>', '<root@x>'])).toEqual([ofA, ['t-b', 'ancestor', 'sender', true]]);
      // That one is here: whoever names it answers it.
      expect(await found(['<a@x.example>'])).toEqual([]);
      expect(await found(['<root@x>'], { references: ['<b@x.example>'] })).toEqual([
        ['t-b', 'message', 'sender', true],
        ofA,
      ]);
      expect(await found(['<x2@x>'], { sender: ZOE })).toEqual([['t-a', 'ancestor', null, false]]);
      expect(await found(['<x2@x>'], { proven: false })).toEqual([]);
    });

    it('is told the thread of a mail of ours by the id that a server has given it', async () => {
      await accept(store(), 'a');
      await accept(store(), 'b');
      await store().learnMessageId('<a@x.example>', '<given@server.example>');
      // Nobody else's mail is read as ours.
      await store().learnMessageId('<a@x.example>', '<b@x.example>');
      const found = async (...references: string[]) =>
        (await store().readForArrival(arrival('c', { references }))).threads.map(({ id, by }) => [id, by]);
      expect(await found('<given@server.example>', '<b@x.example>')).toEqual([
        ['t-a', 'message'],
        ['t-b', 'message'],
      ]);
      expect(await found('<b@x.example>')).toEqual([['t-b', 'message']]);
    });

    it('names a hundred mails to a thread at most', async () => {
      await accept(store(), 'a');
      for (let at = 0; at < 30; at += 1) {
        const names = Array.from({ length: 10 }, (_, one) => `<${at}-${one}@x>`);
        await arrive(store(), arrival(`m${at}`), { ...plan(`m${at}`, { thread: 't-a' }), names });
      }
      const isFound = async (id: string) =>
        (await store().readForArrival(arrival('z', { ancestors: [id] }))).threads.length === 1;
      expect([await isFound('<9-9@x>'), await isFound('<11-0@x>')]).toEqual([true, false]);
    });

    it('leaves nothing where the rows that its decision rests on have changed', async () => {
      await accept(store(), 'a');
      const query = arrival('b', { references: ['<a@x.example>'], limits: [2] });
      const rows = await store().readForArrival(query);
      await accept(store(), 'c', { thread: 't-a' });
      expect(await store().keepArrival(plan('b'), { query, rows })).toBe(false);
      expect(await store().messageById('b')).toBeUndefined();
      expect(await store().getRun('r-b')).toBeUndefined();
      const again = await store().readForArrival(query);
      expect(await store().keepArrival(plan('b'), { query, rows: again })).toBe(true);
    });

    it('is not counted with those that a clock has dated which was ahead', async () => {
      await accept(store(), 'a');
      const query = arrival('b', { references: ['<a@x.example>'], limits: [2] });
      const counted = async (hours: number) => {
        const { senderRuns, threadRuns } = await store().readForArrival({
          ...query,
          now: query.now + hours * 3_600_000,
        });
        return [senderRuns, threadRuns];
      };
      expect(await counted(-24)).toEqual([0, 0]);
      expect(await counted(-0.5)).toEqual([1, 1]);
      expect(await counted(0.5)).toEqual([1, 1]);
    });

    it('is kept where others have come that change nothing about its decision', async () => {
      await accept(store(), 'a');
      const query = arrival('b', { references: ['<a@x.example>'], limits: [120] });
      const rows = await store().readForArrival(query);
      await accept(store(), 'c', { thread: 't-a' });
      expect(await store().keepArrival(plan('b'), { query, rows })).toBe(true);
    });

    it('comes back as it was given', async () => {
      const lists = fc.array(fc.string(), { maxLength: 4 });
      const mails = fc.record({ to: lists, cc: lists, references: lists, limitations: lists, subject: fc.string() });
      let next = 0;
      await fc.assert(
        fc.asyncProperty(mails, async (mail) => {
          next += 1;
          const id = `m${next}`;
          await arrive(store(), arrival(id), { ...plan(id), message: message(id, `t-${id}`, mail) });
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
      await arrive(store(), arrival('b'), {
        ...plan('b', { thread: 't-a' }),
        viewers: [MIA, ZOE],
        participants: [{ address: ZOE, role: 'known' }],
      });
      expect(await seenBy('t-a', ZOE)).toEqual(['b']);
      expect(await seenBy('t-a', MIA)).toEqual(['b', 'a']);
      expect(await seenBy('t-a', '')).toEqual([]);
      expect((await store().threadPage('t-a', 1e9, 50, null)).map(({ id }) => id)).toEqual(['b', 'a']);
    });

    it('that an owner put somebody into makes them known, which no later mail takes back', async () => {
      await accept(store(), 'a');
      const withZoe = (id: string, role: 'known' | 'sender') =>
        arrive(store(), arrival(id), { ...plan(id, { thread: 't-a' }), participants: [{ address: ZOE, role }] });
      await withZoe('b', 'known');
      await withZoe('c', 'sender');
      expect(await store().knownParticipants('t-a')).toEqual(new Set([ZOE]));
    });

    it('holds its bytes until they are said to be a file', async () => {
      const accepted = async (id: string, text: string) => {
        const raw = Buffer.from(text);
        const change = { raw_sha256: id.repeat(64) };
        await arrive(store(), arrival(id), { ...plan(id), message: message(id, `t-${id}`, change), raw });
        return (await store().messageById(id))?.seq ?? 0;
      };
      const [a, b] = [await accepted('a', 'first'), await accepted('b', 'second')];
      await accept(store(), 'c');
      const held = (await store().listHeldRaw(10)).map(({ bytes, ...row }) => ({ ...row, text: String(bytes) }));
      expect(held).toEqual([
        { seq: a, sha256: 'a'.repeat(64), text: 'first' },
        { seq: b, sha256: 'b'.repeat(64), text: 'second' },
      ]);
      expect(await store().listHeldRaw(1)).toHaveLength(1);
      await store().releaseRaw([a]);
      expect(await store().heldRaw(a)).toBeUndefined();
      expect(String(await store().heldRaw(b))).toBe('second');
    });

    it('names bytes that must stay; what nothing names may go', async () => {
      const [named, other] = ['a'.repeat(64), 'b'.repeat(64)];
      await arrive(store(), arrival('a'), { ...plan('a'), message: message('a', 't-a', { raw_sha256: named }) });
      const how = { contentOf: async () => '', breathe: async () => {} };
      expect(await store().unnamedBlobs([named, other], how)).toEqual(new Set([other]));
    });
  });
};
