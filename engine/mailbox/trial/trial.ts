import type { Fault, FaultCode } from '../faults/fault.ts';
import { type Border, forgedResults, isProvenByTrial, judgeTrial, learnBorder, MARK, openServers } from './learn.ts';
import { type Traveller, type Trip, travel } from './trip.ts';

export type Trial =
  | { readonly ok: false; readonly fault: Fault }
  | {
      readonly ok: true;
      /** How long the first mail was on its way. */
      readonly tookMs: number;
      readonly border: Border;
      /** What became of the header that a forger would send along; null where nothing was learned to forge. */
      readonly forged: 'ignored' | 'believed' | null;
      /** Servers that would be trusted and take mail of strangers. */
      readonly open: readonly string[];
      /** Whether a mail of this address is proven with what was learned. */
      readonly senderIsProven: boolean;
    };

/** Whether what was learned lets no forged verdict in. */
export const isSafe = (trial: Extract<Trial, { ok: true }>): boolean =>
  trial.forged === 'ignored' && trial.open.length === 0;

/** Why what was learned is of no use, where a server takes mail of strangers. */
export const openInWords = ({ border, open }: Pick<Extract<Trial, { ok: true }>, 'border' | 'open'>): string =>
  `${open.join(', ')} takes mail from outside, too: with it in trusted_received a verdict of ${border.authservId} that came with such mail would be believed`;

const NOTHING: Border = { authservId: null, trustedReceived: [] };

/**
 * Mails from the mailbox to itself: the first mail teaches what its server writes into mail, the second carries a forged
 * verdict under the name that was learned, or another sender, which must not be believed. `newId`: something unique for each mail.
 */
export async function tryMailbox(traveller: Traveller, newId: () => string): Promise<Trial> {
  const domain = traveller.address.slice(traveller.address.lastIndexOf('@') + 1);
  const send = (id: string, forged: string | null, from = traveller.address): Promise<Trip> =>
    travel(traveller, {
      messageId: idOf(id, domain),
      raw: mailOf({ id, domain, from, to: traveller.address, forged }),
    });
  const id = newId();
  const first = await send(id, null);
  if (!first.ok) return first;
  const border = learnBorder(first.lines, id);
  const { authservId, trustedReceived } = border;
  const learned = { ok: true, tookMs: first.tookMs, border, open: [] } as const;
  if (authservId === null) {
    const isProof = await provesByLogin(traveller, { first, trustedReceived, send, newId });
    if (isProof) return { ...learned, forged: 'ignored', senderIsProven: true };
    return { ...learned, border: NOTHING, forged: null, senderIsProven: false };
  }
  const second = await send(newId(), forgedResults(authservId));
  if (!second.ok) return second;
  const { forgedIsBelieved, senderIsProven } = judgeTrial(second.lines, { authservId, trustedReceived }, domain);
  const open = openServers(border, await traveller.exchangesOf(domain));
  return { ...learned, open, forged: forgedIsBelieved ? 'believed' : 'ignored', senderIsProven };
}

interface LoginTrial {
  readonly first: Extract<Trip, { ok: true }>;
  readonly trustedReceived: readonly string[];
  send(id: string, forged: string | null, from?: string): Promise<Trip>;
  newId(): string;
}

/**
 * Whether the login proves this sender and nobody else: a server that lets those who log in write as somebody else
 * teaches nothing.
 */
async function provesByLogin(
  { address, mailbox }: Traveller,
  { first, trustedReceived, send, newId }: LoginTrial,
): Promise<boolean> {
  const isProven = ({ lines }: Extract<Trip, { ok: true }>, of: string) =>
    isProvenByTrial(lines, trustedReceived, { address: of.toLowerCase(), account: mailbox.imap.user });
  if (!isProven(first, address)) return false;
  const other = `somebody-else.${address}`;
  const second = await send(newId(), null, other);
  return second.ok ? !isProven(second, other) : REFUSED.has(second.fault.code);
}

const REFUSED: ReadonlySet<FaultCode> = new Set(['sender_refused', 'mail_rejected']);

const idOf = (id: string, domain: string): string => `<trial.${id}@${domain}>`;

function mailOf(mail: { id: string; domain: string; from: string; to: string; forged: string | null }): Buffer {
  const { id, domain, from, to, forged } = mail;
  const lines = [
    `${MARK}: ${id}`,
    ...(forged === null ? [] : [`Authentication-Results: ${forged}`]),
    `Message-ID: ${idOf(id, domain)}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `From: ${from}`,
    `To: ${to}`,
    'Subject: A trial of this mailbox',
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'This mail was sent to see whether the mailbox sends and receives, and what its server writes into a mail.',
    'It can be deleted.',
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}
