import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type {
  NewSeenMail,
  NewSenderQuestion,
  RefusedMail,
  SeenLook,
  SenderVerdict,
} from '../../../engine/storage/types/gateway.ts';
import type { StorageEngine } from '../engine.ts';

export const refusedMailPromises = (engine: StorageEngine): void => {
  let store: GatewayStore;
  beforeEach(async () => {
    store = await engine.openGateway();
  });
  afterEach(() => store.close());

  const MOST = { mails: 3, bytes: 100 };
  const row = (id: string, at: number, change: Partial<NewSeenMail> = {}): NewSeenMail => ({
    message_id: `<${id}@x.test>`,
    direction: 'in',
    decision: 'refused',
    code: 'auth_failed',
    persona_id: 'ada',
    from_address: `${id}@x.test`,
    subject: `About ${id}`,
    received_at: at,
    ...change,
  });
  const mail = (id: string, at: number, change: Partial<RefusedMail> = {}): RefusedMail => ({
    raw_sha256: `sha-${id}`,
    message_id: `<${id}@x.test>`,
    at,
    bytes: 1,
    door: 'stranger',
    mailbox: null,
    authserv_id: null,
    ip: '192.0.2.1',
    helo: 'mx',
    mail_from: 'a@x.test',
    return_path: '',
    recipients: ['ada@here.test'],
    counted_as: 'address 192.0.2.1',
    raw: Buffer.from(`mail ${id}`),
    ...change,
  });
  const refuse = (id: string, at: number, change: Partial<RefusedMail> = {}) =>
    store.recordSeen([row(id, at)], null, { mail: mail(id, at, change), most: MOST });
  const kept = async (...ids: string[]) =>
    (await Promise.all(ids.map((id) => store.refusedMail(`<${id}@x.test>`))))
      .flat()
      .map(({ raw_sha256 }) => raw_sha256);

  describe('refused mail', () => {
    it('is known by each of its rows, also once it is refused again, and another one of its Message-ID is not', async () => {
      await refuse('a', 5);
      await store.recordSeen([row('a', 6)], null, { mail: mail('a', 6, { raw_sha256: 'sha-forged' }), most: MOST });
      await refuse('a', 7);
      await store.recordSeen([row('a', 8)]);
      const seen = await store.seenByMessageId('<a@x.test>');
      expect(seen.map(({ kept_sha256 }) => kept_sha256)).toEqual(['sha-a', 'sha-forged', 'sha-a', null]);
    });

    it('is kept as it came, with what its door knew', async () => {
      await refuse('a', 5);
      const [found] = await store.refusedMail('<a@x.test>');
      expect({ ...found, raw: Buffer.from(found?.raw ?? []) }).toEqual(mail('a', 5));
      await store.removeRefused('sha-a');
      expect(await store.refusedMail('<a@x.test>')).toEqual([]);
    });

    it('is kept up to a number and a number of bytes; the oldest goes', async () => {
      for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) await refuse(id, at);
      expect(await kept('a', 'b', 'c', 'd')).toEqual(['sha-b', 'sha-c', 'sha-d']);
      await refuse('e', 9, { bytes: 99 });
      expect(await kept('b', 'c', 'd', 'e')).toEqual(['sha-d', 'sha-e']);
    });

    it('is not pushed out by many that came from somewhere else, whatever domains they name', async () => {
      const honest = { mail: mail('honest', 1, { counted_as: 'address 192.0.2.9' }), most: MOST };
      await store.recordSeen([row('honest', 1, { from_address: 'ann@honest.test' })], null, honest);
      for (let n = 0; n < 500; n += 1) {
        const forged = { mail: mail(`f${n}`, n + 2), most: MOST };
        await store.recordSeen([row(`f${n}`, n + 2, { from_address: `eve@made-up-${n}.test` })], null, forged);
      }
      expect(await kept('honest', 'f0', 'f497', 'f498', 'f499')).toEqual(['sha-honest', 'sha-f498', 'sha-f499']);
    });

    it('goes before what is proven, where more have written than there is room for', async () => {
      await refuse('proven', 1, { counted_as: 'proven honest.test' });
      for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) await refuse(id, at + 2, { counted_as: `address ${id}` });
      expect(await kept('proven', 'a', 'b', 'c', 'd')).toEqual(['sha-proven', 'sha-c', 'sha-d']);
    });

    it('pushes out nothing that was taken in and stopped, from however many addresses, and the other way round', async () => {
      const taken = { counted_as: 'taken proven honest.test' };
      for (const [at, id] of ['t1', 't2', 't3'].entries()) await refuse(id, at, taken);
      for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) await refuse(id, at + 9, { counted_as: `address ${id}` });
      expect(await kept('t1', 't2', 't3', 'a', 'b', 'c', 'd')).toEqual(
        ['t1', 't2', 't3', 'b', 'c', 'd'].map((id) => `sha-${id}`),
      );
      await refuse('t4', 20, taken);
      expect(await kept('t1', 't2', 't3', 't4', 'b', 'c', 'd')).toEqual(
        ['t2', 't3', 't4', 'b', 'c', 'd'].map((id) => `sha-${id}`),
      );
      await store.pruneRefused({ refused: 12, taken: 2 });
      expect(await kept('t2', 't3', 't4', 'b', 'c', 'd')).toEqual(['t3', 't4', 'd'].map((id) => `sha-${id}`));
    });

    it('is kept once, as it came first, and counts as new when it comes again', async () => {
      await refuse('a', 1, { mailbox: 'main' });
      await refuse('b', 2);
      await refuse('a', 3);
      expect(await store.refusedMail('<a@x.test>')).toMatchObject([{ at: 3, mailbox: 'main' }]);
      await store.pruneRefused({ refused: 3, taken: 9 });
      expect(await kept('a', 'b')).toEqual(['sha-a']);
    });

    it('is found under a Message-ID of any length', async () => {
      const id = 'x'.repeat(900);
      await refuse(id, 1);
      expect(await kept(id)).toHaveLength(1);
    });
  });

  describe('senders who were refused', () => {
    const at = (id: string, time: number, fields: Partial<NewSeenMail> = {}) =>
      store.recordSeen([row(id, time, { from_address: 'bob@x.test', code: 'sender_not_allowed', ...fields })]);

    it('are new until a mail of theirs was refused before, for one persona and reason, with their newest mail', async () => {
      await at('a', 10, { subject: 'First' });
      await at('b', 20, { subject: 'Second' });
      await at('c', 5, { persona_id: 'ben' });
      await at('d', 30, { code: 'auth_failed' });
      await at('e', 30, { code: 'sender_denied', from_address: 'rude@x.test' });
      await at('f', 30, { persona_id: null, code: 'auth_failed' });
      await at('g', 30, { decision: 'accepted', from_address: 'mia@x.test' });
      const newly = async (since: number) =>
        (await store.newlyRefused(since)).map(({ persona_id: persona, code, subject, mails, message_id: id }) =>
          [persona, code, subject, mails, id[1]].join(' '),
        );
      expect(await newly(10)).toEqual(['ada auth_failed About d 1 d', 'ada sender_not_allowed Second 2 b']);
      expect(await newly(11)).toEqual(['ada auth_failed About d 1 d']);
    });
  });

  describe('what owners are asked about senders', () => {
    const question = (notice: string, number: number, change: Partial<NewSenderQuestion> = {}): NewSenderQuestion => ({
      notice_id: notice,
      number,
      persona_id: 'ada',
      sender: 'bob@x.test',
      code: 'sender_not_allowed',
      mails: 1,
      subject: 'Offer',
      asked_at: 10,
      until: 20,
      ...change,
    });
    const by = (answerId: string, verdict: 'allow' | 'block' = 'allow') => ({
      verdict,
      by: 'boss@x.test',
      at: 15,
      answerId,
    });
    const states = async (notice: string) =>
      (await store.senderQuestions(notice)).map(({ number, sender, verdict }) => `${number} ${sender} ${verdict}`);

    it('is kept as it was asked first', async () => {
      await store.askAboutSenders([question('n', 2, { sender: 'carl@x.test' }), question('n', 1)]);
      await store.askAboutSenders([question('n', 1, { sender: 'eve@x.test' }), question('n', 3)]);
      expect(await states('n')).toEqual(['1 bob@x.test null', '2 carl@x.test null']);
      await store.pruneSenderQuestions(20);
      expect(await states('n')).toHaveLength(2);
      await store.pruneSenderQuestions(21);
      expect(await states('n')).toEqual([]);
    });

    it('is decided once, in all digests that ask it, and open again when it could not be done', async () => {
      await store.askAboutSenders([question('n', 1), question('n', 2, { persona_id: 'ben' })]);
      await store.askAboutSenders([question('m', 1, { sender: 'carl@x.test' }), question('m', 2)]);
      expect(await store.decideSender({ notice_id: 'm', number: 2 }, by('a'))).toMatchObject({ answer_id: 'a' });
      expect(await store.decideSender({ notice_id: 'n', number: 1 }, by('b', 'block'))).toMatchObject({
        verdict: 'allow',
        decided_by: 'boss@x.test',
        decided_at: 15,
        answer_id: 'a',
      });
      expect(await states('n')).toEqual(['1 bob@x.test allow', '2 bob@x.test null']);
      expect(await states('m')).toEqual(['1 carl@x.test null', '2 bob@x.test allow']);
      await store.reopenSender('b', question('n', 1));
      expect(await states('n')).toContain('1 bob@x.test allow');
      await store.reopenSender('a', question('n', 1));
      expect(await states('n')).toContain('1 bob@x.test null');
      expect(await store.decideSender({ notice_id: 'none', number: 1 }, by('c'))).toBeUndefined();
    });

    it('lets in or blocks whom an answer let in once, for all who were asked, and then no more', async () => {
      await store.askAboutSenders([question('n', 1)]);
      await store.askAboutSenders([question('m', 1, { sender: 'carl@x.test' }), question('m', 2)]);
      const decide = (answerId: string, verdict: SenderVerdict) =>
        store.decideSender({ notice_id: 'n', number: 1 }, { verdict, by: 'boss@x.test', at: 15, answerId });
      await decide('a', 'once');
      expect(await decide('b', 'once')).toMatchObject({ verdict: 'once', answer_id: 'a' });
      expect(await decide('c', 'allow')).toMatchObject({ verdict: 'allow', answer_id: 'c' });
      expect(await decide('d', 'once')).toMatchObject({ verdict: 'allow', answer_id: 'c' });
      expect(await decide('e', 'block')).toMatchObject({ verdict: 'allow', answer_id: 'c' });
      expect(await states('m')).toContain('2 bob@x.test allow');
    });
  });

  describe('received mail, listed', () => {
    const listed = async (wanted: Partial<Parameters<GatewayStore['listReceived']>[0]>) =>
      (await store.listReceived({ limit: 10, ...wanted })).map(({ message_id }) => message_id.slice(1, 2));
    beforeEach(async () => {
      await store.recordSeen([row('a', 10), row('b', 20, { decision: 'accepted', code: null, subject: '100% sure' })]);
      await store.recordSeen([
        row('c', 30, { persona_id: 'ben' }),
        row('o', 40, { direction: 'out', decision: 'sent' }),
      ]);
    });

    it('is the newest first, and nothing that was sent', async () => {
      expect(await listed({})).toEqual(['c', 'b', 'a']);
      const [newest] = await store.listReceived({ limit: 1 });
      expect(await listed({ before: newest?.id })).toEqual(['b', 'a']);
      expect(await store.receivedById(newest?.id ?? 0)).toEqual(newest);
    });

    it('is narrowed by sender, subject, persona, decision and time', async () => {
      expect(await listed({ from: 'A@X' })).toEqual(['a']);
      expect(await listed({ subject: 'about' })).toEqual(['c', 'a']);
      expect(await listed({ subject: '0% s' })).toEqual(['b']);
      expect(await listed({ subject: '1_0' })).toEqual([]);
      expect(await listed({ persona: 'ben' })).toEqual(['c']);
      expect(await listed({ decision: 'refused' })).toEqual(['c', 'a']);
      expect(await listed({ since: 20 })).toEqual(['c', 'b']);
    });

    it('is found by the beginning or the end of a Message-ID', async () => {
      expect(await store.messageIdsLike('b@', 5)).toEqual(['<b@x.test>']);
      expect(await store.messageIdsLike('c@x.test', 5)).toEqual(['<c@x.test>']);
      expect(await store.messageIdsLike('x.test', 2)).toHaveLength(2);
    });
  });

  describe('mail in and out, looked at', () => {
    const named = ({ message_id }: { message_id: string }) => message_id.slice(1, 2);
    const ALL = ['ada', 'ben', ''];
    const many = Array.from({ length: 30 }, (_, at) => ['ada', 'ben'][at] ?? `p${at}`);
    const look = async (wanted: Partial<SeenLook>) => {
      const page = await store.lookAtSeen({ limit: 10, personas: ALL, ...wanted });
      return page.rows.map(named).join('');
    };
    beforeEach(async () => {
      await store.recordSeen([
        row('a', 10),
        row('b', 20, { decision: 'accepted', code: null, subject: '100% sure' }),
        row('c', 30, { persona_id: 'ben', from_address: 'b@x.test' }),
        row('o', 40, { direction: 'out', decision: 'sent', from_address: 'ada@here.test', recipient: 'b@x.test' }),
        row('n', 50, { persona_id: null, code: 'unknown_recipient' }),
      ]);
    });

    it('is the newest first, what was sent beside what came', async () => {
      expect(await look({})).toBe('nocba');
      expect(await look({ direction: 'in' })).toBe('ncba');
      expect(await look({ direction: 'out' })).toBe('o');
    });

    it('is that of the personas that are named, and of none only where that is asked for', async () => {
      expect(await look({ personas: ['ada'] })).toBe('oba');
      expect(await look({ personas: ['ada', 'ben'] })).toBe('ocba');
      expect(await look({ personas: ['ben', ''] })).toBe('nc');
      expect(await look({ personas: [] })).toBe('');
      const many = ['ben', ...Array.from({ length: 30 }, (_, at) => `p${at}`)];
      expect(await look({ personas: many })).toBe('c');
      expect(await look({ personas: [...many, ''] })).toBe('nc');
    });

    it('is narrowed by whom it is from or went to, by subject, fate and time', async () => {
      expect(await look({ who: 'B@X' })).toBe('ocb');
      expect(await look({ who: 'ada@here' })).toBe('');
      expect(await look({ text: '0% s' })).toBe('b');
      expect(await look({ text: 'b@x' })).toBe('ocb');
      expect(await look({ decision: 'refused' })).toBe('nca');
      expect(await look({ since: 20, until: 40 })).toBe('cb');
      expect(await look({ newestOfEach: true })).toBe('nca');
      expect(await look({ newestOfEach: true, personas: ['ada'] })).toBe('ba');
      expect(await look({ newestOfEach: true, personas: ['ada', 'ben'] })).toBe('ca');
    });

    it('goes on where a page ended, each mail once', async () => {
      for (const personas of [[...many, ''], ALL]) {
        const found: string[] = [];
        let before: number | null | undefined;
        do {
          const page = await store.lookAtSeen({ limit: 2, personas, ...(before ? { before } : {}) });
          found.push(...page.rows.map(named));
          before = page.before;
        } while (before !== null);
        expect(found.join('')).toBe('nocba');
      }
    });

    it.each([
      ['many personas', many, ''],
      ['few, whose rows are all read', ['ada', 'ben'], 'b'],
    ])('ends a look after so many rows, and says from where to go on: %s', async (_, personas, found) => {
      const flood = (persona_id: string) => Array.from({ length: 700 }, () => row('z', 60, { persona_id }));
      for (let at = 0; at < 15; at++) await store.recordSeen([...flood('ada'), ...flood('ben')]);
      const first = await store.lookAtSeen({ limit: 5, personas, text: 'sure' });
      expect(first.rows.map(named).join('')).toBe(found);
      expect(first.before === null).toBe(found === 'b');
      const next = await store.lookAtSeen({ limit: 5, personas, text: 'sure', before: first.before ?? undefined });
      expect(next.rows.map(named).join('')).toBe('b');
      expect(next.before).toBe(null);
    });

    it('is counted by persona for one person', async () => {
      const counted = async (personas: readonly string[]) =>
        (await store.seenOfPerson('b@x.test', personas)).map(
          ({ persona_id, direction, decision, mails }) => `${persona_id} ${direction} ${decision} ${mails}`,
        );
      expect(await counted(ALL)).toEqual(['ada out sent 1', 'ben in refused 1', 'ada in accepted 1']);
      expect(await counted(['ben'])).toEqual(['ben in refused 1']);
      expect(await counted([])).toEqual([]);
      const [found] = (await store.lookAtSeen({ limit: 1, personas: ALL })).rows;
      expect(await store.seenById(found?.id ?? 0)).toEqual(found);
    });
  });
};
