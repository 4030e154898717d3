import type { Piece } from '#contract';
import type { Persona, SecurityConfig } from '../../config/types.ts';
import { standingOf } from '../../mail/access.ts';
import { addressKey, matchesPattern, stripPlusTag } from '../../mail/mime/address.ts';
import { piecesOf } from '../../mail/pieces/pieces-of.ts';
import { VERSIONS_DIFFER } from '../../mail/text/words.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { OwnWordsFacts } from './verdict.ts';

/** What the mail that began a run says by itself of whether it can be the yes to a call, by the access rules of today. */
export function mailToCount(
  message: StoredMessage,
  {
    persona,
    access,
    run,
  }: {
    readonly persona: Persona;
    readonly access: SecurityConfig['gateway_access'];
    readonly run: Pick<StoredRun, 'tier' | 'sender'>;
  },
): Pick<OwnWordsFacts, 'isOwner' | 'pieces' | 'others' | 'isOwnerAddress'> & { readonly isOnlyOwner: boolean } {
  const isOwnerAddress = (address: string) => persona.owners.some((owner) => matchesPattern(address, owner));
  const standing = (address: string) => standingOf(address, persona, access);
  const sender = message.from_address ?? '';
  const addresses = othersOf(message, persona).filter((address) => !isOwnerAddress(address));
  const [first, ...more] = persona.owners;
  return {
    isOwner: run.tier === 'owner' && run.sender === sender && standing(sender) === 'owner',
    isOnlyOwner: more.length === 0 && first !== undefined && addressKey(first) === addressKey(sender),
    pieces: asRead(piecesOf(message), message.limitations),
    others: { addresses, isHouse: addresses.every((address) => standing(address) === 'member') },
    isOwnerAddress,
  };
}

/** Of a mail whose two versions say different things nobody can say which of them its sender saw. */
export const asRead = (pieces: readonly Piece[], limitations: readonly string[]): readonly Piece[] =>
  limitations.includes(VERSIONS_DIFFER) ? pieces.map(({ text }) => ({ kind: 'unknown', text })) : pieces;

/** Those who got the mail besides the persona. */
function othersOf({ to, cc }: StoredMessage, { address, aliases }: Persona): readonly string[] {
  const own = new Set([address, ...aliases].map(addressKey));
  return [...to, ...cc].filter((one) => !own.has(addressKey(one)) && !own.has(addressKey(stripPlusTag(one))));
}
