import type { Persona } from '../../config/types.ts';
import { addressKey } from '../../mail/address.ts';

export interface ReplyRecipients {
  readonly to: readonly string[];
  readonly cc: readonly string[];
}

/**
 * To whom the answer goes: policy over rows, never the model's choice. The sender always; with `known` those
 * of To and Cc whom an owner put on the thread; with `all` every address of To and Cc. Never ourselves.
 */
export function replyRecipients(options: {
  policy: Persona['reply']['recipients'];
  sender: string;
  to: readonly string[];
  cc: readonly string[];
  known: ReadonlySet<string>;
  isOwnAddress(address: string): boolean;
}): ReplyRecipients {
  const { policy, sender, known, isOwnAddress } = options;
  const others = policy === 'sender' ? [] : [...options.to, ...options.cc];
  const cc = others
    .flatMap((address) => addressKey(address) ?? [])
    .filter((address) => address !== sender && !isOwnAddress(address))
    .filter((address) => policy === 'all' || known.has(address));
  return { to: [sender], cc: [...new Set(cc)].slice(0, 100) };
}
