import type { Persona } from '../../config/types.ts';
import { classify } from '../../mail/classify.ts';
import { addressKey, matchesPattern } from '../../mail/mime/address.ts';
import type { Identity, ParsedMail, SilenceCode } from '../../mail/mime/types.ts';

/** The facts that decide whether a mail is ever answered. */
export interface Screened {
  readonly mail: ParsedMail;
  /** MAIL FROM; null when the door knows none. */
  readonly returnPath: string | null;
  /** What is left of X-Epistle-Recursion; null without our signature. Once it is used up, the mail is stopped as loops are. */
  readonly recursion: number | null;
  isOwnAddress(address: string): boolean;
  isOwnMessageId(id: string): boolean;
}

/**
 * Why a mail is recorded and never answered, or null. Mail between personas of one gateway is let through with its signed
 * hop count; without our signature, mail from our own address is a loop or a forgery.
 */
export function silenceOf(
  { mail, returnPath, recursion, isOwnAddress, isOwnMessageId }: Screened,
  /** `provenMember`: somebody whom an access rule names has written it, proven. */
  { lists, provenMember }: { readonly lists: readonly string[]; readonly provenMember: boolean },
): SilenceCode | null {
  const fromUs = mail.from.kind === 'one' && isOwnAddress(mail.from.mailbox.address);
  if (fromUs && recursion !== null) return null;
  return classify(mail, {
    returnPath: returnPath ?? undefined,
    isOwnAddress,
    isOwnMessageId,
    lists,
    authenticatedMember: provenMember,
  });
}

/**
 * Where an answer goes: to From, unless there is one Reply-To that the access rules allow by themselves. A Reply-To
 * elsewhere is the usual shape of invoice fraud, and at a public provider the same domain is everybody's.
 */
export function replyAddress(mail: ParsedMail, identity: Identity, persona: Persona): string | null {
  const from = identity.address;
  const [replyTo, ...more] = mail.replyTo;
  const wanted = replyTo ? addressKey(replyTo.address) : null;
  if (from === null || wanted === null || more.length > 0) return from;
  const allowed = [...persona.owners, ...persona.access.allow].some((pattern) => matchesPattern(wanted, pattern));
  return identity.authenticated && allowed ? wanted : from;
}
