import type { SignOptions } from '../../fakes/signer.ts';
import type { Border, Facts, Session } from './facts.ts';
import { honestSession, type Letter, SERVICE, signAsOwner, type Victim, type Words, written } from './letters.ts';
import { COVERS } from './originals.ts';

/** A mail as its author's own server, or one that passes it on, hands it to the border. */
export interface Honest {
  readonly letter: Letter;
  readonly session: Session;
}

const words = ({ address }: Victim, change: Partial<Words> = {}): Letter =>
  written({ from: `The Owner <${address}>`, subject: 'The quarterly figures', ...change });

const signedBy = (victim: Victim, letter: Letter, options: SignOptions = { covers: COVERS.usual }): Promise<Letter> =>
  signAsOwner(letter, victim.domain, options);

const fromHome = ({ domain, address }: Victim, change: Partial<Session> = {}): Session =>
  honestSession(domain, { mailFrom: address, ...change });

/** By somebody who passes it on under his own name, so that SPF says nothing of the author. */
const passedOn = (change: Partial<Session> = {}): Session =>
  honestSession(SERVICE, { mailFrom: `bounces@${SERVICE}`, ...change });

/** Headers of many lines. */
export const LONG = {
  to: `ada@agents.test,\r\n ${Array.from({ length: 40 }, (_none, at) => `"Person ${at}, of the office" <person-${at}@a-rather-long-name.test>`).join(',\r\n ')}`,
  subject: `=?utf-8?q?${'Die_gro=C3=9Fe_Tabelle_'.repeat(3)}?=\r\n =?utf-8?q?${'und_noch_eine_'.repeat(4)}?=`,
  headers: [
    `References: ${Array.from({ length: 30 }, (_none, at) => `<thread-${at}.${'x'.repeat(30)}@written.test>`).join('\r\n ')}`,
    'In-Reply-To: <thread-29@written.test>',
  ],
};

/** `b=` as some signers fold it, which no signature keeps from them. */
const foldedEarly = (letter: Letter, between: string): Letter => ({
  ...letter,
  head: letter.head.map((field) =>
    /^dkim-signature:/i.test(field) ? field.replace(/(;\s*b=)(\S{3})/s, `$1${between}$2${between}`) : field,
  ),
});

type Kind = (victim: Victim) => Promise<Honest>;

export const HONEST: Readonly<Record<string, Kind>> = {
  'signed, from home': async (victim) => ({ letter: await signedBy(victim, words(victim)), session: fromHome(victim) }),
  'signed over and over, from home': async (victim) => ({
    letter: await signedBy(victim, words(victim), { covers: COVERS.over }),
    session: fromHome(victim),
  }),
  'signed, passed on': async (victim) => ({ letter: await signedBy(victim, words(victim)), session: passedOn() }),
  'signed over and over, passed on': async (victim) => ({
    letter: await signedBy(victim, words(victim), { covers: COVERS.over }),
    session: passedOn(),
  }),
  'signed, passed on without a sender': async (victim) => ({
    letter: await signedBy(victim, words(victim)),
    session: passedOn({ mailFrom: '' }),
  }),
  'not signed, from home': async (victim) => ({ letter: words(victim), session: fromHome(victim) }),
  'signed by one of several users': async (victim) => ({
    letter: await signedBy(victim, words(victim), { covers: COVERS.usual, identity: victim.address }),
    session: passedOn(),
  }),
  'signed with an identity of its own': async (victim) => ({
    letter: await signedBy(victim, words(victim), { covers: COVERS.usual, identity: `@${victim.domain}` }),
    session: passedOn(),
  }),
  'signed simply': async (victim) => ({
    letter: await signedBy(victim, words(victim), { covers: COVERS.usual, canonicalization: 'simple/simple' }),
    session: passedOn(),
  }),
  'signed twice, and one does not hold': async (victim) => {
    const broken = await signAsOwner(words(victim), SERVICE);
    const other = { ...broken, body: 'What the service took out.\r\n' };
    return { letter: await signedBy(victim, other), session: passedOn() };
  },
  'signed twice by its own server, and one does not hold': async (victim) => {
    const letter = await signedBy(victim, words(victim));
    const another = letter.head[0]?.replace(/\bs=k\b/, 's=old').replace(/b=\S{8}/, 'b=abcdefgh') ?? '';
    return { letter: { ...letter, head: [...letter.head, another] }, session: passedOn() };
  },
  'signed by a service, too': async (victim) => ({
    letter: await signAsOwner(await signedBy(victim, words(victim)), SERVICE),
    session: passedOn(),
  }),
  'long headers, signed': async (victim) => ({
    letter: await signedBy(victim, words(victim, LONG), { covers: COVERS.over }),
    session: passedOn(),
  }),
  'long headers, from home': async (victim) => ({
    letter: await signedBy(victim, words(victim, LONG)),
    session: fromHome(victim),
  }),
  'b= folded early': async (victim) => ({
    letter: foldedEarly(await signedBy(victim, words(victim)), '\r\n\t'),
    session: passedOn(),
  }),
  'b= with blanks': async (victim) => ({
    letter: foldedEarly(await signedBy(victim, words(victim)), ' '),
    session: passedOn(),
  }),
  'a sender for each recipient': async (victim) => ({
    letter: await signedBy(victim, words(victim)),
    session: fromHome(victim, { mailFrom: `prvs=1078cbd532=owner+ada=agents.test@${victim.domain}` }),
  }),
  'a name of many signs': async (victim) => {
    const from = `"Owner (the boss); \\"Chief\\" <none>; dmarc=fail" <${victim.address}>`;
    return { letter: await signedBy(victim, words(victim, { from })), session: fromHome(victim) };
  },
  'capital letters': async (victim) => ({
    letter: await signedBy(victim, words(victim, { from: `The Owner <owner@${victim.domain.toUpperCase()}>` })),
    session: fromHome(victim),
  }),
  'an author with parts, from home': async (victim) => ({
    letter: words(victim, {
      headers: ['Content-Type: multipart/alternative; boundary=b1'],
      body: '--b1\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b1\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n--b1--\r\n',
    }),
    session: fromHome(victim),
  }),
  'results of another house': async (victim) => {
    const letter = await signedBy(victim, words(victim));
    const other = 'Authentication-Results: mx.elsewhere.test; dmarc=fail header.from=elsewhere.test';
    return { letter: { ...letter, head: [other, ...letter.head] }, session: passedOn() };
  },
};

/**
 * Whether what this border writes of the mail can prove its author. A domain without a DMARC record needs a signature of
 * exactly itself that the border names, or SPF of exactly itself.
 */
export function isProvable(border: Border, facts: Facts): boolean {
  const { dmarc, spf } = facts;
  const bySpf = spf.result === 'pass' && spf.domain === dmarc.domain;
  const byDkim = isNamed(border, facts);
  // Of two writings that are in use, the poorer one.
  if (border.name === 'GMX' && facts.order % 2 === 1) return byDkim;
  if (hasBlanks(border, facts)) return false;
  // Its own line tells of no connection from outside.
  if (border.name === 'Yahoo' && !byDkim) return false;
  if (dmarc.result === 'pass' && border.tellsDmarc) return true;
  if (dmarc.result === 'none' && !border.provesWithoutDmarc) return false;
  return (bySpf && border.tellsSpf) || byDkim;
}

/** Zoho has one result for all signatures, and names none. */
const isNamed = ({ name }: Border, { signatures, dmarc }: Facts): boolean =>
  name !== 'Zoho' && signatures.some(({ result, domain }) => result === 'pass' && domain === dmarc.domain);

/** A blank in a value without quotes: nobody can tell what it belongs to. */
const hasBlanks = ({ name }: Border, { quotes, signatures }: Facts): boolean =>
  ['Gmail', 'iCloud'].includes(name) && !quotes && signatures.some(({ value }) => /\s/.test(value.trim().slice(0, 8)));
