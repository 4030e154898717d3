import { isAscii } from 'node:buffer';
import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionEnvelope, SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import { oneLine, replyOf } from './connection.ts';
import type { Ending, Phase, Rejection } from './outcome.ts';

export interface Message {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Uint8Array;
  /** Called on the connection, before the mail is handed over; a rejection ends the attempt. */
  readonly beforeData?: (() => Promise<void>) | undefined;
}

export interface Transaction {
  readonly ending: Ending;
  readonly rejected: readonly Rejection[];
}

const SLICE_BYTES = 64 * 1024;

/**
 * One MAIL FROM … final dot over an open connection. Never throws. When `signal` aborts, the connection is cut
 * and the phase decides whether the mail may have gone out.
 *
 * nodemailer's error for a connection that dropped is the same before DATA and after the final dot, so the
 * phase is watched here: the dot follows the last byte of the body at once, hence a body that was not read to
 * its end proves that no dot was sent.
 */
export async function sendOver(
  connection: SMTPConnection,
  message: Message,
  signal: AbortSignal,
): Promise<Transaction> {
  const envelope: SMTPEnvelope & Partial<Pick<SMTPConnectionEnvelope, 'rejectedErrors'>> = {
    from: message.from,
    to: [...message.to],
    size: message.raw.byteLength,
    use8BitMime: !isAscii(message.raw),
  };
  const ending = await transact(connection, envelope, inSlices(message.raw), signal);
  return { ending, rejected: rejections(envelope.rejectedErrors ?? []) };
}

function transact(connection: SMTPConnection, envelope: SMTPEnvelope, body: Readable, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const progress: { phase: Phase } = { phase: 'envelope' };
  body.once('end', () => {
    progress.phase = 'after_dot';
  });
  const broken = (error: unknown) => resolve({ kind: 'broken', phase: progress.phase, reply: verdict(error) });
  // nodemailer may close first and hand over the server's reply right after: the reply says more.
  const ended = () => setImmediate(() => broken(new Error('the server closed the connection')));
  const cut = () => {
    broken(signal.reason);
    connection.close();
  };
  connection.on('error', broken);
  connection.on('end', ended);
  signal.addEventListener('abort', cut, { once: true });
  connection.send(envelope, body, (error, info) => {
    if (error) return broken(error);
    resolve({ kind: 'accepted', text: oneLine(info.response), serverMessageId: info.serverMessageId ?? null });
  });
  if (signal.aborted) cut();
  return promise.finally(() => {
    connection.off('error', broken);
    connection.off('end', ended);
    signal.removeEventListener('abort', cut);
  });
}

/** The body in slices, so that a slow server holds a few of them and not a second copy of the mail. */
function inSlices(raw: Uint8Array): Readable {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const position = { at: 0 };
  return new Readable({
    read() {
      const slice = bytes.subarray(position.at, position.at + SLICE_BYTES);
      position.at += slice.length;
      this.push(slice.length > 0 ? slice : null);
    },
  });
}

/** Too large for the server's announced SIZE is decided by nodemailer itself; it is the server's 552 all the same. */
function verdict(error: unknown) {
  const reply = replyOf(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isOurs =
    reply.code === null && (code === 'EMESSAGE' || code === 'EENVELOPE') && /larger|Invalid/.test(reply.text);
  return isOurs ? { ...reply, code: code === 'EMESSAGE' ? 552 : 553 } : reply;
}

function rejections(errors: readonly Error[]): Rejection[] {
  return errors.flatMap((error) => {
    const address = 'recipient' in error && typeof error.recipient === 'string' ? error.recipient : null;
    return address === null ? [] : [{ address, ...replyOf(error) }];
  });
}
