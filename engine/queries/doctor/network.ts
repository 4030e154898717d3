import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mailboxesOfDrafts } from '../../config/mailboxes/drafts-mailbox.ts';
import { type Probed, probe } from '../gateway/probe.ts';
import type { ReadyFile } from '../gateway/running.ts';
import type { QueryPorts } from '../ports.ts';
import { bad, type Check, fine, WARNING } from './check.ts';
import { modelServerChecks } from './model-servers.ts';

/** Short: a doctor that hangs helps nobody. */
const MAILBOX_MS = 8000;
const DNS_MS = 2000;

export async function networkChecks(ports: QueryPorts, running: ReadyFile | null): Promise<Check[]> {
  const looks = [portCheck(ports, running), dnsCheck(ports), mailboxChecks(ports), modelServerChecks(ports)] as const;
  const [port, dns, mailboxes, models] = await Promise.all(looks);
  return [port, dns, ...mailboxes, ...models];
}

async function portCheck({ live }: QueryPorts, running: ReadyFile | null): Promise<Check> {
  const { enabled, host, port } = live.current().gateway.smtp_listener;
  if (!enabled) return fine('listener_port', 'the SMTP listener is switched off');
  if (running?.smtp)
    return fine('listener_port', `our gateway listens on ${running.smtp.host} port ${running.smtp.port}`);
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return fine('listener_port', port === 0 ? 'any free port is taken' : `port ${port} of ${host} is free`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return bad(
      'listener_port',
      message,
      'set another smtp_listener.port in configs/gateway.json, or stop what uses it',
    );
  } finally {
    server.close();
  }
}

/** Who wrote a mail is proven with DNS, unless a border server has done so; a workspace for one machine needs none. */
async function dnsCheck({ live }: QueryPorts): Promise<Check> {
  const { gateway, security } = live.current();
  const servers = security.gateway_auth.dns_servers;
  const { host, enabled } = gateway.smtp_listener;
  const isOpen = enabled && host !== 'localhost' && host !== '::1' && !host.startsWith('127.');
  const proves = gateway.mailboxes.some(({ imap }) => imap && imap.authserv_id === null);
  if (servers.length === 0 && !isOpen && !proves)
    return fine('dns', 'not needed: no mail of strangers has to be proven here');
  const resolver = new Resolver({ timeout: DNS_MS, tries: 1 });
  const which = servers.length > 0 ? servers.join(', ') : "the system's name servers";
  try {
    if (servers.length > 0) resolver.setServers([...servers]);
    await resolver.resolveTxt('_dmarc.example.com');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN';
    // An answer of "no" is an answer.
    if (code !== 'ENOTFOUND' && code !== 'ENODATA') {
      const cure = 'check the network, or set gateway_auth.dns_servers in configs/security.json; until then mail waits';
      return bad('dns', `${which} did not answer (${code})`, cure);
    }
  }
  return fine('dns', `${which} answered`);
}

async function mailboxChecks({ live, logins }: QueryPorts): Promise<Check[]> {
  const { gateway } = live.current();
  const ready = [...live.personas().all()].flatMap((one) => (one.state === 'ready' ? [one.persona] : []));
  const ofDrafts = mailboxesOfDrafts(gateway.mailboxes, ready);
  const probed = await Promise.all(
    gateway.mailboxes.map((one) =>
      probe(one, {
        loginOf: (side) => logins.of(one, side),
        helo: gateway.domain,
        ms: MAILBOX_MS,
        keepsDrafts: ofDrafts.has(one.id),
      }),
    ),
  );
  return probed.flatMap(({ id, imap, smtp }) => [
    ...mailboxCheck(`mailbox:${id}:imap`, imap),
    ...mailboxCheck(`mailbox:${id}:smtp`, smtp),
  ]);
}

function mailboxCheck(name: string, one: Probed | null): Check[] {
  if (one === null) return [];
  if (!one.ok) return [bad(name, one.message, one.cure ?? 'check configs/gateway.json')];
  const [first] = one.warnings.filter(({ code }) => code !== 'no_idle');
  if (!first) return [fine(name, one.message)];
  return [{ ...fine(name, `${WARNING}${first.cause}; ${one.message}`), cure: first.cure }];
}
