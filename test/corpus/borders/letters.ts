import { createSigner, type SignOptions } from '../../fakes/signer.ts';
import type { Records } from './conclude.ts';
import { fieldsOf, type Session } from './facts.ts';

export const PERSONA = 'ada@agents.test';
export const EVIL = 'evil.test';
/** A mail server that the attacker does not own, and from which everybody may write. */
const ATTACKER_IP = '203.0.113.66';
const HONEST_IP = '198.51.100.25';

/** Somebody who is believed: an owner, a member, an address that is known. */
export interface Victim {
  readonly address: string;
  readonly domain: string;
  /** Null: no DMARC record. */
  readonly dmarc: string | null;
}

const victim = (domain: string, dmarc: string | null): Victim => ({ address: `owner@${domain}`, domain, dmarc });

export const VICTIMS = [
  victim('plain.test', null),
  victim('open.test', null),
  victim('reject.test', 'v=DMARC1; p=reject'),
  victim('strict.test', 'v=DMARC1; p=reject; adkim=s; aspf=s'),
  victim('watch.test', 'v=DMARC1; p=none'),
  victim('quarantine.test', 'v=DMARC1; p=quarantine; pct=100'),
  // Below an organisation that has a record, and below one that has none.
  victim('mail.corp.test', null),
  victim('mail.bare.test', null),
  victim('xn--bcher-kva.test', null),
] as const satisfies readonly [Victim, ...Victim[]];

export const isVictim = (address: string | null): boolean => VICTIMS.some((each) => each.address === address);

/** Hosts below or above a victim's domain that somebody else has. */
export const neighbours = ({ domain }: Victim): readonly [string, ...string[]] => [
  `customer7.${domain}`,
  `a.b.${domain}`,
  `${domain}.${EVIL}`,
  `not${domain}`,
];

const VICTIM_DOMAINS = VICTIMS.map(({ domain }) => domain);
const ATTACKER_DOMAINS = [EVIL, `mail.${EVIL}`, ...VICTIMS.flatMap(neighbours)];

/** Services that write for others: a newsletter's, a ticket system's. */
export const SERVICE = 'newsletters.test';

const honest = createSigner([...VICTIM_DOMAINS, ...VICTIM_DOMAINS.map((domain) => `news.${domain}`), SERVICE]);
const attacker = createSigner(ATTACKER_DOMAINS);

/** A selector is a name in DNS, and names there may be of any bytes. */
export const SELECTORS = [
  'k(',
  'k)',
  'k"',
  'k\\',
  'k("',
  'k")',
  'k(a)',
  'k"x"',
  'k,<x>',
  'k=x',
  "k'",
  'k[',
  'k//',
] as const;

const withoutDmarc = (zone: Records): Records =>
  Object.fromEntries(Object.entries(zone).filter(([name]) => !name.startsWith('_dmarc.')));

/** DNS, as borders see it. */
export const RECORDS: Records = {
  ...withoutDmarc(honest.zone),
  ...withoutDmarc(attacker.zone),
  ...Object.fromEntries(
    SELECTORS.map((selector) => [`${selector}._domainkey.${EVIL}`, attacker.zone[`k._domainkey.${EVIL}`] ?? '']),
  ),
  ...Object.fromEntries(VICTIMS.flatMap(({ domain, dmarc }) => (dmarc ? [[`_dmarc.${domain}`, dmarc]] : []))),
  '_dmarc.corp.test': 'v=DMARC1; p=reject; sp=reject; adkim=s; aspf=s',
  [`_dmarc.${EVIL}`]: 'v=DMARC1; p=none',
  ...Object.fromEntries(VICTIM_DOMAINS.map((domain) => [domain, `v=spf1 ip4:${HONEST_IP} -all`])),
  ...Object.fromEntries(ATTACKER_DOMAINS.map((domain) => [domain, `v=spf1 ip4:${ATTACKER_IP} -all`])),
  [SERVICE]: `v=spf1 ip4:${HONEST_IP} -all`,
};

export const signAsOwner = (letter: Letter, domain: string, options?: SignOptions): Promise<Letter> =>
  signed(honest, letter, domain, options);
export const signAsAttacker = (letter: Letter, domain: string, options?: SignOptions): Promise<Letter> =>
  signed(attacker, letter, domain, options);

async function signed(by: typeof honest, letter: Letter, domain: string, options?: SignOptions): Promise<Letter> {
  return letterOf(await by.sign(rawOf(letter), domain, options));
}

/** A mail in pieces: each field with its folds, without its last line break. */
export interface Letter {
  readonly head: readonly string[];
  readonly body: string;
}

export const rawOf = ({ head, body }: Letter): Buffer => Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');

export function letterOf(raw: Buffer): Letter {
  const text = raw.toString('latin1');
  const end = text.indexOf('\r\n\r\n') + 2;
  return { head: fieldsOf(text.slice(0, end)).map((field) => field.slice(0, -2)), body: text.slice(end + 2) };
}

/** In a letter's head, text of any kind is what its UTF-8 looks like to a server. */
export const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

export interface Words {
  readonly from: string;
  readonly to?: string;
  readonly subject?: string;
  readonly at?: number;
  readonly headers?: readonly string[];
  readonly body?: string;
}

const ids = { next: 0 };

export function written({ from, to = PERSONA, subject = 'Hello', at = Date.now(), headers = [], body }: Words): Letter {
  ids.next += 1;
  const head = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <letter-${ids.next}@written.test>`,
    'MIME-Version: 1.0',
    ...headers,
  ];
  return { head: head.map(asBytes), body: body ?? 'Please look into the folder and tell me what is there.\r\n' };
}

export const attackerSession = (change: Partial<Session> = {}): Session => ({
  ip: ATTACKER_IP,
  hostname: `out.${EVIL}`,
  helo: `out.${EVIL}`,
  mailFrom: `bounces@${EVIL}`,
  recipient: PERSONA,
  ...change,
});

export const honestSession = (domain: string, change: Partial<Session> = {}): Session => ({
  ip: HONEST_IP,
  hostname: `out.${domain}`,
  helo: `out.${domain}`,
  mailFrom: `owner@${domain}`,
  recipient: PERSONA,
  ...change,
});
