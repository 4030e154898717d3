/** What a person might write, about 400 bytes. No two mails say the same: what is known of one text is not of the next. */
const textOf = (serial: number): string =>
  [
    `Hello, this is my question number ${serial},`,
    '',
    'could you look at the figures for the third quarter and tell me which of the four regions fell behind the plan?',
    'The numbers are in the notes that I sent last week. A short answer is enough, with one line per region and the',
    'reason where you know it. I need it for the meeting on Thursday morning.',
    '',
    'Thank you and best wishes',
    'Mia',
  ].join('\r\n');

/** The model server answers it after `steps` tool calls. */
export const mailText = (serial: number, steps: number): string => `${textOf(serial)}\r\nsteps=${steps}\r\n`;

/**
 * One mail as bytes. The model server answers it after `steps` tool calls.
 */
export function mailBytes(mail: {
  from: string;
  to: string;
  messageId: string;
  serial: number;
  steps: number;
  inReplyTo?: string;
}): string {
  return [
    `From: Mia <${mail.from}>`,
    `To: ${mail.to}`,
    `Subject: Figures of the third quarter`,
    `Message-ID: ${mail.messageId}`,
    ...(mail.inReplyTo === undefined ? [] : [`In-Reply-To: ${mail.inReplyTo}`, `References: ${mail.inReplyTo}`]),
    'Date: Fri, 20 Nov 2026 10:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    mailText(mail.serial, mail.steps),
  ].join('\r\n');
}

/** A mail of these words. */
export const letterBytes = (letter: { from: string; to: string; text: string }, messageId: string): string =>
  [
    ...[`From: ${letter.from}`, `To: ${letter.to}`, `Message-ID: ${messageId}`],
    ...['Subject: A question', `Date: ${new Date().toUTCString()}`, 'MIME-Version: 1.0'],
    ...['Content-Type: text/plain; charset=utf-8', '', letter.text, ''],
  ].join('\r\n');
