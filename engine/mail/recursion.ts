import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ParsedMail } from './types.ts';

export const RECURSION_HEADER = 'X-Epistle-Recursion';

const seal = (depth: number, messageId: string, secret: string): string =>
  createHmac('sha256', secret).update(`epistle-recursion\n${depth}\n${messageId}`).digest('hex').slice(0, 32);

/** The header's value. It is bound to the Message-ID, so that it cannot be carried over to another mail. */
export function signRecursion(input: { depth: number; messageId: string; secret: string }): string {
  return `${input.depth}; s=${seal(input.depth, input.messageId, input.secret)}`;
}

/** How many further hops our own mail allows; null without the header or without our signature. */
export function verifyRecursion(mail: Pick<ParsedMail, 'headers' | 'messageId'>, secret: string): number | null {
  const values = mail.headers.filter(({ name }) => name === RECURSION_HEADER.toLowerCase());
  const match = /^(\d{1,3}); s=([0-9a-f]{32})$/.exec(values.length === 1 ? (values[0]?.value ?? '') : '');
  if (!match?.[1] || !match[2]) return null;
  const depth = Number(match[1]);
  const expected = Buffer.from(seal(depth, mail.messageId, secret));
  return timingSafeEqual(expected, Buffer.from(match[2])) ? depth : null;
}
