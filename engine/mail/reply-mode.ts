import type { Persona } from '../config/types.ts';
import { matchesPattern } from './mime/address.ts';

/**
 * Whether an answer is sent or lies in Drafts: the first rule that names its sender, else the persona's mode. A rule that
 * lets mail leave wants the sender proven, since anybody can claim to be an address.
 */
export function replyMode(
  { mode, rules }: Persona['reply'],
  { sender, isProven }: { readonly sender: string; readonly isProven: boolean },
): Persona['reply']['mode'] {
  const rule = rules.find((one) => matchesPattern(sender, one.sender) && (isProven || one.mode === 'draft'));
  return rule?.mode ?? mode;
}
