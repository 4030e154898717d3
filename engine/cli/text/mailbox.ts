import type { MailboxStateShape } from '../../queries/gateway/mailbox-states.ts';

/** For people: what `disabled` is about. */
export function mailboxInWords(
  { state, error }: Pick<MailboxStateShape, 'state' | 'error'>,
  isRunning: boolean,
): string {
  if (state === 'disabled' && !isRunning) return 'not watched, no gateway runs';
  return error ? `${state}: ${error}` : state;
}
