import { readFileSync } from 'node:fs';
import { EngineError } from '#contract';
import { sha256 } from '../../lib/ids.ts';
import type { ParsedMail } from '../../mail/mime/types.ts';
import { contentId, parseHead } from '../../mail/reading/head.ts';
import { createMailParser, type MailParserPool } from '../../mail/reading/parse.ts';
import { addressesIn, addressIn } from '../addresses.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { describeResults, exitCodeOf } from '../submit/results.ts';
import { putThroughDoor } from '../submit/submit-mail.ts';
import { waitMsOf } from '../wait-option.ts';

interface DeliverOptions {
  readonly from?: string;
  readonly to?: readonly string[];
  readonly asSubmission?: boolean;
  readonly wait?: string | boolean;
}

export const deliverCommand: Register = (program, act) => {
  program
    .command('deliver')
    .description('Hand a mail file to the gateway as a stranger would')
    .argument('<file>', 'a file with one mail (.eml)')
    .option('--from <address>', 'envelope sender (default: the From header)')
    .option('--to <address>', 'envelope recipient (default: To and Cc); several with commas or by repeating', collect)
    .option('--as-submission', 'with the rights of `send`')
    .option('--wait [seconds]', 'wait for the answer')
    .action(act(deliver));
};

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

async function deliver(context: CommandContext, file: string, options: DeliverOptions): Promise<Outcome> {
  const waitMs = waitMsOf(options.wait);
  const raw = asSent(readMail(file));
  const workspace = context.open();
  const parser = createMailParser({ limits: workspace.live.current().gateway.limits });
  const mail = await understood(parser, raw).finally(() => parser.close());
  const to = options.to ? addressesIn(options.to) : recipientsOf(mail);
  if (to.length === 0) throw new EngineError('usage', 'the mail names no recipient; give one with --to');
  const from = options.from ? addressIn(options.from) : (senderOf(mail) ?? '');
  const messageId = mail?.messageId ?? contentId(sha256(raw));
  const letter = { raw, messageId, from, to, asSubmission: options.asSubmission === true };
  const results = await putThroughDoor(workspace, letter, waitMs);
  return {
    data: { message_id: messageId, results },
    text: describeResults(messageId, results),
    exitCode: exitCodeOf(results),
  };
}

/** The gateway knows a mail that it could not read by its headers, too. */
async function understood(parser: MailParserPool, raw: Uint8Array): Promise<ParsedMail | null> {
  const parsed = await parser.parse(raw);
  return parsed.ok ? parsed.mail : parseHead(parser, raw);
}

function readMail(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new EngineError('not_found', `cannot read ${file}; give the path of a file with one mail`, { cause });
  }
}

/**
 * The bytes as they arrive over SMTP: lines end in CRLF, the last one too. A file written by hand has LF, and the
 * Message-ID of a mail without one is a hash of what arrives.
 */
function asSent(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/(?<!\r)\n/g, '\r\n');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}

const senderOf = (mail: ParsedMail | null): string | null =>
  mail?.from.kind === 'one' ? mail.from.mailbox.address : null;

const recipientsOf = (mail: ParsedMail | null): string[] =>
  mail === null ? [] : [...new Set([...mail.to, ...mail.cc].map(({ address }) => address))];
