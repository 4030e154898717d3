import type { Persona, SecurityConfig } from '../config/types.ts';
import { standingOf } from './access.ts';
import { addressKey } from './mime/address.ts';

/** A mail of ours that somebody asked for, and what came in answer to it. */
export interface Answered {
  readonly asker: { readonly sender: string | null; readonly tier: string };
  readonly sent: { readonly to: readonly string[]; readonly cc: readonly string[] };
  readonly answer: {
    readonly from_address: string | null;
    readonly tier: string | null;
    readonly to: readonly string[];
    readonly cc: readonly string[];
  };
}

/** To and Cc. */
export const recipientsIn = ({ to, cc }: Answered['sent']): readonly string[] => [...to, ...cc];

/**
 * Whether the one who asked for a mail is told of an answer to it. Only what those write to whom it went is an answer,
 * so what an owner says in the thread beside it reaches nobody by this; and whoever has it already is not told again.
 */
export function isToldOfAnswer(
  { asker, sent, answer }: Answered,
  persona: Pick<Persona, 'owners' | 'access'>,
  gateway: SecurityConfig['gateway_access'],
): boolean {
  if (asker.tier !== 'owner' && asker.tier !== 'member') return false;
  if (answer.tier === null || answer.tier === 'unauthenticated') return false;
  const [who, from] = [addressKey(asker.sender ?? ''), addressKey(answer.from_address ?? '')];
  if (who === null || from === null || who === from) return false;
  const standing = standingOf(who, persona, gateway);
  if (standing !== 'owner' && standing !== 'member') return false;
  const among = (addresses: readonly string[], key: string) => addresses.some((one) => addressKey(one) === key);
  return among(recipientsIn(sent), from) && !among(recipientsIn(answer), who);
}
