import { readFileSync } from 'node:fs';
import { EngineError } from '#contract';
import { sha256 } from '../../../lib/ids.ts';
import type { ParsedMail } from '../../../mail/mime/types.ts';
import { contentId, parseHead } from '../../../mail/reading/head.ts';
import { createMailParser, type MailParserPool } from '../../../mail/reading/parse.ts';
import { addressesIn, addressIn } from '../../command/addresses.ts';
import { defineCommand } from '../../command/define.ts';
import { waitMsOf } from '../../command/wait-option.ts';
import { describeResults, exitCodeOf } from '../../submit/results.ts';
import { sayIfAlone } from '../../submit/say-if-alone.ts';
import { submitMail } from '../../submit/submit-mail.ts';

export const deliver = defineCommand({
  name: 'deliver',
  summary: 'Hand a mail file to the gateway as a stranger would',
  arguments: [['<file>', 'a file with one mail (.eml)']],
  options: {
    from: { flags: '--from <address>', about: 'envelope sender (default: the From header)' },
    to: {
      flags: '--to <address>',
      about: 'envelope recipient (default: To and Cc); several with commas or by repeating',
      many: true,
    },
    asSubmission: { flags: '--as-submission', about: 'with the rights of `send`' },
    wait: { flags: '--wait [seconds]', about: 'wait for the answer (default: 600)' },
  },
  async run(context, { args: [file], options }) {
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
    sayIfAlone(context, workspace);
    return { message_id: messageId, results: await submitMail(workspace, letter, waitMs) };
  },
  text: ({ message_id, results }, { hint }) => describeResults(message_id, results, hint),
  exitCode: ({ results }) => exitCodeOf(results),
});

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
