import type { MailboxConfig, PersonaFile } from './types.ts';

/**
 * The mailbox in whose Drafts a persona's answers are put: its own, else the first that can also send, else the first
 * with IMAP; null where that has no IMAP, or there is none.
 */
export function draftsMailbox<Box extends Pick<MailboxConfig, 'id' | 'imap' | 'smtp'>>(
  mailboxes: readonly Box[],
  own: string | null,
): Box | null {
  const withImap = mailboxes.filter(({ imap }) => imap !== undefined);
  if (own !== null) return withImap.find(({ id }) => id === own) ?? null;
  return withImap.find(({ smtp }) => smtp !== undefined) ?? withImap[0] ?? null;
}

/** The mailboxes in whose Drafts answers of these personas are put, by id. */
export const mailboxesOfDrafts = (
  mailboxes: readonly MailboxConfig[],
  personas: readonly Pick<PersonaFile, 'reply' | 'mailbox'>[],
): ReadonlySet<string> =>
  new Set(
    personas.flatMap(({ reply, mailbox }) =>
      keyOfDrafts(reply) === null ? [] : (draftsMailbox(mailboxes, mailbox)?.id ?? []),
    ),
  );

/** The first key that asks for drafts; null where nothing does. */
export function keyOfDrafts({ mode, rules }: PersonaFile['reply']): string | null {
  if (mode === 'draft') return 'reply.mode';
  const rule = rules.findIndex((one) => one.mode === 'draft');
  return rule < 0 ? null : `reply.rules.${rule}.mode`;
}
