import { addressKey, normaliseAddress, stripPlusTag } from './mime/address.ts';
import type { ParsedMail } from './mime/types.ts';

const MAX_CANDIDATES = 100;

/**
 * Addresses a mail may be for, best first, without repeats. SMTP tells its recipients and nothing else counts; a
 * mailbox has to go by what its server noted (Delivered-To, X-Original-To) and then by To and Cc.
 */
export function candidateAddresses(
  mail: Pick<ParsedMail, 'deliveredTo' | 'to' | 'cc'>,
  envelopeTo: readonly string[] | null,
  { without = null }: { /** An account that Delivered-To is not to name. */ without?: string | null } = {},
): string[] {
  const noted = mail.deliveredTo.filter((address) => without === null || !isOfAccount(address, without));
  const written = [...noted, ...mail.to.map((box) => box.address), ...mail.cc.map((box) => box.address)];
  const byKey = new Map<string, string>();
  for (const candidate of envelopeTo ?? written) {
    const key = addressKey(candidate);
    const address = normaliseAddress(candidate);
    if (key && address && !byKey.has(key) && byKey.size < MAX_CANDIDATES) byKey.set(key, address);
  }
  return [...byKey.values()];
}

/** Also with a plus-tag; an account may be a bare login name. */
function isOfAccount(address: string, account: string): boolean {
  const plain = stripPlusTag(address).toLowerCase();
  return (account.includes('@') ? plain : plain.slice(0, plain.lastIndexOf('@'))) === account.toLowerCase();
}
