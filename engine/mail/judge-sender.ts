import { domainOf } from './address.ts';
import type { SenderFacts, SignatureFacts } from './sender-check.ts';
import type { Identity } from './types.ts';

export const unproven = (address: string | null, detail: string, temporary = false): Identity => ({
  address,
  authenticated: false,
  method: 'none',
  detail,
  temporary,
});

/** Whether the check of its bytes proves that a mail was written by `address`. Pure. */
export function judgeSender(facts: SenderFacts, address: string): Identity {
  const domain = domainOf(address);
  const { dmarc, spf, arc, dnsFailed } = facts;
  const signature = facts.signatures.find(isWhole);
  const said = [
    `dmarc=${dmarc?.result ?? 'none'}`,
    `dkim=${signature ? `pass (${signature.domain})` : 'none'}`,
    `spf=${spf ? `pass (${spf})` : 'none'}`,
  ].join(' ');
  if (dmarc?.domain !== domain) return unproven(address, `${said}: no single author domain`, dnsFailed);
  const ground = groundOf(dmarc, { isSigned: signature !== undefined, spf, domain });
  if (ground !== null) {
    return { address, authenticated: true, method: 'dmarc', detail: said + ground, temporary: false };
  }
  // ARC tells what another server saw. It may explain a failure and proves nobody (RFC 8617 section 7.2).
  const seen = arc === null ? '' : ` arc=${arc}`;
  return unproven(address, said + seen, dnsFailed || dmarc.result === 'temperror');
}

/** Passed, aligned, and over the whole body: with `l=` anyone may add text below what was signed. */
const isWhole = ({ passed, aligned, testing, partial, outOfTime, covered }: SignatureFacts): boolean =>
  passed && aligned && !testing && !partial && !outOfTime && covered.includes('from');

/** Why From is proven, as the end of a sentence; null when it is not. */
function groundOf(
  dmarc: NonNullable<SenderFacts['dmarc']>,
  { isSigned, spf, domain }: { isSigned: boolean; spf: string | null; domain: string },
): string | null {
  if (dmarc.result === 'pass') return isSigned || (spf !== null && dmarc.spfAligned) ? '' : null;
  if (dmarc.result !== 'none') return null;
  if (isSigned) return ': no DMARC record, but an aligned DKIM signature';
  return spf === domain || spf?.endsWith(`.${domain}`) ? ': no DMARC record, but aligned SPF' : null;
}
