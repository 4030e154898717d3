import { createHmac, timingSafeEqual } from 'node:crypto';

const CHAT = /^<([0-9a-f-]{36})\.([0-9a-f]{32})@[^@<>]*>$/;

const markOf = (id: string, secret: string): Buffer => createHmac('sha256', secret).update(`chat ${id}`).digest();

/**
 * The Message-ID of a line of `chat`, whose answer is shown in the terminal and mailed to nobody. Only who knows the
 * secret of the workspace can make one, so no mail from outside keeps its answer from leaving.
 */
export const chatMessageId = ({ id, domain, secret }: { id: string; domain: string; secret: string }): string =>
  `<${id}.${markOf(id, secret).toString('hex').slice(0, 32)}@${domain}>`;

/** `secret` is asked for only where the Message-ID looks like one. */
export function isChatMessageId(messageId: string, secret: () => string): boolean {
  const [, id = '', mark = ''] = CHAT.exec(messageId) ?? [];
  return id !== '' && timingSafeEqual(Buffer.from(mark, 'hex'), markOf(id, secret()).subarray(0, 16));
}
