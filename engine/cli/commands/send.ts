import MailComposer from 'nodemailer/lib/mail-composer';
import { EngineError } from '#contract';
import { messageIdIn } from '../../queries/message-id.ts';
import type { Workspace } from '../../workspace.ts';
import { addressesIn, addressIn } from '../addresses.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { describeResults, exitCodeOf } from '../submit/results.ts';
import { putThroughDoor } from '../submit/submit-mail.ts';
import { waitMsOf } from '../wait-option.ts';

interface SendOptions {
  readonly to: readonly string[];
  readonly from?: string;
  readonly subject?: string;
  readonly messageId?: string;
  readonly wait?: string | boolean;
}

export const sendCommand: Register = (program, act) => {
  program
    .command('send')
    .description('Write a mail to a persona; the body is read from stdin')
    .requiredOption('--to <address>', 'the persona to write to; several with commas or by repeating', collect)
    .option('--from <address>', 'who writes (default: the first owner)')
    .option('--subject <text>', 'the subject', '')
    .option('--message-id <id>', 'the Message-ID, with or without angle brackets')
    .option('--wait [seconds]', 'wait for the answer')
    .action(act(send));
};

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

async function send(context: CommandContext, options: SendOptions): Promise<Outcome> {
  const waitMs = waitMsOf(options.wait);
  const to = addressesIn(options.to);
  const given = options.messageId === undefined ? undefined : messageIdIn(options.messageId);
  const workspace = context.open();
  const from = options.from ?? ownerOf(workspace);
  const text = await context.readBody();
  const { raw, messageId } = await writeMail(workspace, {
    from,
    to,
    subject: options.subject ?? '',
    text,
    ...(given ? { messageId: given } : {}),
  });
  const letter = { raw, messageId, from: addressIn(from), to, asSubmission: true };
  const results = await putThroughDoor(workspace, letter, waitMs);
  return {
    data: { message_id: messageId, results },
    text: describeResults(messageId, results),
    exitCode: exitCodeOf(results),
  };
}

/** The first owner, in whose name commands write. Throws `usage` when there is none. */
export function ownerOf({ live }: Workspace): string {
  const [owner] = live.current().security.owners;
  if (!owner) {
    throw new EngineError('usage', 'no owner is set in configs/security.json; add one there, or give --from');
  }
  return owner;
}

export async function writeMail(
  { clock, ids, live }: Workspace,
  mail: {
    from: string;
    to: string[];
    subject: string;
    text: string;
    messageId?: string;
    inReplyTo?: string;
    references?: string[];
  },
): Promise<{ raw: Uint8Array; messageId: string }> {
  const messageId = mail.messageId ?? `<${ids.next()}@cli.${live.current().gateway.domain}>`;
  const composer = new MailComposer({
    ...mail,
    messageId,
    date: new Date(clock.now()),
    text: mail.text === '' ? '\n' : mail.text,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { raw: await composer.compile().build(), messageId };
}
