import type { Persona, SecurityConfig } from '../config/types.ts';
import { standingOf } from '../mail/access.ts';
import { listId } from '../mail/classify.ts';
import { unproven } from '../mail/identity/judge-sender.ts';
import { addressKey, stripPlusTag } from '../mail/mime/address.ts';
import type { FromHeader, Identity } from '../mail/mime/types.ts';
import type { Admission } from './accept.ts';

/**
 * Whether a mail may start a run for this persona, and as whom. Pure. The order is fixed: gateway deny, persona
 * deny, owners and persona allow, gateway allow, known on this thread (rows decide), default.
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
  return {
    verdict: 'known_or',
    otherwise:
      gateway.default_decision === 'allow'
        ? { verdict: 'admit', tier: 'stranger' }
        : { verdict: 'refuse', code: 'sender_not_allowed' },
  };
}

/**
 * Who wrote the mail as far as this persona is concerned. A signature proves that somebody wrote these words, to the
 * recipients that it covers: what was written to others is no request to this persona, whoever hands it on. A mailing
 * list that the persona takes mail from may stand in its place.
 */
export function identityFor(
  identity: Identity,
  { persona, written }: { persona: Persona /** Of the To and Cc that are proven. */; written: readonly string[] },
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
