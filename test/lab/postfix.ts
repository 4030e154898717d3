import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { freePorts, untilGreeted, untilOpen } from './ports.ts';
import { run, startProcess } from './processes.ts';

interface PostfixOptions {
  folder: string;
  users: Readonly<Record<string, string>>;
  domain: string;
  /** `alias@domain` → user. */
  aliases: Readonly<Record<string, string>>;
  certificate: Certificate;
  dovecot: { lmtp: number; auth: number };
  /** A header that the inbound port puts on top of every mail, such as an Authentication-Results line. */
  stamp: string | null;
  /** The submission port puts it on top too. */
  stampsSubmissions: boolean;
  /** Its Received line says who logged in. */
  namesLogins: boolean;
  /** Where mail for other domains goes; null: it is refused. */
  relayPort: number | null;
  /** Loopback ports of milters that both of its ports ask about each mail. */
  milters?: readonly number[];
  /** What its processes have in their environment beside the usual, such as another clock. */
  environment?: Readonly<Record<string, string>>;
  /** What its inbound port asks about each mail, and what these servers put into it. */
  border?: {
    /** What it calls itself. */
    readonly host: string;
    /** Loopback ports of milters, in this order. */
    readonly milters: readonly number[];
    /** Mail for this domain goes to a listener on this port, from this loopback address. */
    readonly relay: { readonly domain: string; readonly port: number; readonly from: string };
  };
}

/** A private Postfix: an open-to-all inbound port for its domain, and a submission port with login. */
export async function startPostfix(options: PostfixOptions) {
  const [smtp = 0, submission = 0] = await freePorts(2);
  const root = join(options.folder, 'postfix');
  const config = join(root, 'etc');
  for (const name of ['etc', 'queue', 'data']) await mkdir(join(root, name), { recursive: true });
  await run('chown', ['postfix', join(root, 'data')]);
  const table = (lines: Iterable<string>) => `${[...lines].join('\n')}\n`;
  const { users, domain, aliases } = options;
  await writeFile(join(config, 'mailboxes'), table(Object.keys(users).map((user) => `${user}@${domain} ${user}`)));
  await writeFile(
    join(config, 'aliases'),
    table(Object.entries(aliases).map(([alias, user]) => `${alias}@${domain} ${user}@${domain}`)),
  );
  await writeFile(join(config, 'stamp'), options.stamp === null ? '' : `0.0.0.0/0 PREPEND ${options.stamp}\n`);
  await writeFile(join(config, 'main.cf'), mainCf(root, options));
  await writeFile(join(config, 'relayed'), relayed(options));
  await writeFile(join(config, 'master.cf'), masterCf(smtp, submission, options));
  const begin = async () => {
    const process = startProcess('postfix', ['-c', config, 'start-fg'], options.environment);
    // A border greets once it has heard whence a mail comes.
    await Promise.all([options.border ? untilOpen(smtp) : untilGreeted(smtp), untilGreeted(submission)]);
    return process;
  };
  const running = { process: await begin() };
  return {
    ports: { smtp, submission },
    /** Starts it again after `stop`, on the same ports and with what waits in its queue. */
    async start() {
      running.process = await begin();
    },
    /** How many mails it still has. */
    async waiting() {
      const text = await run('postqueue', ['-c', config, '-j']);
      return text.split('\n').filter(Boolean).length;
    },
    /** Tries deferred mail now. */
    flush: () => run('postqueue', ['-c', config, '-f']),
    log: () => readFile(join(root, 'postfix.log'), 'utf8'),
    async stop() {
      // `start-fg` is a script around the master process: it ends when the master does, and not the other way round.
      await run('postfix', ['-c', config, 'stop']);
      await running.process.exited();
    },
  };
}

/** As Postfix has it. */
const USUAL_ENVIRONMENT = [
  ...['MAIL_CONFIG', 'MAIL_DEBUG', 'MAIL_LOGTAG', 'TZ', 'XAUTHORITY', 'DISPLAY', 'LANG=C'],
  ...['POSTLOG_SERVICE', 'POSTLOG_HOSTNAME'],
];

const relayed = ({ border }: PostfixOptions): string =>
  border ? `${border.relay.domain} listener:[127.0.0.1]:${border.relay.port}\n` : '';

function mainCf(root: string, options: PostfixOptions): string {
  const { domain, certificate, dovecot, namesLogins, relayPort, border, milters = [], environment = {} } = options;
  const settings = {
    compatibility_level: '3.6',
    queue_directory: `${root}/queue`,
    data_directory: `${root}/data`,
    command_directory: '/usr/sbin',
    daemon_directory: '/usr/lib/postfix/sbin',
    mail_owner: 'postfix',
    setgid_group: 'postdrop',
    maillog_file: `${root}/postfix.log`,
    maillog_file_prefixes: root,
    myhostname: border?.host ?? `mx.${domain}`,
    mydestination: '',
    mynetworks: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    in_flow_delay: '0s',
    // What is not named here its processes do not hear of.
    import_environment: [...USUAL_ENVIRONMENT, ...Object.keys(environment)].join(' '),
    // A server that was stopped on purpose is tried again soon.
    queue_run_delay: '1s',
    minimal_backoff_time: '1s',
    maximal_backoff_time: '2s',
    transport_retry_time: '1s',
    message_size_limit: '62914560',
    virtual_mailbox_limit: '0',
    mailbox_size_limit: '0',
    recipient_delimiter: '+',
    virtual_mailbox_domains: domain,
    virtual_mailbox_maps: `texthash:${root}/etc/mailboxes`,
    virtual_alias_maps: `texthash:${root}/etc/aliases`,
    virtual_transport: `lmtp:inet:127.0.0.1:${dovecot.lmtp}`,
    relay_domains: border?.relay.domain ?? '',
    transport_maps: `texthash:${root}/etc/relayed`,
    // A sender as he is written, also where no address looks like that.
    strict_rfc821_envelopes: 'no',
    default_transport: relayPort === null ? 'error:5.1.2 no such domain' : `smtp:[127.0.0.1]:${relayPort}`,
    smtpd_relay_restrictions: 'permit_sasl_authenticated, reject_unauth_destination',
    smtpd_client_connection_rate_limit: '0',
    smtpd_client_connection_count_limit: '0',
    smtpd_milters: milters.map((port) => `inet:127.0.0.1:${port}`).join(','),
    smtpd_sasl_authenticated_header: namesLogins ? 'yes' : 'no',
    smtpd_sasl_type: 'dovecot',
    smtpd_sasl_path: `inet:127.0.0.1:${dovecot.auth}`,
    smtpd_tls_cert_file: certificate.certFile,
    smtpd_tls_key_file: certificate.keyFile,
    smtpd_tls_security_level: 'may',
  };
  return `${Object.entries(settings)
    .map(([key, value]) => `${key} = ${value}`)
    .join('\n')}\n`;
}

/** A border's port is told in a line before each greeting whence a mail comes, as by a load balancer. */
const asBorder = ({ border }: PostfixOptions): string =>
  border
    ? `
  -o smtpd_upstream_proxy_protocol=haproxy
  -o smtpd_peername_lookup=no
  -o smtpd_milters=${border.milters.map((port) => `inet:127.0.0.1:${port}`).join(',')}
  -o milter_default_action=tempfail`
    : '';

/** The daemons of a stock master.cf, without chroot, on our two ports. */
function masterCf(smtp: number, submission: number, options: PostfixOptions): string {
  const stamp = 'check_client_access,cidr:$config_directory/stamp';
  const { stampsSubmissions, border } = options;
  return `
127.0.0.1:${smtp} inet n - n - - smtpd
  -o smtpd_authorized_xclient_hosts=127.0.0.1
  -o smtpd_client_restrictions=${stamp}${asBorder(options)}
listener unix - - n - - smtp
  -o smtp_bind_address=${border?.relay.from ?? '127.0.0.1'}
127.0.0.1:${submission} inet n - n - - smtpd
  -o smtpd_sasl_auth_enable=yes
  -o smtpd_client_restrictions=${stampsSubmissions ? `${stamp},` : ''}permit_sasl_authenticated,reject
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;
}
