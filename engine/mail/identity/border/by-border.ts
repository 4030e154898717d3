import { domainOf } from '../../mime/address.ts';
import type { Identity } from '../../mime/types.ts';
import { type MailToJudge, unproven } from '../judge-sender.ts';
import type { Peer } from '../sender-check.ts';
import {
  BORDER_SAYS,
  type Border,
  NO_BORDER,
  NO_VERDICT,
  readVerdict,
  type Stamped,
} from './authentication-results.ts';
import { judgeStamp, policyOf } from './judge-stamp.ts';
import { peerOf } from './peer.ts';
import { isBorderName, UNNAMED } from './results-header.ts';

/** What the gateway's own check has to say yes to as well: the bytes, or what the border's yes rests on. */
export interface ToCheck {
  /** Where that is the sender's own server: the connection that it took the mail from; null where its line does not tell. */
  readonly peer: Peer | null;
  /**
   * The border tells of no DMARC and has said yes to the domain's own signature. A neighbour who signs an old mail once more must
   * not make it new.
   */
  readonly byItself: boolean;
}

/** What a border's word is worth. */
export interface ByBorder {
  readonly identity: Identity;
  /** Null: its word is all there is. */
  readonly toCheck: ToCheck | null;
}

/**
 * Borders that write a mail anew behind their check, so that its signatures do not hold any more where it lies: Microsoft
 * encodes it anew, Proton decrypts it. How these two write what a sender chose is known.
 */
const REWRITES: ReadonlySet<string> = new Set([UNNAMED, 'mail.protonmail.ch']);

/** Whether the border proves who wrote the mail. Pure. */
export function byBorder({ headers, mailFrom }: Stamped, border: Border, letter: MailToJudge): ByBorder {
  const { authservId } = border;
  const nobody = (detail: string) => ({ identity: unproven(letter.address, detail), toCheck: null });
  if (!isBorderName(authservId)) return nobody(`${JSON.stringify(authservId)}${NO_BORDER}`);
  const verdict = readVerdict(headers, border, { mailFrom });
  if (verdict.kind === 'silent') return nobody(`${NO_VERDICT}${authservId}`);
  // One that was heard and proves nobody is named: then it is not its name that is set wrong.
  if (verdict.kind !== 'said') return nobody(`${authservId}${BORDER_SAYS}${verdict.detail}`);
  const peer = peerOf(headers, border, domainOf(letter.address));
  const isChecked = !REWRITES.has(authservId.toLowerCase()) && peer !== 'inside';
  const identity = judgeStamp(verdict, { headers, mailFrom }, letter, isChecked);
  if (!identity.authenticated) return nobody(`${authservId}${BORDER_SAYS}${identity.detail}`);
  if (!isChecked) return { identity, toCheck: null };
  // An old mail that is handed in by a server of the domain is none of its own: only where that is what the border says.
  const byItself = policyOf(verdict.dmarc, letter.address) !== 'pass';
  return { identity, toCheck: { peer: identity.covers === null ? peer : null, byItself } };
}
