import type { Persona, SecurityConfig } from '../../config/types.ts';
import { standingOf } from '../../mail/access.ts';
import { classify, listId } from '../../mail/classify.ts';
import { unproven } from '../../mail/identity/judge-sender.ts';
import { addressKey, matchesPattern, stripPlusTag } from '../../mail/mime/address.ts';
import type { FromHeader, Identity, ParsedMail, SilenceCode } from '../../mail/mime/types.ts';
import type { Tier } from '../../storage/types/mail.ts';

export type RefusalCode = 'sender_denied' | 'sender_not_allowed' | 'auth_failed' | 'from_missing' | 'from_ambiguous';

/** What the access rules say of a mail's right to a run. */
export type Admission =
  | { readonly verdict: 'admit'; readonly tier: Tier }
  | { readonly verdict: 'refuse'; readonly code: RefusalCode }
  /** No rule names the sender: an owner may have put them on the thread, else `default_decision` holds. */
  | { readonly verdict: 'unlisted'; readonly byDefault: 'allow' | 'deny' };

/**
 * Whether a mail may start a run for this persona, and as whom. Pure. The order is fixed: gateway deny, persona
 * deny, owners and persona allow, gateway allow. For everybody else the thread and the default decide.
 */
export function admit(options: {
  from: FromHeader;
  identity: Identity;
  persona: Persona;
  security: Pick<SecurityConfig, 'gateway_auth' | 'gateway_access'>;
}): Admission {
  const { from, identity, persona, security } = options;
  if (from.kind === 'missing') return { verdict: 'refuse', code: 'from_missing' };
  if (from.kind === 'ambiguous' || identity.address === null) return { verdict: 'refuse', code: 'from_ambiguous' };
  const monitor = security.gateway_auth.mode === 'monitor';
  const access = accessOf(identity.address, persona, security.gateway_access);
  if (access.verdict === 'refuse' && access.code === 'sender_denied') return access;
  if (!identity.authenticated) {
    // Monitor lets in what enforce refuses, but proof that is missing never becomes authority.
    return monitor ? { verdict: 'admit', tier: 'unauthenticated' } : { verdict: 'refuse', code: 'auth_failed' };
  }
  return access;
}

function accessOf(address: string, persona: Persona, gateway: SecurityConfig['gateway_access']): Admission {
  const standing = standingOf(address, persona, gateway);
  if (standing === 'denied') return { verdict: 'refuse', code: 'sender_denied' };
  if (standing !== null) return { verdict: 'admit', tier: standing };
  return { verdict: 'unlisted', byDefault: gateway.default_decision };
}

/** Whether no row can let the sender in: only somebody whose mail answers a thread can have been put on it. */
export const isRefusedByRules = ({
  admission,
  mail,
}: {
  readonly admission: Admission;
  readonly mail: Pick<ParsedMail, 'references' | 'inReplyTo'>;
}): boolean =>
  admission.verdict === 'refuse' ||
  (admission.verdict === 'unlisted' &&
    admission.byDefault === 'deny' &&
    mail.references.length + mail.inReplyTo.length === 0);

/**
 * Who wrote the mail as far as this persona is concerned. A signature proves that somebody wrote these words, to the
 * recipients that it covers: what was written to others is no request to this persona, whoever hands it on. A mailing
 * list that the persona takes mail from may stand in its place.
 */
export function identityFor(
  identity: Identity,
  {
    persona,
    written,
  }: {
    persona: Persona /** Of the To and Cc that are proven, without what another reader could take for another address. */;
    written: readonly string[];
  },
): Identity {
  if (!identity.authenticated || identity.covers === null) return identity;
  const own = [persona.address, ...persona.aliases].flatMap((address) => addressKey(address) ?? []);
  const lists = persona.access.lists.map(listId);
  const isMeant = written.some((address) => {
    const key = addressKey(stripPlusTag(address)) ?? '';
    // RFC 2919: the id of a list is its address with a dot for the sign.
    return own.includes(key) || own.includes(addressKey(address) ?? '') || lists.includes(key.replace('@', '.'));
  });
  if (isMeant) return identity;
  const detail = `${identity.detail}; the signature covers no To or Cc that names ${persona.address}`;
  return unproven(identity.address, detail);
}

/** The facts that decide whether a mail is ever answered. */
export interface Screened {
  readonly mail: ParsedMail;
  /** MAIL FROM; null when the door knows none. */
  readonly returnPath: string | null;
  /** What is left of X-Epistle-Recursion; null without our signature. Once it is used up, the mail is stopped as loops are. */
  readonly recursion: number | null;
  /** It is a mail that lets somebody into the console, or answers one: no model sees what is in it. */
  readonly isOfLogIn: boolean;
  isOwnAddress(address: string): boolean;
}

/**
 * Why a mail is recorded and never answered, or null. Mail between personas of one gateway is let through with its signed
 * hop count; without our signature, mail from our own address is a loop or a forgery.
 */
export function silenceOf(
  { mail, returnPath, recursion, isOfLogIn, isOwnAddress }: Screened,
  /** `provenMember`: somebody whom an access rule names has written it, proven. */
  { lists, provenMember }: { readonly lists: readonly string[]; readonly provenMember: boolean },
): SilenceCode | null {
  if (isOfLogIn) return 'log_in_mail';
  const fromUs = mail.from.kind === 'one' && isOwnAddress(mail.from.mailbox.address);
  if (fromUs && recursion !== null) return null;
  return classify(mail, {
    returnPath: returnPath ?? undefined,
    isOwnAddress,
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
