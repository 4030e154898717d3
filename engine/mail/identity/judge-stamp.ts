import { domainOf } from '../mime/address.ts';
import type { HeaderLine } from '../mime/headers.ts';
import type { Identity } from '../mime/types.ts';
import { isRelated, type StampedVerdict } from './authentication-results.ts';
import { bySignature, type MailToJudge, unproven } from './judge-sender.ts';
import { readSignatures, type SignatureTags } from './signature-header.ts';

/** What the border's verdict is worth. A border checks signatures, and does not say what they leave out. Pure. */
export function judgeStamp(verdict: StampedVerdict, headers: readonly HeaderLine[], letter: MailToJudge): Identity {
  const { address } = letter;
  const { passed, detail, spfAligned } = verdict;
  if (!passed) return unproven(address, detail);
  const method = 'authentication-results';
  const meant = readSignatures(headers).filter((tags) => isMeant(tags, verdict, domainOf(address)));
  const signatures = meant.map(({ sha256 }) => sha256);
  // A border that took the signature out has vouched for the rest.
  if (spfAligned || meant.length === 0) {
    return { address, authenticated: true, method, covers: null, signatures, detail, temporary: false };
  }
  if (meant.some(({ partial }) => partial))
    return unproven(address, `${detail}; the signature leaves out the end (l=)`);
  const present = new Set(headers.map(({ name }) => name));
  return bySignature(
    {
      covers: [...present].filter((name) => meant.every(({ covers }) => covers.includes(name))),
      signedAt: earliest(meant),
    },
    letter,
    { method, signatures, detail },
  );
}

/** Which of them passed, as far as the border tells. Of several, those that claim too much were written by somebody else. */
function isMeant(tags: SignatureTags, { signers }: StampedVerdict, from: string): boolean {
  if (signers.length === 0) return isRelated(tags.domain, from);
  return signers.some(
    ({ domain, selector, signature }) =>
      (tags.domain === domain || domain.endsWith(`.${tags.domain}`)) &&
      (selector === null || tags.selector === selector) &&
      (signature === null || tags.value.toLowerCase().startsWith(signature)),
  );
}

function earliest(meant: readonly SignatureTags[]): number | null {
  const times = meant.map(({ signedAt }) => signedAt);
  return times.some((time) => time === null) ? null : Math.min(...times.map(Number));
}
