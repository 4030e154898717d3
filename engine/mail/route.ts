import { addressKey, normaliseAddress } from './address.ts';
import type { ParsedMail } from './types.ts';

const MAX_CANDIDATES = 100;

/**
 * Addresses a mail may be for, best first, without repeats. SMTP tells its recipients and nothing else counts; a
 * mailbox has to go by what its server noted (Delivered-To, X-Original-To) and then by To and Cc.
 */
export function candidateAddresses(
  mail: Pick<ParsedMail, 'deliveredTo' | 'to' | 'cc'>,
  envelopeTo: readonly string[] | null,
): string[] {
  const written = [...mail.deliveredTo, ...mail.to.map((box) => box.address), ...mail.cc.map((box) => box.address)];
  const byKey = new Map<string, string>();
  for (const candidate of envelopeTo ?? written) {
    const key = addressKey(candidate);
    const address = normaliseAddress(candidate);
    if (key && address && !byKey.has(key) && byKey.size < MAX_CANDIDATES) byKey.set(key, address);
  }
  return [...byKey.values()];
}
