import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retryMail } from '../../../../engine/actions/mail/retry-mail.ts';
import { isRefusal } from '../../../../engine/actions/refusal.ts';
import type { GatewayStore } from '../../../../engine/storage/ports/gateway.ts';
import { openGatewayStore } from '../../../../engine/storage/sqlite/gateway/store.ts';
import type { RefusedMail } from '../../../../engine/storage/types/gateway.ts';

let gateway: GatewayStore;
beforeEach(() => {
  gateway = openGatewayStore(':memory:');
});
afterEach(() => gateway.close());

const ID = '<both@x.test>';
const MAIL: RefusedMail = {
  ...{ raw_sha256: 'both', message_id: ID, at: 1, bytes: 4, door: 'imap', mailbox: 'main', authserv_id: null },
  ...{ ip: null, helo: null, mail_from: null, return_path: null, recipients: null, counted_as: 'mailbox main' },
  raw: Buffer.from('both'),
};
const answered = (decisions: Readonly<Record<string, string>>) => ({
  messageId: ID,
  results: Object.entries(decisions).map(([persona, decision]) => ({
    ...{ recipient: `${persona}@x.test`, persona, decision, runId: null, threadId: null },
    code: decision === 'refused' ? 'sender_not_allowed' : null,
  })),
});

describe('a mail to two personas that both refused it', () => {
  const refusedBoth = async () => {
    const rows = ['ada', 'ben'].map((persona_id) => ({
      ...{ message_id: ID, direction: 'in', decision: 'refused', code: 'sender_not_allowed', subject: '' },
      ...{ persona_id, received_at: 1 },
    })) as Parameters<GatewayStore['recordSeen']>[0];
    await gateway.recordSeen(rows, null, { mail: MAIL, most: { mails: 10, bytes: 1000 } });
    return gateway.seenByMessageId(ID);
  };
  const retry = async (row: Awaited<ReturnType<GatewayStore['seenByMessageId']>>[number], became: object) => {
    const takeIn = async () => answered(became as Readonly<Record<string, string>>);
    const retried = await retryMail({ gateway, takeIn }, { row, kept: MAIL });
    return isRefusal(retried) ? retried.error.code : retried.isDone;
  };
  const isKept = async () => (await gateway.keptRefusals()).length === 1;

  it('is taken in where one of them takes it, and stays kept for the other', async () => {
    const [ada, ben] = await refusedBoth();
    if (!ada || !ben) throw new Error('there is no row');
    expect(await retry(ada, { ada: 'accepted', ben: 'refused' })).toBe(true);
    expect(await isKept()).toBe(true);
    expect(await retry(ben, { ada: 'duplicate', ben: 'refused' })).toBe(false);
    expect(await isKept()).toBe(true);
    expect(await retry(ben, { ada: 'duplicate', ben: 'accepted' })).toBe(true);
    expect(await isKept()).toBe(false);
  });

  it('is judged by all where none of the results is of the persona that was asked about', async () => {
    const [ada] = await refusedBoth();
    if (!ada) throw new Error('there is no row');
    expect(await retry(ada, { carl: 'refused', ben: 'accepted' })).toBe(false);
    expect(await retry(ada, { carl: 'deferred' })).toBe(false);
    expect(await isKept()).toBe(true);
    expect(await retry(ada, { carl: 'accepted' })).toBe(true);
  });
});
