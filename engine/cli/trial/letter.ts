import { MARK } from './learn.ts';

/** Pure. The Message-ID of a mail of a trial. */
export const trialId = (id: string, domain: string): string => `<trial.${id}@${domain}>`;

/** A mail of a trial; `forged`: verdicts that it carries. */
export function mailOf(mail: {
  id: string;
  domain: string;
  from: string;
  to: string;
  forged: readonly string[];
}): Buffer {
  const { id, domain, from, to, forged } = mail;
  const lines = [
    `${MARK}: ${id}`,
    ...forged.map((results) => `Authentication-Results: ${results}`),
    `Message-ID: ${trialId(id, domain)}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `From: ${from}`,
    `To: ${to}`,
    'Subject: A trial of this mailbox',
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'This mail was sent to see whether the mailbox sends and receives, and what its server writes into a mail.',
    'It can be deleted.',
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}
