import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { freePorts, untilGreeted } from './ports.ts';
import { run, startProcess } from './processes.ts';

export interface StoredMail {
  readonly uid: number;
  readonly flags: readonly string[];
  readonly messageId: string;
  /** Empty where the mail has none. */
  readonly inReplyTo: string;
}

/** What it calls itself in the Received line of mail that it is handed. */
export const DOVECOT_HOST = 'imap.lab.test';

/** A private Dovecot: IMAP (plain with STARTTLS, and implicit TLS), LMTP, and SASL for Postfix. */
export async function startDovecot(options: {
  folder: string;
  users: Readonly<Record<string, string>>;
  domain: string;
  certificate: Certificate;
  /** Where it is asked whether an access token is good (RFC 7662); null: it takes passwords alone. */
  introspection?: string | null;
  /** What it calls itself; not set: as every test knows it. */
  host?: string;
  /** What its processes have in their environment beside the usual, such as another clock. */
  environment?: Readonly<Record<string, string>>;
}) {
  const { folder, users, domain, certificate, host = DOVECOT_HOST, environment = {} } = options;
  const [imap = 0, imaps = 0, lmtp = 0, auth = 0] = await freePorts(4);
  const root = join(folder, 'dovecot');
  await mkdir(join(root, 'mail'), { recursive: true });
  // Dovecot's own users have to get through to the mail; the folder is ours alone by its random name.
  await chmod(join(root, 'mail'), 0o777);
  const lines = Object.entries(users).map(([name, password]) => `${name}@${domain}:{PLAIN}${password}`);
  await writeFile(join(root, 'users'), `${lines.join('\n')}\n`);
  const config = join(root, 'dovecot.conf');
  const { introspection = null } = options;
  if (introspection !== null) await writeFile(join(root, 'oauth2.conf.ext'), introspecting(introspection));
  const isOAuth = introspection !== null;
  const ports = { imap, imaps, lmtp, auth };
  await writeFile(
    config,
    configuration({ root, certificate, host, isOAuth, ports, imports: Object.keys(environment) }),
  );

  const running = { process: startProcess('dovecot', ['-F', '-c', config], environment) };
  const start = async () => {
    running.process = startProcess('dovecot', ['-F', '-c', config], environment);
    await untilGreeted(imap);
  };
  await untilGreeted(imap);
  const address = (user: string) => `${user}@${domain}`;

  return {
    ports: { imap, imaps, lmtp, auth },
    log: () => readFile(join(root, 'dovecot.log'), 'utf8'),
    start,
    stop: (signal?: NodeJS.Signals) => running.process.stop(signal),
    /** Cuts the user's connections, as an administrator or a provider's daily limit would. */
    kick: (user: string) => run('doveadm', ['-c', config, 'kick', address(user)]),
    async mailbox(user: string, folderName = 'INBOX'): Promise<StoredMail[]> {
      const fields = 'uid flags hdr.message-id hdr.in-reply-to';
      const text = await run('doveadm', [
        '-c',
        config,
        '-f',
        'tab',
        'fetch',
        '-u',
        address(user),
        fields,
        'mailbox',
        folderName,
      ]);
      return text.split('\n').slice(1).filter(Boolean).map(storedMail);
    },
    expunge: (user: string, uid: number, folderName = 'INBOX') =>
      run('doveadm', ['-c', config, 'expunge', '-u', address(user), 'mailbox', folderName, 'uid', String(uid)]),
    makeFolder: (user: string, name: string) =>
      run('doveadm', ['-c', config, 'mailbox', 'create', '-u', address(user), name]),
    /** Mail that lies there already, as an import leaves it: read, and dated by the server as come now. */
    async putArchive(user: string, mails: readonly string[]): Promise<void> {
      const current = join(root, 'mail', user, 'Maildir', 'cur');
      const names = mails.map((_, at) => `${Math.floor(Date.now() / 1000)}.M${at}P${process.pid}.imported:2,S`);
      for (const [at, name] of names.entries()) {
        await writeFile(join(current, name), mails[at] ?? '');
        await chmod(join(current, name), 0o666);
      }
    },
    /** As after a restore from backup, or a move: the same mail under another UIDVALIDITY, dated as come now. */
    async changeUidValidity(user: string): Promise<void> {
      await running.process.stop();
      const maildir = join(root, 'mail', user, 'Maildir');
      const now = new Date();
      for (const name of await readdir(join(maildir, 'cur'))) await utimes(join(maildir, 'cur', name), now, now);
      for (const name of await readdir(maildir)) {
        if (name.startsWith('dovecot.index')) await rm(join(maildir, name));
      }
      const list = join(maildir, 'dovecot-uidlist');
      const text = await readFile(list, 'utf8');
      await writeFile(
        list,
        text.replace(/^3 V(\d+)/, (_all, validity) => `3 V${Number(validity) + 7}`),
      );
      await start();
    },
  };
}

function storedMail(line: string): StoredMail {
  const [uid = '', flags = '', messageId = '', inReplyTo = ''] = line.split('\t');
  return {
    uid: Number(uid),
    flags: flags.split(' ').filter((flag) => flag !== '' && flag !== '\\Recent'),
    messageId,
    inReplyTo,
  };
}

const byToken = (root: string) => `passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${root}/oauth2.conf.ext
}`;

const introspecting = (url: string) => `introspection_mode = post
introspection_url = ${url}
username_attribute = username
active_attribute = active
active_value = true
`;

function configuration(options: {
  root: string;
  certificate: Certificate;
  host: string;
  isOAuth: boolean;
  imports: readonly string[];
  ports: { imap: number; imaps: number; lmtp: number; auth: number };
}): string {
  const { root, certificate, host, isOAuth, ports, imports } = options;
  return `
protocols = imap lmtp
hostname = ${host}
listen = 127.0.0.1
import_environment = ${['TZ', 'CORE_OUTOFMEM', 'CORE_ERROR', ...imports].join(' ')}
base_dir = ${root}/run
state_dir = ${root}/state
log_path = ${root}/dovecot.log
ssl = yes
ssl_cert = <${certificate.certFile}
ssl_key = <${certificate.keyFile}
disable_plaintext_auth = no
auth_mechanisms = plain login${isOAuth ? ' xoauth2 oauthbearer' : ''}
auth_failure_delay = 0
mail_location = maildir:~/Maildir
mail_uid = mail
mail_gid = mail
first_valid_uid = 1
recipient_delimiter = +
mail_max_userip_connections = 100
${isOAuth ? byToken(root) : ''}
passdb {
  driver = passwd-file
  args = ${root}/users
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${root}/mail/%n
}
service imap-login {
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${ports.imaps}
    ssl = yes
  }
}
service lmtp {
  inet_listener lmtp {
    port = ${ports.lmtp}
  }
}
# Refused logins would be answered later and later, for every test from this address.
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service auth {
  inet_listener {
    port = ${ports.auth}
  }
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    auto = create
    special_use = \\Sent
  }
  mailbox Drafts {
    auto = no
    special_use = \\Drafts
  }
  mailbox Done {
    auto = create
  }
}
`;
}
