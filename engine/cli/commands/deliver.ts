import { readFileSync } from 'node:fs';
import { EngineError } from '#contract';
import { sha256 } from '../../lib/ids.ts';
import { createMailParser } from '../../mail/parse.ts';
import type { ParsedMail } from '../../mail/types.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { describeResults, exitCodeOf, putThroughDoor } from '../mail-door.ts';
import { waitMsOf } from '../wait-option.ts';

interface DeliverOptions {
  readonly from?: string;
  readonly to?: string;
  readonly asSubmission?: boolean;
  readonly wait?: string | boolean;
}

export const deliverCommand: Register = (program, act) => {
  program
    .command('deliver')
    .description('Hand a mail file to the gateway as a stranger would')
    .argument('<file>', 'a file with one mail (.eml)')
    .option('--from <address>', 'envelope sender (default: the From header)')
    .option('--to <address>', 'envelope recipient (default: To and Cc)')
    .option('--as-submission', 'with the rights of `send`')
    .option('--wait [seconds]', 'wait for the answer')
    .action(act(deliver));
};

async function deliver(context: CommandContext, file: string, options: DeliverOptions): Promise<Outcome> {
  const waitMs = waitMsOf(options.wait);
  const workspace = context.open();
  const raw = readMail(file);
  const parser = createMailParser({ limits: workspace.live.current().gateway.limits });
  const parsed = await parser.parse(raw).finally(() => parser.close());
  const mail = parsed.ok ? parsed.mail : null;
  const to = options.to ? options.to.split(',').map((address) => address.trim()) : recipientsOf(mail);
  if (to.length === 0) throw new EngineError('usage', 'the mail names no recipient; give one with --to');
  const from = options.from ?? (mail?.from.kind === 'one' ? mail.from.mailbox.address : '');
  const messageId = mail?.messageId ?? `<sha256-${sha256(raw).slice(0, 32)}@content.invalid>`;
  const letter = { raw, messageId, from, to, asSubmission: options.asSubmission === true };
  const results = await putThroughDoor(workspace, letter, waitMs);
  return {
    data: { message_id: messageId, results },
    text: describeResults(messageId, results),
    exitCode: exitCodeOf(results),
  };
}

function readMail(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new EngineError('not_found', `cannot read ${file}`, { cause });
  }
}

const recipientsOf = (mail: ParsedMail | null): string[] =>
  mail === null ? [] : [...new Set([...mail.to, ...mail.cc].map(({ address }) => address))];
