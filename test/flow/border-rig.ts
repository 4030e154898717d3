import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startImapPeer } from '../fakes/imap-peer.ts';
import type { SignOptions } from '../fakes/signer.ts';
import { ADA, BOSS, MIA, type SeenView, startAdmission } from './admission-rig.ts';
import { eventually } from './eventually.ts';

export const BORDER = 'mx.test';
export const FAY = 'fay@friend.test';
/** Threads that an owner put FAY on; fast answers to one would be counted as a loop. */
const THREADS = Array.from({ length: 16 }, (_unused, at) => `<thread-${at}@owner.test>`);
const [RELAY, OFFICE_RELAY] = ['127.0.0.3', '127.0.0.4'];

/** Through what a mail comes behind the border: out of a mailbox, or by a relay that the listener trusts. */
export type Door = 'mailbox' | 'relay' | 'unnamed mailbox' | 'unnamed relay' | 'wrongly named mailbox';

export interface Person {
  readonly address: string;
  readonly domain: string;
  readonly tier: 'owner' | 'member' | 'known';
  /** That the next mail has because of who it is. */
  readonly headers: () => readonly string[];
}

const person = (address: string, tier: Person['tier'], headers: Person['headers'] = () => []): Person => ({
  address,
  tier,
  headers,
  domain: address.slice(address.indexOf('@') + 1),
});

const nextThread = (() => {
  let used = 0;
  return () => `References: ${THREADS[used++ % THREADS.length]}`;
})();

export const PEOPLE: readonly Person[] = [
  person(BOSS, 'owner'),
  person(MIA, 'member'),
  person(FAY, 'known', () => [nextThread()]),
];

/** The real gateway behind a border, by each door; an owner has put FAY on a thread. */
export async function startBehindBorder() {
  const peers = await Promise.all(Array.from({ length: 3 }, () => startImapPeer({ mails: [], capabilities: 'IDLE' })));
  const [named, unnamed, wrong] = peers.map((peer, at) => ({
    peer,
    mails: peer.script.mails,
    user: `box${at}@x.test`,
  }));
  if (!named || !unnamed || !wrong) throw new TypeError('three were started');
  const boxes = { mailbox: named, 'unnamed mailbox': unnamed, 'wrongly named mailbox': wrong };
  const box = (id: string, { peer, user }: typeof named, authserv_id: string) => ({
    id,
    imap: {
      host: '127.0.0.1',
      port: peer.port,
      tls: 'none',
      user,
      secret_env: 'BOX_PASSWORD',
      authserv_id,
      first_connect: 'all',
      processed: 'none',
    },
    save_sent: false,
  });
  const gate = await startAdmission(
    {
      'configs/gateway.json': {
        smtp_listener: {
          port: 0,
          trusted_relays: [
            { ip: RELAY, authserv_id: BORDER },
            { ip: OFFICE_RELAY, authserv_id: '(unnamed)' },
          ],
        },
        mailboxes: [box('main', named, BORDER), box('office', unnamed, '(unnamed)'), box('old', wrong, 'dkim=none')],
      },
    },
    { trusted_received: ['*.prod.outlook.com'] },
    { BOX_PASSWORD: 'secret' },
  );

  /** What became of it. */
  const bring = async (door: Door, id: string, raw: Buffer, mailFrom?: string): Promise<readonly SeenView[]> => {
    if (door === 'relay' || door === 'unnamed relay') {
      const peer = door === 'relay' ? RELAY : OFFICE_RELAY;
      await gate.send(raw, [ADA], { peer, ...(mailFrom === undefined ? {} : { mailFrom }) });
      return gate.seen(id);
    }
    const { mails, peer } = boxes[door];
    mails.push({ uid: mails.length + 1, raw: raw.toString('latin1'), date: internalDate() });
    return eventually(
      () => {
        peer.tellOfMail();
        return gate.seen(id);
      },
      (rows) => rows.length > 0,
      60_000,
    );
  };

  for (const id of THREADS) {
    const opened = await gate.write({ from: BOSS, id, headers: [`Cc: ${FAY}`], date: dateOf(Date.now()) });
    await gate.send(opened, [ADA], { asSubmission: true });
  }
  return {
    ...gate,
    bring,
    isMade: (name: string): boolean => existsSync(join(gate.root, 'data/personas/ada/files', name)),
    async stop() {
      await gate.stop();
      await Promise.all(peers.map(({ stop }) => stop()));
    },
  };
}

export type BehindBorder = Awaited<ReturnType<typeof startBehindBorder>>;

export const dateOf = (at: number): string => new Date(at).toUTCString().replace('GMT', '+0000');

/** As IMAP writes it: `28-Nov-2026 10:00:00 +0000`. */
function internalDate(): string {
  const [, day = '', month = '', rest = ''] = /^\w{3}, (\d\d) (\w{3}) (.*)$/.exec(dateOf(Date.now())) ?? [];
  return `${day}-${month}-${rest}`;
}

export const YEAR_MS = 365 * 24 * 3_600_000;
/** As the largest providers sign: no Content-Type. */
export const USUAL = 'from:to:subject:date:message-id:references:mime-version';

/** A mail of this person, signed by the person's own server. */
export async function signedBy(
  { sign }: Pick<BehindBorder, 'sign'>,
  { address, domain, headers }: Person,
  given: { id: string; to?: string; text?: string; at?: number; options?: SignOptions },
): Promise<Buffer> {
  const { id, to = ADA, text = 'Hello', at = Date.now(), options } = given;
  const lines = [`From: ${address}`, `To: ${to}`, 'Subject: A question', `Date: ${dateOf(at)}`, `Message-ID: ${id}`];
  const raw = Buffer.from([...lines, 'MIME-Version: 1.0', ...headers(), '', text, ''].join('\r\n'));
  return sign(raw, domain, { covers: USUAL, at, ...options });
}

/** A mail in this person's name that nobody signed. */
export const claimedBy = ({ address, headers }: Person, id: string, text: string): Buffer =>
  Buffer.from(
    [
      ...[`From: ${address}`, `To: ${ADA}`, 'Subject: A question', `Date: ${dateOf(Date.now())}`, `Message-ID: ${id}`],
      ...[...headers(), '', text, ''],
    ].join('\r\n'),
  );

export const under = (lines: readonly string[], raw: Buffer): Buffer =>
  Buffer.concat([Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1'), raw]);

/** The line of the border, which took the mail from whoever calls itself so. */
export const receivedFrom = (greeting = 'out.evil.test', ip = '192.0.2.66'): string =>
  `Received: from ${greeting} (unknown [${ip}]) by ${BORDER} (Postfix) with ESMTPS id 4F1; ${dateOf(Date.now())}`;

/** What Rspamd 3.4 writes: what a sender chose as it came, the first eight signs of `b=`, quoted where they need it. */
export const asRspamd = {
  dkim(raw: Buffer, domain: string): string {
    const [, , value = ''] = /(\sb=)([^;]*)/.exec(raw.toString('latin1')) ?? [];
    const printed = value.replaceAll('\r\n', '').slice(0, 8);
    return `dkim=pass header.d=${domain} header.s=k header.b=${/^[A-Za-z0-9]*$/.test(printed) ? printed : `"${printed}"`}`;
  },
  spfFail: (sender: string): string =>
    `spf=fail (${BORDER}: domain of ${sender} does not designate 192.0.2.66 as permitted sender) smtp.mailfrom=${sender}`,
  spfNone: (greeting: string): string =>
    `spf=none (${BORDER}: domain of ${greeting} has no SPF policy when checking 192.0.2.66) smtp.helo="${greeting}"`,
  spfPass: (sender: string): string =>
    `spf=pass (${BORDER}: domain of ${sender} designates 192.0.2.66 as permitted sender) smtp.mailfrom=${sender}`,
  dmarc: (domain: string): string => `dmarc=pass (policy=none) header.from=${domain}`,
  header: (...results: readonly string[]): string =>
    `Authentication-Results: ${BORDER};\r\n\t${results.join(';\r\n\t')}`,
};

/** One blank more in `b=`, which no signature covers. */
export const withBlank = (raw: Buffer): Buffer =>
  Buffer.from(raw.toString('latin1').replace(/(\sb=)(\S)/, '$1$2 '), 'latin1');
