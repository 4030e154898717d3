import MailComposer from 'nodemailer/lib/mail-composer';
import { EngineError } from '#contract';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { describeResults, exitCodeOf, putThroughDoor } from '../mail-door.ts';
import { waitMsOf } from '../wait-option.ts';

interface SendOptions {
  readonly to: string;
  readonly from?: string;
  readonly subject?: string;
  readonly messageId?: string;
  readonly wait?: string | boolean;
}

export const sendCommand: Register = (program, act) => {
  program
    .command('send')
    .description('Write a mail to a persona; the body is read from stdin')
    .requiredOption('--to <address>', 'the persona to write to')
    .option('--from <address>', 'who writes (default: the first owner)')
    .option('--subject <text>', 'the subject', '')
    .option('--message-id <id>', 'the Message-ID, with or without angle brackets')
    .option('--wait [seconds]', 'wait for the answer')
    .action(act(send));
};

async function send(context: CommandContext, options: SendOptions): Promise<Outcome> {
  const waitMs = waitMsOf(options.wait);
  const workspace = context.open();
  const { security, gateway } = workspace.live.current();
  const from = options.from ?? security.owners[0];
  if (!from) throw new EngineError('usage', 'no --from, and no owner is set in configs/security.json');
  const given = options.messageId?.replace(/^<?(.*?)>?$/, '<$1>');
  const messageId = given ?? `<${workspace.ids.next()}@cli.${gateway.domain}>`;
  const to = options.to.split(',').map((address) => address.trim());
  const text = await context.readBody();
  const composer = new MailComposer({
    from,
    to,
    subject: options.subject ?? '',
    messageId,
    date: new Date(workspace.clock.now()),
    text: text === '' ? '\n' : text,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const raw = await composer.compile().build();
  const results = await putThroughDoor(workspace, { raw, messageId, from, to, asSubmission: true }, waitMs);
  return {
    data: { message_id: messageId, results },
    text: describeResults(messageId, results),
    exitCode: exitCodeOf(results),
  };
}
