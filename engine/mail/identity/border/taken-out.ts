import { createHash } from 'node:crypto';
import { firstHeader, type HeaderLine } from '../../mime/headers.ts';
import type { Identity } from '../../mime/types.ts';
import { AMBIGUOUS, bySignature, type MailToJudge } from '../judge-sender.ts';

/**
 * A mail without any signature of which the border saw one pass: it has taken it out and vouches for what is left. When
 * and what was signed is no longer known, so the same is asked as of a signature that covers all but what few sign: the
 * mail is of its Date, To has to name the persona, the body allows one reading, and the same mail counts once. Pure.
 */
export function withoutSignature(
  headers: readonly HeaderLine[],
  letter: MailToJudge,
  proof: Pick<Identity, 'method' | 'detail'>,
): Identity {
  const open = new Set<string>(AMBIGUOUS.map(([name]) => name.toLowerCase()));
  const covers = [...new Set(headers.map(({ name }) => name))].filter((name) => !open.has(name));
  return bySignature({ covers, signedAt: null }, letter, { ...proof, signatures: [standIn(headers, letter)] });
}

/** Signers make one blank of several. */
const oneLine = (value: string | null): string => (value ?? '').replace(/\s+/g, ' ').trim();

/** In the place of the signature's hash: what every signer signs, and nobody writes twice in one second. */
const standIn = (headers: readonly HeaderLine[], { address }: MailToJudge): string =>
  createHash('sha256')
    .update(
      ['taken out', address, ...['date', 'subject'].map((name) => oneLine(firstHeader(headers, name)))].join('\n'),
    )
    .digest('hex');
