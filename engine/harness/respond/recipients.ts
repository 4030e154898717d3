import type { Persona } from '../../config/types.ts';
import { addressKey } from '../../mail/mime/address.ts';

export interface ReplyRecipients {
  readonly to: readonly string[];
  readonly cc: readonly string[];
}

/**
 * To whom the answer goes: policy over rows, never the model's choice. The sender always; with `known` those
 * of To and Cc whom an owner put on the thread; with `all` every address of To and Cc. Never ourselves. Of a mail that
 * nobody proved no header chooses a reader: the answer goes to the address that it claims to be from, and no further.
 */
export function replyRecipients(options: {
  policy: Persona['reply']['recipients'];
  /** Nobody proved who wrote the mail. */
  unproven: boolean;
  sender: string;
  to: readonly string[];
  cc: readonly string[];
  known: ReadonlySet<string>;
  isOwnAddress(address: string): boolean;
}): ReplyRecipients {
  const { policy, sender, known, isOwnAddress } = options;
  const others = policy === 'sender' || options.unproven ? [] : [...options.to, ...options.cc];
  const cc = others
    .flatMap((address) => addressKey(address) ?? [])
    .filter((address) => address !== sender && !isOwnAddress(address))
    .filter((address) => policy === 'all' || known.has(address));
  return { to: [sender], cc: [...new Set(cc)].slice(0, 100) };
}
