import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SmtpConfig } from '../../../engine/config/types.ts';
import { RESEND_AFTER_MS } from '../../../engine/delivery/decide.ts';
import type { OutboundRoute } from '../../../engine/delivery/outbound-routes.ts';
import { createOutboxLane } from '../../../engine/delivery/outbox-lane.ts';
import { createSmtpTransport } from '../../../engine/delivery/smtp-transport.ts';
import { announceBy } from '../../../engine/dispatch/work-queue.ts';
import { passThrough } from '../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import { withoutSecret } from '../../fakes/secret.ts';
import { type Script, startSmtpPeer } from '../../fakes/smtp-peer.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;

let folder: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-outbox-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** An outbox with one mail in a real database, a real SMTP server, and a Sent folder that a test can fill or lose. */
async function rig(options: {
  script: Script;
  to?: readonly string[];
  purpose?: string;
  inReplyTo?: string;
  mailbox?: string;
}) {
  const gateway = openGatewayStore(join(folder, 'gateway.db'));
  const store = openStore(join(folder, 'persona.db'));
  const peer = await startSmtpPeer(options.script);
  const smtp: SmtpConfig = {
    host: '127.0.0.1',
    port: peer.port,
    tls: 'none',
    user: 'me',
    auth: 'none',
    secret_env: 'NONE',
    tls_ca_file: null,
    allow_plaintext: false,
  };
  const transport = createSmtpTransport({ smtp, login: withoutSecret, helo: 'agents.test', log: silentLog });
  closers.push(gateway.close, store.close, peer.stop, transport.close);
  const sent = { ids: new Set<string>(), isAway: false };
  const way: OutboundRoute = {
    id: 'main',
    transport,
    sent: {
      async find(id) {
        if (sent.isAway) throw new Error('the server is away');
        return sent.ids.has(id) ? id : null;
      },
      append: async (id) => void sent.ids.add(id),
    },
    otherIds: null,
  };
  const mailboxes = new Set<string>();
  const time = { now: NOON };
  const heard: [string, string][] = [];
  const lane = (instance = 'one') =>
    createOutboxLane({
      gateway,
      announce: announceBy(
        gateway,
        () => time.now,
        () => {},
      ),
      routeOf: (mailbox) => (mailbox === null || mailboxes.has(mailbox) ? way : null),
      hasMailbox: (id) => mailboxes.has(id),
      onAttempt: (id, { kind }) => heard.push([id, kind]),
      draftsOf: () => null,
      delivery: () => ({ first_retry_s: 30, max_retry_s: 3600, give_up_hours: 48, watch_drafts_days: 30 }),
      findPersona: () => undefined,
      outgoingFolder: join(folder, 'outgoing'),
      isOfChat: (id) => id === '<line@chat.test>',
      holder: { instance, deadHolders: 'all others' },
      clock: { now: () => time.now, sleep: () => Promise.reject(new Error('nobody sleeps here')) },
      random: () => 0,
      log: silentLog,
      pass: passThrough,
    });
  await store.queueNotice('none', {
    row: {
      id: 'mail-1',
      run_id: 'run-1',
      purpose: options.purpose ?? 'final',
      ordinal: 0,
      thread_id: null,
      message_id: '<answer@agents.test>',
      in_reply_to: options.inReplyTo ?? null,
      kind: 'reply',
      mailbox: options.mailbox ?? null,
      envelope_from: 'ada@agents.test',
      raw: Buffer.from('Subject: hi\r\n\r\nHello.\r\n'),
      state: 'queued',
      leased_by: null,
      next_attempt_at: NOON,
      unknown_since: null,
      last_error: null,
      created_at: NOON,
      updated_at: NOON,
    },
    recipients: options.to ?? ['you@example.com'],
  });
  return {
    peer,
    sent,
    store,
    heard,
    mailboxes,
    /** Does what is due at that time; false when nothing is. */
    async workAt(now: number, instance?: string): Promise<boolean> {
      time.now = now;
      const [work] = await lane(instance).claim('ada', store, 1);
      await work?.(store, new AbortController().signal);
      return work !== undefined;
    },
    claimOnly: (instance: string) => lane(instance).claim('ada', store, 1),
    async mail() {
      const row = await store.outboxByMessageId('<answer@agents.test>');
      const recipients = await store.outboxRecipients(['mail-1']);
      return { ...row, to: Object.fromEntries(recipients.map(({ address, state }) => [address, state])) };
    },
    notices: async () => (await store.dueJobs(Number.MAX_SAFE_INTEGER, 10)).map(({ id }) => id),
  };
}

it('shows no server an answer that somebody reads in a terminal', async () => {
  const { workAt, mail, peer } = await rig({ script: {}, inReplyTo: '<line@chat.test>' });
  await workAt(NOON);
  expect(await mail()).toMatchObject({ state: 'sent', to: { 'you@example.com': 'sent' } });
  expect(peer.mails).toEqual([]);
});

it('keeps a mail whose mailbox was removed, and sends it once that is there again', async () => {
  const { workAt, mail, peer, mailboxes } = await rig({ script: {}, mailbox: 'support' });
  await workAt(NOON);
  expect(await mail()).toMatchObject({ state: 'queued', last_error: expect.stringContaining('"support" any more') });
  expect(existsSync(join(folder, 'outgoing'))).toBe(false);
  mailboxes.add('support');
  await workAt(NOON + MINUTE);
  expect(await mail()).toMatchObject({ state: 'sent', last_error: null });
  expect(peer.mails).toHaveLength(1);
});

it('tells who listens how each attempt over a mailbox ended', async () => {
  const script: Script = { mail: '530 5.7.0 log in first' };
  const { workAt, mail, heard } = await rig({ script });
  await workAt(NOON);
  expect(await mail()).toMatchObject({ state: 'queued', next_attempt_at: NOON + 5 * MINUTE });
  delete script.mail;
  await workAt(NOON + 5 * MINUTE);
  expect(heard).toEqual([
    ['main', 'auth'],
    ['main', 'delivered'],
  ]);
});

describe('a mail that nobody takes', () => {
  const HOUR = 60 * MINUTE;

  it('is given up after 48 hours of trying, whenever it was written, and tried for as long again when an owner says so', async () => {
    const { workAt, mail, store } = await rig({ script: { dot: '451 4.3.0 later' } });
    // It was held back, as by a STOP, for longer than anything is tried.
    const first = NOON + 100 * HOUR;
    await workAt(first);
    expect((await mail()).state).toBe('queued');
    await workAt(first + 48 * HOUR - 1);
    expect((await mail()).state).toBe('queued');
    await workAt(first + 49 * HOUR);
    expect((await mail()).state).toBe('failed');

    const again = first + 200 * HOUR;
    expect(await store.changeOutbox({ id: 'mail-1', change: 'retry', now: again })).toBe('changed');
    await workAt(again);
    expect((await mail()).state).toBe('queued');
    await workAt(again + 48 * HOUR);
    expect((await mail()).state).toBe('failed');
  });
});

const TAKEN = '250 2.0.0 taken';
const DROPPED: Script = { dot: 'drop', store: true };

describe('a server that takes a mail and drops the line', () => {
  it('leaves it unknown, and Sent is asked once a minute', async () => {
    const { workAt, mail, peer } = await rig({ script: DROPPED });
    await workAt(NOON);
    expect(await mail()).toMatchObject({
      state: 'unknown',
      next_attempt_at: NOON + MINUTE,
      to: { 'you@example.com': 'unknown' },
    });
    expect(await workAt(NOON + MINUTE - 1)).toBe(false);
    expect(await workAt(NOON + MINUTE)).toBe(true);
    expect(await mail()).toMatchObject({ state: 'unknown', next_attempt_at: NOON + 2 * MINUTE });
    expect(peer.mails).toHaveLength(1);
  });

  it('and the mail turns up in Sent: it is sent, and not again', async () => {
    const { workAt, mail, peer, sent } = await rig({ script: DROPPED });
    await workAt(NOON);
    sent.ids.add('<answer@agents.test>');
    await workAt(NOON + MINUTE);
    expect(await mail()).toMatchObject({ state: 'sent', last_error: null, to: { 'you@example.com': 'sent' } });
    expect(await workAt(NOON + 100 * MINUTE)).toBe(false);
    expect(peer.mails).toHaveLength(1);
  });

  it('without a trace for ten minutes: the same bytes are sent once more, and that is on record', async () => {
    const { workAt, mail, peer, sent } = await rig({ script: { ...DROPPED } });
    await workAt(NOON);
    await workAt(NOON + RESEND_AFTER_MS - 1);
    expect(peer.mails).toHaveLength(1);
    peer.script.dot = TAKEN;
    await workAt(NOON + RESEND_AFTER_MS);
    expect(await mail()).toMatchObject({ state: 'sent', last_error: 'resent_after_unknown' });
    expect(peer.mails).toHaveLength(2);
    expect(peer.mails[1]).toEqual(peer.mails[0]);
    expect(sent.ids.size).toBe(1);
  });

  it('twice: there is no third copy, and the owner is told', async () => {
    const { workAt, mail, peer, notices } = await rig({ script: DROPPED });
    await workAt(NOON);
    await workAt(NOON + RESEND_AFTER_MS);
    expect(await mail()).toMatchObject({ state: 'unknown', last_error: 'resent_after_unknown' });
    await workAt(NOON + RESEND_AFTER_MS + MINUTE);
    expect(await mail()).toMatchObject({ state: 'failed' });
    expect(await workAt(NOON + 1000 * MINUTE)).toBe(false);
    expect(peer.mails).toHaveLength(2);
    expect(await notices()).toEqual(['notice:undelivered:mail-1', 'notice:undelivered_told:mail-1']);
  });

  it('for mail of a tool: it is never sent again, and the owner is told', async () => {
    const { workAt, mail, peer, notices } = await rig({ script: DROPPED, purpose: 'tool' });
    await workAt(NOON);
    await workAt(NOON + RESEND_AFTER_MS);
    expect(await mail()).toMatchObject({ state: 'failed', to: { 'you@example.com': 'unknown' } });
    expect(peer.mails).toHaveLength(1);
    expect(await notices()).toEqual(['notice:undelivered:mail-1', 'notice:undelivered_told:mail-1']);
  });

  it('while Sent cannot be opened: nothing is sent again on that account, for an hour', async () => {
    const { workAt, mail, peer, sent } = await rig({ script: { ...DROPPED } });
    await workAt(NOON);
    sent.isAway = true;
    await workAt(NOON + RESEND_AFTER_MS);
    await workAt(NOON + 30 * MINUTE);
    expect(await mail()).toMatchObject({ state: 'unknown' });
    expect(peer.mails).toHaveLength(1);
    peer.script.dot = TAKEN;
    await workAt(NOON + 60 * MINUTE);
    expect(await mail()).toMatchObject({ state: 'sent', last_error: 'resent_after_unknown' });
  });

  it('and had put off one of two recipients: that one still gets it, and only that one', async () => {
    const script: Script = { ...DROPPED, rcpt: { 'later@example.com': '450 4.2.0 not now' } };
    const { workAt, mail, peer, sent } = await rig({ script, to: ['later@example.com', 'you@example.com'] });
    await workAt(NOON);
    expect((await mail()).to).toEqual({ 'later@example.com': 'queued', 'you@example.com': 'unknown' });
    await workAt(NOON + MINUTE);
    sent.ids.add('<answer@agents.test>');
    await workAt(NOON + 2 * MINUTE);
    expect((await mail()).to).toEqual({ 'later@example.com': 'queued', 'you@example.com': 'sent' });
    peer.script.dot = TAKEN;
    peer.script.rcpt = {};
    await workAt(NOON + 2 * MINUTE);
    expect(await mail()).toMatchObject({ state: 'sent' });
    expect(peer.mails.map(({ to }) => to)).toEqual([['you@example.com'], ['later@example.com']]);
  });
});

describe('a process that died while sending', () => {
  it('leaves a mail that is looked for before it is sent again', async () => {
    const { workAt, mail, peer, claimOnly } = await rig({ script: {} });
    await claimOnly('dead');
    expect(await workAt(NOON, 'dead')).toBe(false);
    await workAt(NOON, 'next');
    expect(await mail()).toMatchObject({ state: 'unknown', to: { 'you@example.com': 'unknown' } });
    await workAt(NOON + RESEND_AFTER_MS, 'next');
    expect(await mail()).toMatchObject({ state: 'sent', last_error: 'resent_after_unknown' });
    expect(peer.mails).toHaveLength(1);
  });
});

describe('a server that says later', () => {
  it('is tried again with backoff, and the mail leaves once', async () => {
    const { workAt, mail, peer } = await rig({ script: { data: '451 4.3.0 later' } });
    await workAt(NOON);
    expect(await mail()).toMatchObject({ state: 'queued', attempts: 1, next_attempt_at: NOON + 15_000 });
    peer.script.data = '354 go ahead';
    await workAt(NOON + 15_000);
    expect(await mail()).toMatchObject({ state: 'sent', attempts: 2, last_error: null });
    expect(peer.mails).toHaveLength(1);
  });
});
