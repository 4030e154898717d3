import { type Box, mailboxesToSendBy, mailboxToSendBy, type Sender } from '../mailboxes/sending-mailbox.ts';
import { personaFileOf } from '../persona-file.ts';
import type { Setting } from './settings.ts';

/**
 * Pure. What has to be written down of personas when the mailboxes become others: of those for which two could be from then
 * on, the one by which they have sent so far. `before` and `after` may be the same: then it was never written down.
 */
export function senderSettings(
  personas: Iterable<{ readonly id: string; readonly file: Sender }>,
  { before, after }: { readonly before: readonly Box[]; readonly after: readonly Box[] },
): readonly Setting[] {
  return [...personas].flatMap(({ id, file }) => {
    const could = mailboxesToSendBy(after, file);
    if (could.length < 2) return [];
    const used = mailboxToSendBy(before, file);
    const to = used !== null && could.includes(used) ? used : could[0];
    return to === undefined ? [] : [{ file: personaFileOf(id), path: ['mailbox'], to }];
  });
}
