import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts, untilOpen } from './ports.ts';
import { run } from './processes.ts';
import type { Resolver } from './resolver.ts';

/** Unpacked by `install`, since Debian lets only one of Postfix and Exim be there. */
const EXIM = '/usr/local/lib/lab-exim/usr/sbin/exim4';

/** A private Exim as a border: it checks SPF and DKIM and writes both on top, as its manual shows. Needs root. */
export async function startExim(options: {
  readonly folder: string;
  readonly resolver: Resolver;
  readonly host: string;
  readonly domain: string;
  readonly lmtpPort: number;
  readonly relay: { readonly domain: string; readonly port: number; readonly from: string };
}) {
  const [port = 0] = await freePorts(1);
  const root = join(options.folder, 'exim');
  await mkdir(join(root, 'spool'), { recursive: true });
  await mkdir(join(root, 'log'), { recursive: true });
  await run('chown', ['-R', 'Debian-exim:Debian-exim', root]);
  const config = join(root, 'exim.conf');
  await writeFile(config, configuration(root, port, options));
  const process = options.resolver.start(EXIM, ['-C', config, '-bdf', '-q5s']);
  await untilOpen(port, process.said);
  return {
    port,
    stop: process.stop,
    /** How many mails it still has. */
    waiting: async () => Number(await run(EXIM, ['-C', config, '-bpc'])),
  };
}

function configuration(
  root: string,
  port: number,
  { host, domain, lmtpPort, relay }: Parameters<typeof startExim>[0],
): string {
  return `
exim_path = ${EXIM}
primary_hostname = ${host}
spool_directory = ${root}/spool
log_file_path = ${root}/log/%slog
pid_file_path = ${root}/exim.pid
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
tls_advertise_hosts =
# A line before the greeting tells whence a mail comes, as by a load balancer.
hosts_proxy = 127.0.0.1
smtp_accept_max = 100
remote_max_parallel = 2
queue_run_max = 2
ignore_bounce_errors_after = 0s
smtp_accept_queue_per_connection = 0
smtp_accept_reserve = 0
rfc1413_query_timeout = 0s
helo_accept_junk_hosts = *
helo_allow_chars = _()[];=".@,<>:/\\\\
accept_8bitmime = true
smtputf8_advertise_hosts =
acl_smtp_rcpt = acl_rcpt
acl_smtp_data = acl_data
begin acl
acl_rcpt:
  accept domains = ${domain} : ${relay.domain}
  deny
acl_data:
  warn spf = pass : fail : softfail : none : neutral : permerror : temperror
  warn add_header = :at_start:\${authresults {$primary_hostname}}
  accept
begin routers
store:
  driver = manualroute
  domains = ${domain}
  transport = lmtp
  route_list = * 127.0.0.1
  self = send
listener:
  driver = manualroute
  domains = ${relay.domain}
  transport = relay
  route_list = * 127.0.0.1
  self = send
nowhere:
  driver = redirect
  data = :blackhole:
begin transports
lmtp:
  driver = smtp
  protocol = lmtp
  port = ${lmtpPort}
  hosts_try_prdr =
  message_linelength_limit = 1000000
relay:
  driver = smtp
  port = ${relay.port}
  interface = ${relay.from}
  hosts_try_prdr =
  message_linelength_limit = 1000000
begin retry
* * F,1h,2s
`;
}
