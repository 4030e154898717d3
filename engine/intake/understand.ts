import type { PersonaEntry } from '../config/types.ts';
import { countedAs } from '../lib/ip-address.ts';
import type { Peer } from '../lib/workers/pool.ts';
import type { ParsedMail } from '../mail/mime/types.ts';
import { headless, parseHead } from '../mail/reading/head.ts';
import { candidateAddresses } from '../mail/route.ts';
import type { ReaderDeps } from './deps.ts';
import type { IncomingMail, Unreadable } from './incoming.ts';

/** A persona that the mail is for, and the address that named it. */
export interface Addressee {
  readonly address: string;
  readonly entry: PersonaEntry;
}

export interface UnderstoodMail {
  /** The head alone where the mail is unreadable. */
  readonly mail: ParsedMail;
  readonly unreadable: Unreadable | null;
  readonly addressees: readonly Addressee[];
}

/** Reads the mail, all but small plain letters in a worker thread, and finds the personas it is for. */
export async function understand(deps: ReaderDeps, incoming: IncomingMail): Promise<UnderstoodMail> {
  const peer = queuePeerOf(incoming);
  const outcome = incoming.unreadable ?? (await deps.parser.parse(incoming.raw, { peer }));
  // The sender of an unreadable mail is checked like any other: else strangers could have their bytes kept.
  const mail = outcome.ok
    ? outcome.mail
    : ((await parseHead(deps.parser, incoming.raw, { peer })) ?? headless(incoming.raw));
  return { mail, unreadable: outcome.ok ? null : outcome, addressees: addresseesOf(deps, mail, incoming) };
}

/**
 * The personas a mail is for. Every mail in a shared mailbox was delivered to its account, so the account's address
 * counts only where no other persona is named: else its persona would answer everybody's mail.
 */
export function addresseesOf(
  deps: Pick<ReaderDeps, 'findByAddress'>,
  mail: ParsedMail,
  { envelope: { recipients }, account = null }: Pick<IncomingMail, 'envelope' | 'account'>,
): readonly Addressee[] {
  const named = personasOf(deps, candidateAddresses(mail, recipients, { without: account }));
  return named.length > 0 ? named : personasOf(deps, candidateAddresses(mail, recipients));
}

/** Each persona once, however many of its addresses are named. Unknown SMTP recipients were refused at RCPT. */
function personasOf(
  { findByAddress }: Pick<ReaderDeps, 'findByAddress'>,
  addresses: readonly string[],
): readonly Addressee[] {
  const byPersona = new Map<string, Addressee>();
  for (const address of addresses) {
    const entry = findByAddress(address);
    if (entry && !byPersona.has(entry.id)) byPersona.set(entry.id, { address, entry });
  }
  return [...byPersona.values()];
}

/** On whose account the threads work on a mail: a sender of many waits behind its own, not in front of others. */
export function queuePeerOf({ arrival, place }: Pick<IncomingMail, 'arrival' | 'place'>): Peer {
  if (arrival.door === 'submission') return { key: 'submission', first: true };
  if (arrival.door === 'relay') return { key: `relay ${arrival.authservId}`, first: true };
  if (arrival.door === 'imap') return { key: `mailbox ${place?.mailbox ?? ''}`, first: false };
  return { key: `address ${countedAs(arrival.ip)}`, first: false };
}
