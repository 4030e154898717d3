import { expect, it } from 'vitest';
import { gatewaySchema } from '../../../engine/config/schemas.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';

it('a part with several broken Content-Types still has a type that is text', async () => {
  const raw = [
    'From: a@example.com',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: ',
    'Content-Type: application/pdf',
    'Content-Type: image/png; name=x',
    'Content-Disposition: attachment; filename=x',
    'Content-ID: <a>',
    'Content-ID: <b>',
    '',
    'x',
    '--b--',
    '',
  ].join('\r\n');
  const outcome = await readMail(Buffer.from(raw), gatewaySchema.parse({}).limits);
  expect(outcome.ok && outcome.mail.attachments.every(({ type }) => typeof type === 'string')).toBe(true);
});

it('a mail that was cut off within its first delimiter is read as far as it goes', async () => {
  const head = ['From: a@example.com', 'Subject: x', 'Content-Type: multipart/mixed; boundary=longer', '', ''];
  for (const rest of ['-', '--', '--lon', '--longer', '--longer\r']) {
    const outcome = await readMail(Buffer.from(head.join('\r\n') + rest), gatewaySchema.parse({}).limits);
    expect(outcome.ok && outcome.mail.subject, rest).toBe('x');
  }
});
