import type { Persona } from '../../config/types.ts';
import { addressKey, isSendable } from '../../mail/mime/address.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';

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

/** How many get the answer beside its sender who may not be told what owners may be told. */
export async function alsoReading(
  options: Parameters<typeof recipientsOf>[0] & { readonly persona: Pick<Persona, 'owners'> },
): Promise<number> {
  if (options.loaded.trigger.kind !== 'mail') return 0;
  const owners = new Set(options.persona.owners.map((address) => addressKey(address)));
  const { cc } = await recipientsOf(options);
  return cc.filter((address) => !owners.has(address)).length;
}

/** Nobody where no mail began the run. */
export async function recipientsOf(options: {
  readonly loaded: Pick<LoadedRun, 'run' | 'message' | 'trigger'>;
  readonly persona: Pick<Persona, 'reply'>;
  readonly store: Pick<Store, 'knownParticipants'>;
  isOwnAddress(address: string): boolean;
}): Promise<ReplyRecipients> {
  const { loaded, persona, store } = options;
  const { run, message } = loaded;
  if (loaded.trigger.kind === 'delegation') return { to: [], cc: [] };
  const policy = persona.reply.recipients;
  const recipients = replyRecipients({
    policy,
    unproven: run.tier === 'unauthenticated',
    sender: (run.tier === 'unauthenticated' ? null : message.reply_to) ?? message.from_address ?? '',
    to: message.to,
    cc: message.cc,
    known: policy === 'known' ? await store.knownParticipants(run.thread_id) : new Set(),
    isOwnAddress: options.isOwnAddress,
  });
  return { to: recipients.to.filter(isSendable), cc: recipients.cc.filter(isSendable) };
}
