import { createHmac, timingSafeEqual } from 'node:crypto';
import { addressKey } from './address.ts';
import type { ParsedMail } from './types.ts';

export const RECURSION_HEADER = 'X-Epistle-Recursion';

export interface SignedMail {
  readonly messageId: string;
  readonly from: string;
  /** Of To and Cc. */
  readonly recipients: readonly string[];
  /** As it stands in the mail. */
  readonly dateHeader: string;
}

/**
 * What a person who got one of our mails must not be able to change and send on in our name: to whom it is, so that
 * it is worth nothing to a persona that it was not for, and all that makes it a duplicate to one that it was for.
 */
function seal(depth: number, mail: SignedMail, secret: string): string {
  const recipients = mail.recipients.map((address) => addressKey(address) ?? '').toSorted();
  const signed = ['epistle-recursion', depth, mail.messageId, addressKey(mail.from), mail.dateHeader, ...recipients];
  return createHmac('sha256', secret).update(JSON.stringify(signed)).digest('hex').slice(0, 32);
}

/** The Date header that a mail of that moment gets. */
export const dateHeaderOf = (ms: number): string => new Date(ms).toUTCString().replace('GMT', '+0000');

/** The header's value. It is bound to the mail, so that it cannot be carried over to another. */
export function signRecursion(input: SignedMail & { depth: number; secret: string }): string {
  return `${input.depth}; s=${seal(input.depth, input, input.secret)}`;
}

/** How many further hops our own mail allows; null without the header or without our signature. */
export function verifyRecursion(
  mail: Pick<ParsedMail, 'headers' | 'messageId' | 'from' | 'to' | 'cc' | 'dateHeader'>,
  secret: string,
): number | null {
  const values = mail.headers.filter(({ name }) => name === RECURSION_HEADER.toLowerCase());
  const match = /^(\d{1,3}); s=([0-9a-f]{32})$/.exec(values.length === 1 ? (values[0]?.value ?? '') : '');
  if (!match?.[1] || !match[2] || mail.from.kind !== 'one') return null;
  const depth = Number(match[1]);
  const recipients = [...mail.to, ...mail.cc].map(({ address }) => address);
  const expected = Buffer.from(seal(depth, { ...mail, from: mail.from.mailbox.address, recipients }, secret));
  return timingSafeEqual(expected, Buffer.from(match[2])) ? depth : null;
}
