import { isBorderName } from '../../mail/identity/border/results-header.ts';
import { domainOf } from '../../mail/mime/address.ts';
import type { Fault, FaultCode } from '../../mailbox/faults/fault.ts';
import {
  bordersIn,
  forgedResults,
  hostileSender,
  isProvenByTrial,
  type LearnedServer,
  learnLogin,
  letsThrough,
  type NamedBorder,
  openServers,
  provesForged,
  provesSender,
  serversIn,
} from './learn.ts';
import { mailOf, trialId } from './letter.ts';
import { type Traveller, type Trip, travel } from './trip.ts';

/** What a border made of mails that were made to deceive. */
export interface Tested {
  /** A header that came with the mail, under the border's own name. */
  readonly forged: 'ignored' | 'believed';
  /** An envelope sender that ends the border's comments: not taken at all, or taken. */
  readonly hostile: 'refused' | 'ignored' | 'believed';
}

/** The border that is set already, where another one was learned, or none. */
export interface PresentBorder {
  readonly authservId: string;
  /** It could not be a border's name, so it never proves anybody. */
  readonly isNoName: boolean;
  /** It proves a mail of ours. */
  readonly isProving: boolean;
  /** Null where it has no name. */
  readonly tested: Tested | null;
}

export type Trial =
  | { readonly ok: false; readonly fault: Fault }
  | {
      readonly ok: true;
      /** How long the first mail was on its way. */
      readonly tookMs: number;
      /** What proves a mail of ours; without a name where nothing does. */
      readonly border: LearnedServer;
      /** Null where nothing was learned to deceive. */
      readonly tested: Tested | null;
      /** Servers that would be trusted and take mail of strangers. */
      readonly open: readonly string[];
      /** Whether a mail of this address is proven with what was learned. */
      readonly senderIsProven: boolean;
      /** Names under which verdicts stand in the mail that do not prove it. */
      readonly unproving: readonly string[];
      /** The servers that wrote a Received line on a mail of ours. */
      readonly servers: readonly string[];
      /** Those of them that wrote a verdict into it below that line. */
      readonly stampBelow: readonly string[];
      /**
       * What would prove mail that is handed in with a login, and is not learned: whoever logs in there can write as somebody
       * else. Empty where nothing would, or where it is learned.
       */
      readonly openLogins: readonly string[];
      readonly present: PresentBorder | null;
    };

export type Travelled = Extract<Trial, { ok: true }>;

export const isPassed = ({ forged, hostile }: Tested): boolean => forged === 'ignored' && hostile !== 'believed';

/** Whether what was learned proves us and lets nothing in that anybody has forged. */
export const isSafe = ({ tested, open, senderIsProven }: Travelled): boolean =>
  senderIsProven && tested !== null && isPassed(tested) && open.length === 0;

const NOTHING: LearnedServer = { authservId: null, trustedReceived: [] };

/**
 * Mails from the mailbox to itself. The first shows whose verdict proves it. The others are made to deceive: one carries a
 * forged verdict under that name, one has an envelope sender that ends what the border writes about it.
 */
export async function tryMailbox(traveller: Traveller, newId: () => string): Promise<Trial> {
  const { address, trusted } = traveller;
  const domain = domainOf(address);
  const send = senderOf(traveller, newId);
  const id = newId();
  const first = await send({ id });
  if (!first.ok) return first;
  const present = traveller.mailbox.imap.authserv_id;
  const seen = bordersIn(first.lines, id);
  const proves = (border: NamedBorder) =>
    provesSender(first.lines, withTrusted(border, trusted), { address, now: Date.now() });
  const learned = seen.filter(proves).toSorted((one, other) => preferred(other, present) - preferred(one, present))[0];
  const unproving = seen.filter((border) => !proves(border)).map(({ authservId }) => authservId);
  const stampBelow = seen.filter(isBelowOwnLine).map(({ authservId }) => authservId);
  const servers = serversIn(first.lines, id);
  const told = { ok: true, tookMs: first.tookMs, unproving, servers, stampBelow } as const;
  const deceive = createDeceiver(traveller, { send, tookMs: first.tookMs, domain });
  const other = present === null || present.toLowerCase() === learned?.authservId ? null : present;
  if (!learned) {
    const { trustedReceived } = learnLogin(first.lines, id);
    const logins = await provesByLogin(traveller, { first, trustedReceived, send });
    const found =
      logins === 'their own'
        ? { border: { authservId: null, trustedReceived }, tested: NOBODY_ELSE, senderIsProven: true, openLogins: [] }
        : {
            border: NOTHING,
            tested: null,
            senderIsProven: false,
            openLogins: logins === 'anybody' ? trustedReceived : [],
          };
    return { ...told, ...found, open: [], present: await lookAt(other, { seen, proves, deceive }) };
  }
  const tested = await deceive(learned);
  if (!('forged' in tested)) return tested;
  return {
    ...told,
    border: learned,
    tested,
    senderIsProven: true,
    openLogins: [],
    open: openServers(learned, await traveller.exchangesOf(domain)),
    present: await lookAt(other, { seen, proves, deceive }),
  };
}

const isBelowOwnLine = ({ authservId, trustedReceived }: NamedBorder): boolean => trustedReceived.includes(authservId);

/** What is trusted already is trusted beside what is learned. */
const withTrusted = (border: NamedBorder, trusted: readonly string[]): NamedBorder => ({
  ...border,
  trustedReceived: [...new Set([...border.trustedReceived, ...trusted])],
});

/** The one that is set is kept where it proves us. */
const preferred = ({ authservId }: NamedBorder, present: string | null): number =>
  Number(authservId === present?.toLowerCase());

/** A mail under another name was not proven by the login. */
const NOBODY_ELSE: Tested = { forged: 'ignored', hostile: 'ignored' };

/** What became of mails that were made to deceive a border before it is trusted. */
export interface TestedBorder extends Tested {
  /** A mail from the mailbox's own login that says it is of this person: not taken at all, not believed, or believed. */
  readonly impostor: 'refused' | 'ignored' | 'believed';
}

/** Tries a border that our own mail did not teach: one that a mail of this person shows. */
export async function tryBorder(
  traveller: Traveller,
  named: NamedBorder,
  { person, newId }: { readonly person: string; newId(): string },
): Promise<TestedBorder | Extract<Trip, { ok: false }>> {
  const send = senderOf(traveller, newId);
  const impostor = await send({ from: person });
  if (!impostor.ok && !REFUSED.has(impostor.fault.code)) return impostor;
  const tookMs = impostor.ok ? impostor.tookMs : traveller.ms;
  const tested = await createDeceiver(traveller, { send, tookMs, domain: domainOf(traveller.address) })(named);
  if (!('forged' in tested)) return tested;
  const border = withTrusted(named, traveller.trusted);
  const believes = impostor.ok && provesSender(impostor.lines, border, { address: person, now: Date.now() });
  return { ...tested, impostor: impostor.ok ? (believes ? 'believed' : 'ignored') : 'refused' };
}

interface Deceit {
  readonly id?: string;
  /** The verdict that it carries. */
  readonly forged?: readonly string[];
  /** In its header. */
  readonly from?: string;
  readonly envelopeFrom?: string;
  readonly ms?: number;
}

type Send = (deceit?: Deceit) => Promise<Trip>;

const senderOf =
  (traveller: Traveller, newId: () => string): Send =>
  ({
    id = newId(),
    forged = [],
    from = traveller.address,
    envelopeFrom = traveller.address,
    ms = traveller.ms,
  } = {}) => {
    const { address } = traveller;
    const domain = domainOf(address);
    const raw = mailOf({ id, domain, from, to: address, forged });
    return travel({ ...traveller, ms }, { messageId: trialId(id, domain), from: envelopeFrom, raw });
  };
type Deceive = (border: NamedBorder) => Promise<Tested | Extract<Trip, { ok: false }>>;

/** What a server does with a strange sender in a moment, it does not do after a minute and a half. */
const HOSTILE_MS = { least: 10_000, times: 5 } as const;

function createDeceiver(
  traveller: Traveller,
  { send, tookMs, domain }: { readonly send: Send; readonly tookMs: number; readonly domain: string },
): Deceive {
  const ms = Math.min(traveller.ms, Math.max(HOSTILE_MS.least, HOSTILE_MS.times * tookMs));
  let hostile: Promise<Trip> | undefined;
  return async (named) => {
    const border = withTrusted(named, traveller.trusted);
    const forged = await send({ forged: forgedResults(border.authservId) });
    if (!forged.ok) return forged;
    hostile ??= send({ envelopeFrom: hostileSender(domain), ms });
    const trip = await hostile;
    return {
      forged: letsThrough(forged.lines, border, Date.now()) ? 'believed' : 'ignored',
      hostile: trip.ok ? (provesForged(trip.lines, border, Date.now()) ? 'believed' : 'ignored') : 'refused',
    };
  };
}

/** What becomes of deceit at the border that is set now. */
async function lookAt(
  authservId: string | null,
  mail: {
    readonly seen: readonly NamedBorder[];
    proves(border: NamedBorder): boolean;
    readonly deceive: Deceive;
  },
): Promise<PresentBorder | null> {
  if (authservId === null) return null;
  if (!isBorderName(authservId)) return { authservId, isNoName: true, isProving: false, tested: null };
  const name = authservId.toLowerCase();
  const border = mail.seen.find((one) => one.authservId === name) ?? { authservId: name, trustedReceived: [] };
  const tested = await mail.deceive(border);
  return {
    authservId,
    isNoName: false,
    isProving: mail.proves(border),
    tested: 'forged' in tested ? tested : null,
  };
}

interface LoginTrial {
  readonly first: Extract<Trip, { ok: true }>;
  readonly trustedReceived: readonly string[];
  readonly send: Send;
}

/**
 * Whom the login proves: a server that lets those who log in write as somebody else teaches nothing. `nobody` also where it
 * cannot be told.
 */
async function provesByLogin(
  { address, mailbox }: Traveller,
  { first, trustedReceived, send }: LoginTrial,
): Promise<'their own' | 'anybody' | 'nobody'> {
  const isProven = ({ lines }: Extract<Trip, { ok: true }>, of: string) =>
    isProvenByTrial(lines, trustedReceived, { address: of.toLowerCase(), account: mailbox.imap.user });
  if (!isProven(first, address)) return 'nobody';
  const other = `somebody-else.${address}`;
  const second = await send({ from: other });
  if (!second.ok) return REFUSED.has(second.fault.code) ? 'their own' : 'nobody';
  return isProven(second, other) ? 'anybody' : 'their own';
}

const REFUSED: ReadonlySet<FaultCode> = new Set(['sender_refused', 'mail_rejected']);
