import type { Persona } from '../config/types.ts';
import { classify } from '../mail/classify.ts';
import { addressKey, matchesPattern } from '../mail/mime/address.ts';
import type { Identity, ParsedMail, SilenceCode } from '../mail/mime/types.ts';

/**
 * Why a mail is recorded and never answered, or null. Mail between personas of one gateway is let through while
 * its signed hop count lasts; without our signature, mail from our own address is a loop or a forgery.
 */
export function silenceOf(options: {
  mail: ParsedMail;
  returnPath: string | null;
  /** What is left of X-Epistle-Recursion; null without our signature. */
  recursion: number | null;
  lists: readonly string[];
  provenMember: boolean;
  isOwnAddress(address: string): boolean;
  isOwnMessageId(id: string): boolean;
}): SilenceCode | null {
  const { mail, recursion, isOwnAddress } = options;
  const fromUs = mail.from.kind === 'one' && isOwnAddress(mail.from.mailbox.address);
  if (fromUs && recursion !== null) return recursion > 0 ? null : 'hop_limit';
  return classify(mail, {
    returnPath: options.returnPath ?? undefined,
    isOwnAddress,
    isOwnMessageId: options.isOwnMessageId,
    lists: options.lists,
    authenticatedMember: options.provenMember,
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
