import { EngineError } from '#contract';
import { noMailbox } from '../../../config/mailboxes/no-mailbox.ts';
import { defineCommand } from '../../command/define.ts';

/** The answer to the question that is mailed when a folder got other numbers and holds much that nobody has seen. */
export const mailboxResync = defineCommand({
  name: 'mailbox resync',
  summary: 'Say what becomes of the mail that waits since the mailbox was moved or restored',
  arguments: ['<id>'],
  options: {
    take: { flags: '--take', about: 'have it answered, as far as the rules allow' },
    leave: { flags: '--leave', about: 'leave it where it is; `mail retry` takes in one of them' },
  },
  async run({ open }, { args: [id], options: { take = false, leave = false } }) {
    const workspace = open();
    const ids = workspace.live.current().gateway.mailboxes.map((one) => one.id);
    if (!ids.includes(id)) throw new EngineError('not_found', noMailbox(id, ids));
    if (take === leave) throw new EngineError('usage', 'say --take or --leave');
    return {
      mailbox: id,
      what: take ? 'take' : 'leave',
      mails: await workspace.gateway.settleHeld(id, take ? 'take' : 'leave'),
    };
  },
  text: ({ mails, what }) =>
    `${mails} ${mails === 1 ? 'mail is' : 'mails are'} ${what === 'take' ? 'taken in now' : 'left in the mailbox'}.`,
});
