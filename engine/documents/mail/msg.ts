import msgreader from '@kenjiuno/msgreader';
import type { Content, OpenPart, Source } from '../reading.ts';
import { Refused } from '../refused.ts';
import { mailContent } from './eml.ts';

/** A mail as Outlook stores it: its header as it claims, its text, its files as parts. Throws `Refused`. */
export function readMsg({ bytes }: Source): Content {
  const reader = new msgreader.default(new Uint8Array(bytes).buffer);
  const fields = reader.getFileData();
  if (fields.error) throw new Refused('broken', 'its mail cannot be read');
  const { recipients = [], attachments = [], subject = '', body = '' } = fields;
  const named = (type: string) =>
    recipients
      .filter(({ recipType }) => recipType === type)
      .map(({ name, smtpAddress, email }) => addressed(name, smtpAddress ?? email))
      .join(', ');
  const date = fields.messageDeliveryTime ?? fields.clientSubmitTime ?? '';
  return mailContent('msg', {
    from: addressed(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail),
    to: named('to'),
    cc: named('cc'),
    date: Number.isNaN(Date.parse(date)) ? date : new Date(date).toISOString(),
    subject,
    text: body.replace(/\r\n?/g, '\n').trim(),
    parts: attachments.map((attachment, index): OpenPart => {
      const inner = attachment.innerMsgContent === true;
      const name = attachment.fileName ?? attachment.fileNameShort ?? attachment.name ?? `file ${index + 1}`;
      return {
        name: inner && !name.endsWith('.msg') ? `${name}.msg` : name,
        type: attachment.attachMimeTag ?? '',
        bytes: attachment.contentLength ?? 0,
        open: async () => reader.getAttachment(attachment).content,
      };
    }),
  });
}

const addressed = (name = '', address = ''): string =>
  name === '' || name === address ? address : `${name} <${address}>`;
