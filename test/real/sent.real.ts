import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MailboxConfig } from '../../engine/config/types.ts';
import { createSmtpTransport } from '../../engine/delivery/smtp-transport.ts';
import { createLine } from '../../engine/gateway/imap/client/line.ts';
import { probeMailbox } from '../../engine/gateway/imap/client/probe.ts';
import { createSentFolder, type SentFolder } from '../../engine/gateway/imap/client/sent.ts';
import { DEFAULT_TUNING } from '../../engine/gateway/imap/tuning.ts';
import { silentLog } from '../../engine/lib/log/log.ts';
import { withoutSecret, withSecret } from '../fakes/secret.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { startTcpProxy } from '../lab/tcp-proxy.ts';
import { mail } from '../lab/watched.ts';

let lab: MailServers;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  lab = await startMailServers({
    users: { agents: 'secret', other: 'secret' },
    domain: 'lab.test',
    aliases: { ada: 'agents' },
  });
});
afterAll(() => lab.stop());
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const connection = {
  host: '127.0.0.1',
  tls: 'none',
  user: 'agents@lab.test',
  auth: 'password',
  secret_env: 'SECRET',
  tls_ca_file: null,
  allow_plaintext: false,
} as const;

function imapConfig(port: number): NonNullable<MailboxConfig['imap']> {
  return { ...connection, port, folder: 'INBOX', processed: 'none', authserv_id: null, first_connect: 'now' };
}

function sentFolder(options: { port?: number; smtpHost?: string; password?: string } = {}): SentFolder {
  const imap = imapConfig(options.port ?? lab.imap.port);
  const line = createLine({
    imap,
    login: withSecret(() => options.password ?? 'secret'),
    tuning: { ...DEFAULT_TUNING, connectMs: 2000, commandMs: 2000 },
  });
  closers.push(line.close);
  const smtp = { ...connection, host: options.smtpHost ?? '127.0.0.1', port: lab.smtp.submissionPort };
  return createSentFolder({ mailbox: { imap, smtp }, line, log: silentLog });
}

describe('a copy in the Sent folder', () => {
  it('is filed once, read, with the same bytes', async () => {
    const folder = sentFolder();
    const raw = Buffer.from(mail('copy-1'));
    expect(await folder.findInSent('<copy-1@example.com>')).toBeNull();
    expect(await folder.appendToSent({ messageId: '<copy-1@example.com>', raw })).toBe('filed');
    expect(await folder.appendToSent({ messageId: '<copy-1@example.com>', raw })).toBe('present');
    expect(await folder.findInSent('<copy-1@example.com>')).toBe('<copy-1@example.com>');
    const stored = (await lab.mailbox('agents', 'Sent')).filter(
      ({ messageId }) => messageId === '<copy-1@example.com>',
    );
    expect(stored.map(({ flags }) => flags)).toEqual([['\\Seen']]);
  });

  it('that another client filed meanwhile is seen', async () => {
    const mine = sentFolder();
    expect(await mine.findInSent('<copy-2@example.com>')).toBeNull();
    await sentFolder().appendToSent({ messageId: '<copy-2@example.com>', raw: Buffer.from(mail('copy-2')) });
    expect(await mine.findInSent('<copy-2@example.com>')).toBe('<copy-2@example.com>');
  });

  it('is filed once when many ask at the same time', async () => {
    const folder = sentFolder();
    const raw = Buffer.from(mail('copy-3'));
    const results = await Promise.all(
      Array.from({ length: 5 }, () => folder.appendToSent({ messageId: '<copy-3@example.com>', raw })),
    );
    expect(results.toSorted()).toEqual(['filed', 'present', 'present', 'present', 'present']);
  });

  it('is left to providers that file it themselves', async () => {
    const folder = sentFolder({ smtpHost: 'smtp.gmail.com' });
    expect(await folder.appendToSent({ messageId: '<copy-4@example.com>', raw: Buffer.from(mail('copy-4')) })).toBe(
      'provider',
    );
    expect(await folder.findInSent('<copy-4@example.com>')).toBeNull();
  });

  it('is found where the server has given it another Message-ID, and no later mail is taken for it', async () => {
    const folder = sentFolder();
    const named = (id: string, references: string) =>
      Buffer.from(mail(id).replace(/\r\n\r\n/, `\r\nReferences: ${references}\r\n\r\n`));
    const own = '<ours-6@agents.test>';
    const later = '<later-6@agents.test>';
    await folder.appendToSent({
      messageId: '<given-6@example.com>',
      raw: named('given-6', `<before@x.test>\r\n ${own}`),
    });
    await folder.appendToSent({
      messageId: '<given-7@example.com>',
      raw: named('given-7', `${own} <re@x.test> ${later}`),
    });
    expect(await folder.findInSent(own)).toBe('<given-6@example.com>');
    expect(await folder.findInSent(later)).toBe('<given-7@example.com>');
    expect(await folder.findInSent('<re@x.test>')).toBeNull();
    // No second copy beside it.
    expect(await folder.appendToSent({ messageId: own, raw: named('ours-6', own) })).toBe('present');
  });

  it('survives a connection that was cut between two uses', async () => {
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: lab.imap.port });
    const folder = sentFolder({ port: proxy.port });
    closers.push(proxy.stop);
    expect(await folder.findInSent('<copy-5@example.com>')).toBeNull();
    proxy.cut();
    const filed = await folder.appendToSent({ messageId: '<copy-5@example.com>', raw: Buffer.from(mail('copy-5')) });
    expect(filed === 'filed' || filed === 'failed').toBe(true);
    expect(await folder.appendToSent({ messageId: '<copy-5@example.com>', raw: Buffer.from(mail('copy-5')) })).toMatch(
      /filed|present/,
    );
  });

  it('is a warning when the server is away, and looking throws', async () => {
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: lab.imap.port });
    proxy.refuse(true);
    const folder = sentFolder({ port: proxy.port });
    closers.push(proxy.stop);
    expect(await folder.appendToSent({ messageId: '<x@example.com>', raw: Buffer.from(mail('x')) })).toBe('failed');
    await expect(folder.findInSent('<x@example.com>')).rejects.toMatchObject({ code: 'network' });
  });

  it('with a wrong password cannot be looked for', async () => {
    await expect(sentFolder({ password: 'wrong' }).findInSent('<x@example.com>')).rejects.toMatchObject({
      code: 'auth',
    });
  });
});

describe('submission to a real server', () => {
  const transport = (
    options: { user?: string; tls?: 'starttls' | 'none'; ca?: string | null; password?: string } = {},
  ) => {
    const made = createSmtpTransport({
      smtp: {
        ...connection,
        host: 'localhost',
        port: lab.smtp.submissionPort,
        tls: options.tls ?? 'starttls',
        tls_ca_file: options.ca === undefined ? lab.ca : options.ca,
      },
      login: withSecret(() => options.password ?? 'secret'),
      helo: 'agents.test',
      log: silentLog,
      timeouts: { connectMs: 5000, greetingMs: 5000, silenceMs: 5000, deadlineMs: 10_000 },
    });
    closers.push(made.close);
    return made;
  };
  const message = { from: 'agents@lab.test', to: ['other@lab.test'], raw: Buffer.from(mail('submitted')) };

  it('delivers over STARTTLS, to aliases and plus-tags too', async () => {
    const sender = transport();
    const outcome = await sender.send({ ...message, to: ['other+tag@lab.test', 'ada@lab.test', 'nobody@lab.test'] });
    expect(outcome.kind).toBe('delivered');
    expect(outcome.recipients.map(({ state }) => state)).toEqual(['sent', 'sent', 'failed']);
    expect(outcome.recipients[2]?.smtp).toMatch(/^550 5\.1\.1/);
    await expect.poll(async () => (await lab.mailbox('other')).length, { timeout: 30_000 }).toBe(1);
    await expect.poll(async () => (await lab.mailbox('agents')).length, { timeout: 30_000 }).toBe(1);
  });

  it('does not trust an unknown certificate', async () => {
    const outcome = await transport({ ca: null }).send(message);
    expect(outcome).toMatchObject({ kind: 'retry', smtp: expect.stringMatching(/certificate|signed/i) });
  });

  it('knows a refused login', async () => {
    expect((await transport({ password: 'wrong' }).send(message)).kind).toBe('auth');
  });

  it('without a login is refused by the server', async () => {
    const anonymous = createSmtpTransport({
      smtp: { ...connection, auth: 'none', port: lab.smtp.submissionPort },
      login: withoutSecret,
      helo: 'agents.test',
      log: silentLog,
    });
    closers.push(anonymous.close);
    expect((await anonymous.send(message)).kind).toMatch(/failed|auth/);
  });

  it('survives a connection that the network cut', async () => {
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: lab.smtp.submissionPort });
    closers.push(proxy.stop);
    const sender = createSmtpTransport({
      smtp: { ...connection, port: proxy.port },
      login: withSecret(() => 'secret'),
      helo: 'agents.test',
      log: silentLog,
    });
    closers.unshift(sender.close);
    expect((await sender.send(message)).kind).toBe('delivered');
    const first = once(proxy.events, 'connection');
    proxy.cut();
    expect((await sender.send(message)).kind).toBe('delivered');
    await first;
  });
});

describe('a mailbox that is tried out', () => {
  it('tells what it can do, or what is wrong', async () => {
    const at = (port: number, change: { folder?: string } = {}, secret = 'secret', keepsDrafts = false) =>
      probeMailbox(
        { ...imapConfig(port), ...change },
        {
          login: withSecret(() => secret),
          keepsDrafts,
        },
      );
    expect(await at(lab.imap.port)).toMatchObject({ ok: true, idle: true, drafts: null });
    expect(await at(lab.imap.port, {}, 'wrong')).toMatchObject({ ok: false, kind: 'auth' });
    expect(await at(1)).toMatchObject({ ok: false, kind: 'network' });
    expect(await at(lab.imap.port, { folder: 'Nowhere' })).toMatchObject({ ok: false });
  });
});
