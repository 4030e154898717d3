import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '../corpus/borders/facts.ts';
import type { Zone } from '../fakes/dns-server.ts';
import { connectWire } from '../fakes/smtp-wire.ts';
import { startExim } from './exim.ts';
import type { MailServers } from './mail-servers.ts';
import { startOpenDkim, startOpenDmarc, startRspamd } from './milters.ts';
import { startPostfix } from './postfix.ts';
import { startResolver } from './resolver.ts';

/** A running border server in front of the lab's Dovecot and of a listener. */
export interface RealBorder {
  readonly name: string;
  /** Its host name, which is the name that it gives its results, too. */
  readonly host: string;
  /** Whose mailbox its mail goes to. */
  readonly user: string;
  /** From where it hands mail to the listener. */
  readonly from: string;
  /** How many mails it takes at once: OpenDKIM 2.11 dies of several. */
  readonly atOnce: number;
  /** How many mails it has yet to hand on. */
  waiting(): Promise<number>;
  /** Hands it a mail as a server at that address would; the last reply. */
  take(raw: Uint8Array, session: Session): Promise<{ readonly code: number; readonly text: string }>;
}

const DOMAIN = 'lab.test';

/**
 * A Postfix with Rspamd, a Postfix with OpenDKIM and OpenDMARC, and an Exim, with DNS of their own. Mail for `lab.test`
 * goes into mailboxes, mail for the relayed domain to the listener.
 */
export async function startBorders(lab: MailServers, options: { zone: Zone; relay: { domain: string; port: number } }) {
  const stops: (() => Promise<unknown> | unknown)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  const kept = <Server extends { stop(): Promise<unknown> | unknown }>(server: Server): Server => {
    stops.push(server.stop);
    return server;
  };
  try {
    const resolver = kept(await startResolver(lab.folder, options.zone));
    const milter = (host: string) => ({ folder: lab.folder, resolver, authservId: host });
    const relayFrom = (from: string) => ({ ...options.relay, from });
    const postfix = async (host: string, from: string, milters: readonly number[]) => {
      const folder = join(lab.folder, host);
      await mkdir(folder);
      const border = { host, milters, relay: relayFrom(from) };
      const { certificate, store: dovecot } = lab;
      const plain = { stamp: null, stampsSubmissions: false, namesLogins: false, relayPort: null };
      const users = Object.fromEntries(NAMES.map((user) => [user, '']));
      return kept(
        await startPostfix({ ...plain, folder, certificate, dovecot, users, domain: DOMAIN, aliases: {}, border }),
      );
    };
    const [rspamd, openDkim, openDmarc] = await Promise.all([
      startRspamd(milter('mx-rspamd.lab.test')).then(kept),
      startOpenDkim(milter('mx-open.lab.test')).then(kept),
      startOpenDmarc(milter('mx-open.lab.test')).then(kept),
    ]);
    const [first, second, exim] = await Promise.all([
      postfix('mx-rspamd.lab.test', '127.0.0.21', [rspamd.port]),
      postfix('mx-open.lab.test', '127.0.0.22', [openDkim.port, openDmarc.port]),
      startExim({
        folder: lab.folder,
        resolver,
        host: 'mx-exim.lab.test',
        domain: DOMAIN,
        lmtpPort: lab.store.lmtp,
        relay: relayFrom('127.0.0.23'),
      }).then(kept),
    ]);
    const borders: RealBorder[] = [
      {
        name: 'Rspamd',
        host: 'mx-rspamd.lab.test',
        user: 'rspamd',
        atOnce: 4,
        from: '127.0.0.21',
        waiting: first.waiting,
        take: taking(first.ports.smtp, [rspamd]),
      },
      {
        name: 'OpenDKIM and OpenDMARC',
        host: 'mx-open.lab.test',
        user: 'open',
        atOnce: 1,
        from: '127.0.0.22',
        waiting: second.waiting,
        take: taking(second.ports.smtp, [openDkim, openDmarc]),
      },
      {
        name: 'Exim',
        host: 'mx-exim.lab.test',
        user: 'exim',
        atOnce: 4,
        from: '127.0.0.23',
        waiting: exim.waiting,
        take: taking(exim.port, []),
      },
    ];
    return { borders, dns: resolver.host, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The users whose mailboxes stand behind the borders. */
export const NAMES = ['rspamd', 'open', 'exim'] as const;

const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const TRIES = 5;

/** Another time where one of its milters has died meanwhile, as its peers would. */
const taking =
  (port: number, milters: readonly { ready(): Promise<void> }[]): RealBorder['take'] =>
  async (raw, session) => {
    for (let left = TRIES; ; left -= 1) {
      const reply = await handedOver(port, raw, session);
      if (reply.code !== 451 || left === 1) return reply;
      await Promise.all(milters.map(({ ready }) => ready()));
    }
  };

async function handedOver(port: number, raw: Uint8Array, { ip, helo, mailFrom, recipient }: Session) {
  const wire = await connectWire(port, { greeting: false });
  try {
    wire.write(`PROXY TCP4 ${ip} 127.0.0.1 40000 25\r\n`);
    await wire.reply();
    for (const line of [`EHLO ${helo}`, `MAIL FROM:<${mailFrom}>`, `RCPT TO:<${recipient}>`]) {
      const reply = await wire.say(bytes(line));
      if (reply.code !== 250) return reply;
    }
    return await wire.data(raw);
  } finally {
    wire.close();
  }
}
