import type { MailboxConfig, PersonaFile } from '../types.ts';
import { mailboxToSendBy, receiving, type WhoeverSends } from './sending-mailbox.ts';

type Box = Pick<MailboxConfig, 'id' | 'imap' | 'smtp'>;

/**
 * The mailbox in whose Drafts a persona's answers are put: the one that it names, else the one by which it sends, else the one
 * that receives its address; null where that has no IMAP, or there is none.
 */
export function draftsMailbox<One extends Box>(mailboxes: readonly One[], sender: WhoeverSends): One | null {
  const withImap = mailboxes.filter(({ imap }) => imap !== undefined);
  const own = sender.mailbox ?? mailboxToSendBy(mailboxes, sender);
  const named = withImap.find(({ id }) => id === own);
  if (named || sender.mailbox !== null) return named ?? null;
  for (const how of ['exact', 'tag', 'maybe'] as const) {
    const found = withImap.find((one) => receiving(one, sender.address) === how);
    if (found) return found;
  }
  return withImap[0] ?? null;
}

/** The mailboxes in whose Drafts answers of these personas are put, by id. */
export const mailboxesOfDrafts = (
  mailboxes: readonly MailboxConfig[],
  personas: readonly (Pick<PersonaFile, 'reply'> & WhoeverSends)[],
): ReadonlySet<string> =>
  new Set(
    personas.flatMap((persona) =>
      keyOfDrafts(persona.reply) === null ? [] : (draftsMailbox(mailboxes, persona)?.id ?? []),
    ),
  );

/** The first key that asks for drafts; null where nothing does. */
export function keyOfDrafts({ mode, rules }: PersonaFile['reply']): string | null {
  if (mode === 'draft') return 'reply.mode';
  const rule = rules.findIndex((one) => one.mode === 'draft');
  return rule < 0 ? null : `reply.rules.${rule}.mode`;
}
