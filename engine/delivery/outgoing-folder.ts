import { join } from 'node:path';
import { writeDurably } from '../lib/files/durable-file.ts';

/**
 * Delivery without a mail server: one file per mail under its outbox id, the envelope in two lines above the
 * bytes that SMTP would get. Writing it again gives the same file, so a crash in between costs nothing.
 */
export function writeOutgoing(
  folder: string,
  mail: { id: string; envelopeFrom: string; to: readonly string[]; raw: Uint8Array },
): void {
  const envelope = `X-Envelope-From: ${mail.envelopeFrom}\r\nX-Envelope-To: ${mail.to.join(', ')}\r\n`;
  writeDurably(folder, join(folder, `${mail.id}.eml`), Buffer.concat([Buffer.from(envelope), mail.raw]));
}
