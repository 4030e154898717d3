import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { MailServers } from '../../lab/mail-servers.ts';
import { startPostfix } from '../../lab/postfix.ts';
import { BORDER, DOMAIN } from '../../lab/site.ts';

/** A domain whose mail comes by no mailbox: a border server hands it to the gateway's own listener. */
const RELAY_DOMAIN = 'relayed.test';
export const RELAY_BORDER = `mx.${RELAY_DOMAIN}`;
export const RELAYED = `agents.${RELAY_DOMAIN}`;
/** As what stands in the place of a user whose mailbox it would be. */
export const RELAY = 'the relay';

export const isRelayed = (address: string): boolean => address.endsWith(`@${RELAYED}`);

/** The border server. It knows the users of the lab, vouches for them, and tries again while nobody takes its mail. */
export async function startRelay(lab: MailServers, listenerPort: number) {
  const folder = join(lab.folder, 'relay');
  await mkdir(folder);
  const postfix = await startPostfix({
    folder,
    certificate: lab.certificate,
    dovecot: lab.store,
    users: {},
    aliases: {},
    domain: RELAY_DOMAIN,
    stampsSubmissions: true,
    namesLogins: false,
    relayPort: listenerPort,
    stamp: `Authentication-Results: ${RELAY_BORDER}; spf=pass smtp.mailfrom=${DOMAIN}; dmarc=pass header.from=${DOMAIN}`,
  });
  return {
    stop: postfix.stop,
    /** Hands it in with the login of its writer; resolves at its 250. */
    async submit(raw: string, { from, to, password }: { from: string; to: string; password: string }): Promise<void> {
      const transport = createTransport({
        host: '127.0.0.1',
        port: postfix.ports.submission,
        requireTLS: true,
        tls: { rejectUnauthorized: false },
        auth: { user: from, pass: password },
      });
      await transport.sendMail({ envelope: { from, to }, raw: Buffer.from(raw) });
      transport.close();
    },
  };
}

/** What gateway.json says of border servers: this one, and one that is named only. */
export const TRUSTED_RELAYS = [
  { ip: '10.0.0.5', authserv_id: BORDER },
  { ip: '127.0.0.1', authserv_id: RELAY_BORDER },
];
