import type { MailboxConfig, SecurityConfig } from '../../config/types.ts';
import type { SettingChange } from '../../config/writing/settings.ts';
import type { LearnedServer } from './learn.ts';

/** Pure. What is to be set for what was learned of a mailbox; nothing where it is set already. */
export function learnedSettings(
  { authservId, trustedReceived }: LearnedServer,
  present: { readonly mailboxes: readonly MailboxConfig[]; readonly security: SecurityConfig; readonly id: string },
): readonly SettingChange[] {
  const mailbox = present.mailboxes.find(({ id }) => id === present.id);
  const known = mailbox?.imap?.authserv_id ?? null;
  if (mailbox === undefined) return [];
  const trusted = present.security.gateway_auth.trusted_received;
  const missing = trustedReceived.filter((host) => !trusted.includes(host));
  return [
    ...(authservId === null || known?.toLowerCase() === authservId
      ? []
      : [
          {
            file: 'configs/gateway.json',
            path: ['mailboxes', present.id, 'imap', 'authserv_id'],
            from: known,
            to: authservId,
          },
        ]),
    ...(missing.length === 0
      ? []
      : [
          {
            file: 'configs/security.json',
            path: ['gateway_auth', 'trusted_received'],
            from: trusted,
            to: [...trusted, ...missing],
          },
        ]),
  ];
}
