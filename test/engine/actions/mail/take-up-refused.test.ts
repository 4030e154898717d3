import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { takeUpRefused } from '../../../../engine/actions/mail/retry-mail.ts';
import type { GatewayStore } from '../../../../engine/storage/ports/gateway.ts';
import { openGatewayStore } from '../../../../engine/storage/sqlite/gateway/store.ts';
import type { RefusedMail } from '../../../../engine/storage/types/gateway.ts';

let gateway: GatewayStore;
beforeEach(() => {
  gateway = openGatewayStore(':memory:');
});
afterEach(() => gateway.close());

const keep = (id: string, at: number, ...codes: string[]) =>
  gateway.recordSeen(
    codes.map((code) => ({
      message_id: `<${id}@x.test>`,
      direction: 'in',
      decision: 'refused',
      code,
      persona_id: 'ada',
      subject: id,
      received_at: at,
    })),
    null,
    { mail: mailOf(id, at), most: { mails: 10, bytes: 1000 } },
  );
const mailOf = (id: string, at: number): RefusedMail => ({
  raw_sha256: id,
  message_id: `<${id}@x.test>`,
  at,
  bytes: 1,
  door: 'imap',
  mailbox: 'main',
  authserv_id: null,
  ip: null,
  helo: null,
  mail_from: null,
  return_path: null,
  recipients: null,
  counted_as: 'mailbox main',
  raw: Buffer.from(id),
});
const answer = (decision: string, code: string | null = null) => ({
  messageId: '<x@x.test>',
  results: [{ recipient: null, persona: 'ada', decision, code, runId: null, threadId: null }],
});
const going = new AbortController().signal;
const kept = async () => (await gateway.keptRefusals()).map(({ rawSha256 }) => rawSha256);

describe('refused mail that is kept, after a change of the settings', () => {
  it('is offered once more, oldest first, and let go once it is with its persona', async () => {
    await keep('late', 9, 'auth_failed');
    await keep('early', 5, 'unknown_recipient', 'auth_failed');
    await keep('still', 7, 'sender_not_allowed');
    const offered: [string, readonly string[]][] = [];
    const takeIn = vi.fn(async ({ raw_sha256: id }: RefusedMail, codes: readonly string[]) => {
      offered.push([id, codes]);
      return id === 'still' ? answer('refused', 'sender_not_allowed') : answer('accepted');
    });
    await takeUpRefused({ gateway, takeIn }, going);
    expect(offered).toEqual([
      ['early', ['unknown_recipient', 'auth_failed']],
      ['still', ['sender_not_allowed']],
      ['late', ['auth_failed']],
    ]);
    expect(await kept()).toEqual(['still']);
  });

  it('stays where it is when it came before the first connect, waits for DNS, or the gateway stops', async () => {
    await keep('before', 1, 'before_first_connect');
    await keep('dns', 2, 'auth_failed');
    const takeIn = vi.fn(async () => answer('deferred', 'auth_failed'));
    await takeUpRefused({ gateway, takeIn }, going);
    expect(takeIn).toHaveBeenCalledTimes(1);
    await takeUpRefused({ gateway, takeIn }, AbortSignal.abort());
    expect(takeIn).toHaveBeenCalledTimes(1);
    expect(await kept()).toEqual(['before', 'dns']);
  });
});
