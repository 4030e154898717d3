import { EngineError } from '#contract';
import { didYouMean } from '../../../config/problems/problem.ts';
import { nearestOf } from '../../../lib/text/nearest.ts';
import { addressOf } from '../../../queries/gateway/persona-states.ts';
import { messageIdIn } from '../../../queries/message-id.ts';
import type { Workspace } from '../../../workspace.ts';
import { addressesIn, addressIn } from '../../command/addresses.ts';
import { defineCommand } from '../../command/define.ts';
import { waitMsOf } from '../../command/wait-option.ts';
import { describeResults, exitCodeOf } from '../../submit/results.ts';
import { sayIfAlone } from '../../submit/say-if-alone.ts';
import { submitMail } from '../../submit/submit-mail.ts';
import { ownerOf, writeMail } from '../../submit/write-mail.ts';

/** For commands that write to a persona. */
export const WHO_WRITES = {
  flags: '--from <address>',
  about: 'who writes (default: the first owner of the persona)',
} as const;

export const send = defineCommand({
  name: 'send',
  summary: 'Write a mail to a persona; its text is read from stdin, or given with --text',
  examples: [
    ['send --to ada --subject "Hello" --wait', 'write the text, end it with Ctrl-D, and see the answer'],
    ['send --to ada --text "What is on today?" --wait 60', 'without a prompt, for a minute at most'],
  ],
  options: {
    to: {
      flags: '--to <address>',
      about: 'the persona to write to, its id or address; several with commas or by repeating',
      required: true,
      many: true,
    },
    from: WHO_WRITES,
    subject: { flags: '--subject <text>', about: 'the subject', fallback: '' },
    text: { flags: '--text <text>', about: 'what to write' },
    messageId: { flags: '--message-id <id>', about: 'the Message-ID, with or without angle brackets' },
    wait: { flags: '--wait [seconds]', about: 'wait for the answer (default: 600)' },
  },
  async run(context, { options }) {
    const waitMs = waitMsOf(options.wait);
    const given = options.messageId === undefined ? undefined : messageIdIn(options.messageId);
    const workspace = context.open();
    const to = addressesIn(options.to, (id) => personaAddress(workspace, id));
    const from = options.from ?? ownerOf(workspace, to);
    const text = options.text ?? (await context.readBody('Write your mail; Ctrl-D on a line of its own sends it.'));
    sayIfAlone(context, workspace);
    const mail = { from, to, subject: options.subject, text, ...(given ? { messageId: given } : {}) };
    const { raw, messageId } = await writeMail(workspace, mail);
    const letter = { raw, messageId, from: addressIn(from), to, asSubmission: true };
    return { message_id: messageId, results: await submitMail(workspace, letter, waitMs) };
  },
  text: ({ message_id, results }, { hint }) => describeResults(message_id, results, hint),
  exitCode: ({ results }) => exitCodeOf(results),
});

function personaAddress({ live }: Workspace, id: string): string | null {
  const entry = live.personas().get(id);
  if (entry) return addressOf(entry);
  if (id.includes('@') || id === '') return null;
  const ids = [...live.personas().all()].map((one) => one.id);
  const nearest = didYouMean(nearestOf(id, ids));
  const which = nearest || (ids.length > 0 && ids.length <= 10 ? `; there are ${ids.join(', ')}` : '');
  throw new EngineError('usage', `${JSON.stringify(id)} is no mail address, and no persona has this id${which}`);
}
