import { dateHeaderOf } from '../mime/recursion.ts';

const MESSAGE_ID = /^<[\x21-\x3b\x3d\x3f-\x7e]{3,240}>$/;
const PLAIN_ADDRESS = /^[\w.+=-]{1,64}@[\w.-]{1,240}$/;

/**
 * A mail of nothing but fixed parts, put together by hand: for the case that composing the usual one is what fails.
 * Nothing of the mail that it answers goes into it but its Message-ID and its sender, and those only when they are
 * plain; undefined when the sender is not.
 */
export function composePlainMail(mail: {
  readonly from: string;
  readonly to: string;
  readonly messageId: string;
  readonly inReplyTo: string;
  /** ms. */
  readonly date: number;
  readonly runId: string;
  readonly text: string;
  /** `draft`: a person sends it. */
  readonly mode?: 'send' | 'draft';
}): { readonly subject: string; readonly raw: Uint8Array } | undefined {
  if (!PLAIN_ADDRESS.test(mail.from) || !PLAIN_ADDRESS.test(mail.to)) return undefined;
  const subject = 'Re: your mail';
  const answers = MESSAGE_ID.test(mail.inReplyTo)
    ? [`In-Reply-To: ${mail.inReplyTo}`, `References: ${mail.inReplyTo}`]
    : [];
  const body = Buffer.from(mail.text.replaceAll(/\r?\n/g, '\r\n')).toString('base64');
  const lines = [
    `From: ${mail.from}`,
    `To: ${mail.to}`,
    `Subject: ${subject}`,
    `Message-ID: ${mail.messageId}`,
    ...answers,
    `Date: ${dateHeaderOf(mail.date)}`,
    ...(mail.mode === 'draft' ? [] : ['Auto-Submitted: auto-replied']),
    'X-Epistle-Kind: reply',
    `X-Epistle-Run: ${mail.runId}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(body.match(/.{1,76}/g) ?? []),
    '',
  ];
  return { subject, raw: Buffer.from(lines.join('\r\n')) };
}
