import type { ParsedMail } from '../../../engine/mail/mime/types.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import { type MailInput, rawMail } from '../../corpus/build.ts';
import { LIMITS } from './limits.ts';

/** A parsed mail, read in this thread. */
export async function parsed(raw: Uint8Array): Promise<ParsedMail> {
  const outcome = await readMail(Buffer.from(raw), LIMITS);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.mail;
}

export const parsedFrom = (input: MailInput): Promise<ParsedMail> => parsed(rawMail('fixture', input));
