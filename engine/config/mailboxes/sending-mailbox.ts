import { addressKey, withoutPlusTag } from '../address.ts';
import type { PersonaEntry, PersonaFile } from '../types.ts';

/** How surely mail to an address comes by a mailbox; `maybe`: another address of its domain, or its login is none. */
type Receiving = 'exact' | 'tag' | 'maybe' | 'no';

interface Logins {
  readonly imap?: { readonly user: string } | undefined;
  readonly smtp?: { readonly user: string } | undefined;
}

/** Pure. What a login says of whether mail to this address comes by it. */
export function receiving({ imap, smtp }: Logins, address: string): Receiving {
  const login = (imap ?? smtp)?.user ?? '';
  if (!login.includes('@')) return 'maybe';
  const [own, key] = [addressKey(login), addressKey(address)];
  if (own === null || key === null) return 'no';
  if (own === key) return 'exact';
  if (withoutPlusTag(key) === own) return 'tag';
  const domainOf = (one: string) => one.slice(one.lastIndexOf('@') + 1);
  return domainOf(own) === domainOf(key) ? 'maybe' : 'no';
}

/** Pure. Whether mail to this address may come by it; a catch-all receives its whole domain. */
export const receives = ({ imap }: Pick<Logins, 'imap'>, address: string): boolean =>
  imap !== undefined && receiving({ imap }, address) !== 'no';

/** Pure. An address with a name behind a plus sign: it comes to the same mailbox, where its server takes such. */
export const plusAddress = (address: string, name: string): string => {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}+${name}${address.slice(at)}`;
};

/** Whoever sends. */
export type WhoeverSends = Pick<PersonaFile, 'address' | 'aliases' | 'mailbox'>;
export type Box = Logins & { readonly id: string };

/**
 * Pure. The mailboxes by which a persona may send: the one that it names, else the one that receives its address. None: it
 * sends by none, or names one that cannot. Several: nobody has said by which. The order of the list decides nothing.
 */
export function mailboxesToSendBy(mailboxes: readonly Box[], persona: WhoeverSends): readonly string[] {
  const sending = mailboxes.filter(({ smtp }) => smtp !== undefined);
  const idsOf = (boxes: readonly Box[]) => boxes.map(({ id }) => id);
  if (persona.mailbox !== null) return idsOf(sending.filter(({ id }) => id === persona.mailbox));
  if (sending.length < 2) return idsOf(sending);
  for (const address of [persona.address, ...persona.aliases]) {
    for (const how of ['exact', 'tag', 'maybe'] as const) {
      const found = sending.filter((one) => receiving(one, address) === how);
      if (found.length > 0) return idsOf(found);
    }
  }
  return idsOf(sending);
}

/**
 * Pure. The one by which a persona sends; null: none. Where several could be, and nobody has written it down yet, the first
 * of them, as builds before did: the gateway and every command write it down at the first occasion.
 */
export const mailboxToSendBy = (mailboxes: readonly Box[], persona: WhoeverSends): string | null =>
  mailboxesToSendBy(mailboxes, persona)[0] ?? null;

/** Pure. Also of a persona whose file is wrong, as far as its addresses can be read. */
export const senderOf = (entry: PersonaEntry): WhoeverSends => {
  if (entry.state === 'ready') return entry.persona;
  const [address = '', ...aliases] = entry.addresses;
  return { address, aliases, mailbox: null };
};
