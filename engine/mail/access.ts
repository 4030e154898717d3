import type { Persona, SecurityConfig } from '../config/types.ts';
import { matchesPattern } from './mime/address.ts';

/** What the access rules name an address by itself; null where they do not name it. Whose mail it is has to be proven. */
export function standingOf(
  address: string,
  persona: Pick<Persona, 'owners' | 'access'>,
  gateway: Pick<SecurityConfig['gateway_access'], 'allow' | 'deny'>,
): 'denied' | 'owner' | 'member' | null {
  const any = (patterns: readonly string[]) => patterns.some((pattern) => matchesPattern(address, pattern));
  if (any(gateway.deny) || any(persona.access.deny)) return 'denied';
  if (any(persona.owners)) return 'owner';
  return any(persona.access.allow) || any(gateway.allow) ? 'member' : null;
}
