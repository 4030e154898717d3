import { messageIdIn } from '../../../queries/message-id.ts';
import { addressesIn, addressIn } from '../../addresses.ts';
import { defineCommand } from '../../define.ts';
import { describeResults, exitCodeOf } from '../../submit/results.ts';
import { submitMail } from '../../submit/submit-mail.ts';
import { ownerOf, writeMail } from '../../submit/write-mail.ts';
import { waitMsOf } from '../../wait-option.ts';

export const send = defineCommand({
  name: 'send',
  summary: 'Write a mail to a persona; the body is read from stdin',
  options: {
    to: {
      flags: '--to <address>',
      about: 'the persona to write to; several with commas or by repeating',
      required: true,
      many: true,
    },
    from: { flags: '--from <address>', about: 'who writes (default: the first owner)' },
    subject: { flags: '--subject <text>', about: 'the subject', fallback: '' },
    messageId: { flags: '--message-id <id>', about: 'the Message-ID, with or without angle brackets' },
    wait: { flags: '--wait [seconds]', about: 'wait for the answer' },
  },
  async run({ open, readBody }, { options }) {
    const waitMs = waitMsOf(options.wait);
    const to = addressesIn(options.to);
    const given = options.messageId === undefined ? undefined : messageIdIn(options.messageId);
    const workspace = open();
    const from = options.from ?? ownerOf(workspace);
    const text = await readBody();
    const mail = { from, to, subject: options.subject, text, ...(given ? { messageId: given } : {}) };
    const { raw, messageId } = await writeMail(workspace, mail);
    const letter = { raw, messageId, from: addressIn(from), to, asSubmission: true };
    return { message_id: messageId, results: await submitMail(workspace, letter, waitMs) };
  },
  text: ({ message_id, results }) => describeResults(message_id, results),
  exitCode: ({ results }) => exitCodeOf(results),
});
