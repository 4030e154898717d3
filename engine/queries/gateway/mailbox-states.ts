import type { GatewayConfig } from '../../config/types.ts';
import type { GatewayState } from './state.ts';

export type MailboxStateShape = Pick<GatewayState['mailboxes'][number], 'id' | 'state' | 'error'>;

/** Every configured mailbox; `disabled` is one that nobody watches: it has no IMAP, or no gateway runs. */
export function mailboxStates(
  { mailboxes }: GatewayConfig,
  watched: readonly MailboxStateShape[],
): MailboxStateShape[] {
  return mailboxes.map(({ id }) => {
    const found = watched.find((one) => one.id === id);
    return { id, state: found?.state ?? 'disabled', error: found?.error ?? null };
  });
}
