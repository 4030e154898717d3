import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { createSmtpTransport } from '../../engine/delivery/smtp-transport.ts';
import { silentLog } from '../../engine/lib/log/log.ts';
import { startDnsServer } from '../fakes/dns-server.ts';
import { withoutSecret } from '../fakes/secret.ts';
import { type Certificate, makeCertificate } from './certificate.ts';
import { startDovecot } from './dovecot.ts';
import { startRspamd } from './milters.ts';
import { startPostfix } from './postfix.ts';
import { fileInto, readFolder } from './read-folder.ts';
import type { Resolver } from './resolver.ts';

/**
 * A real Dovecot and a real Postfix (Debian; see `install`) in a temporary folder on free loopback ports.
 * Needs root. Plus-tags reach their user, `aliases` too.
 */
export async function startMailServers(options: {
  /** Local part → password. */
  users: Readonly<Record<string, string>>;
  domain: string;
  aliases?: Readonly<Record<string, string>>;
  /** A header line stamped on all inbound mail, such as `Authentication-Results: mx.lab.test; dmarc=pass …`. */
  stamp?: string;
  /** Mail of its own users, too, as large providers do. */
  stampsSubmissions?: boolean;
  /** Its Received lines say who logged in. */
  namesLogins?: boolean;
  /** Rspamd looks at all mail and writes what it found. */
  rspamd?: { readonly resolver: Resolver };
  /** One that names more than this machine. */
  certificate?: Certificate;
  /** What the server that holds the mailboxes calls itself. */
  host?: string;
  /** Mail for other domains is relayed to this loopback port. */
  relayPort?: number;
  /** Where Dovecot asks whether an access token is good; both servers then take them. */
  introspection?: string;
  /** What the processes of both have in their environment beside the usual, such as another clock. */
  environment?: Readonly<Record<string, string>>;
}) {
  const folder = await mkdtemp(join(tmpdir(), 'epistle-lab-'));
  await chmod(folder, 0o755);
  const certificate = options.certificate ?? (await makeCertificate(folder));
  const { users, domain, introspection = null, environment = {} } = options;
  const authservId = `mx.${domain}`;
  const rspamd = options.rspamd ? await startRspamd({ folder, authservId, ...options.rspamd }) : null;
  const named = options.host === undefined ? {} : { host: options.host };
  const dovecot = await startDovecot({ folder, certificate, users, domain, introspection, environment, ...named });
  const starting = startPostfix({
    folder,
    certificate,
    users: options.users,
    domain: options.domain,
    aliases: options.aliases ?? {},
    dovecot: dovecot.ports,
    stamp: options.stamp ?? null,
    stampsSubmissions: options.stampsSubmissions ?? false,
    namesLogins: options.namesLogins ?? false,
    relayPort: options.relayPort ?? null,
    milters: rspamd ? [rspamd.port] : [],
    environment,
  });
  const postfix = await starting.catch(async (error) => {
    await dovecot.stop();
    await rspamd?.stop();
    throw error;
  });
  const host = '127.0.0.1';
  const placeOf = (user: string, folderName: string) => ({
    host,
    port: dovecot.ports.imap,
    user: `${user}@${options.domain}`,
    folder: folderName,
  });
  // Everybody of the domain writes from here.
  const dns = await startDnsServer({ [domain]: 'v=spf1 ip4:127.0.0.1 -all' });
  const inbound = createSmtpTransport({
    smtp: {
      host,
      port: postfix.ports.smtp,
      tls: 'none',
      user: 'nobody',
      auth: 'none',
      secret_env: 'NONE',
      tls_ca_file: null,
      allow_plaintext: false,
    },
    login: withoutSecret,
    helo: 'sender.test',
    log: silentLog,
  });
  return {
    dns: dns.address,
    folder,
    imap: { host, port: dovecot.ports.imap, tlsPort: dovecot.ports.imaps },
    smtp: { host, port: postfix.ports.smtp, submissionPort: postfix.ports.submission },
    certificate,
    /** Where Dovecot takes mail from other servers of the house, and asks who may log in. */
    store: { lmtp: dovecot.ports.lmtp, auth: dovecot.ports.auth },
    /** PEM file to verify both servers' certificate with. */
    ca: certificate.certFile,
    kick: dovecot.kick,
    stopDovecot: dovecot.stop,
    startDovecot: dovecot.start,
    stopPostfix: postfix.stop,
    startPostfix: postfix.start,
    changeUidValidity: dovecot.changeUidValidity,
    putArchive: dovecot.putArchive,
    expunge: dovecot.expunge,
    /** A user has INBOX, Sent and Done; Drafts is the folder for drafts once it is made. */
    makeFolder: dovecot.makeFolder,
    /** What Dovecot holds, in UID order. */
    mailbox: dovecot.mailbox,
    /** The same with every byte, as a mail program fetches it. */
    read: (user: string, folderName = 'INBOX') => readFolder(placeOf(user, folderName), options.users[user] ?? ''),
    /** Puts a mail into a folder, as providers file what was sent through them. */
    file: (user: string, folderName: string, raw: Uint8Array) =>
      fileInto(placeOf(user, folderName), options.users[user] ?? '', raw),
    /** Hands a mail to the inbound port; resolves at its 250. */
    async deliver(raw: string | Uint8Array, envelope: { from: string; to: string }): Promise<void> {
      const outcome = await inbound.send({ raw: Buffer.from(raw), from: envelope.from, to: [envelope.to] });
      if (outcome.kind !== 'delivered') throw new Error(`not delivered: ${outcome.smtp}`);
    },
    /** Hands it in as one of its users does from home, with a login; resolves at its 250. */
    async submit(raw: string | Uint8Array, { from, to }: { from: string; to: string }): Promise<void> {
      const transport = createTransport({
        host,
        port: postfix.ports.submission,
        requireTLS: true,
        tls: { rejectUnauthorized: false },
        auth: { user: from, pass: users[from.slice(0, from.indexOf('@'))] ?? '' },
      });
      await transport.sendMail({ envelope: { from, to }, raw: Buffer.from(raw) });
      transport.close();
    },
    flush: postfix.flush,
    logs: async () => `${await dovecot.log()}\n${await postfix.log()}`,
    async stop(): Promise<void> {
      await inbound.close();
      dns.stop();
      await Promise.all([postfix.stop(), dovecot.stop()]);
      await rspamd?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type MailServers = Awaited<ReturnType<typeof startMailServers>>;
