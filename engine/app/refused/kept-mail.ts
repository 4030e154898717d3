import type { MailboxConfig } from '../../config/types.ts';
import type { IncomingMail } from '../../intake/incoming.ts';
import type { Arrival } from '../../mail/mime/types.ts';
import type { RefusedMail } from '../../storage/types/gateway.ts';

/** A refused mail that was kept, as its door would hand it in now; which border a mailbox believes is as it is set now. Pure. */
export function incomingOf(kept: RefusedMail, mailboxes: readonly MailboxConfig[]): IncomingMail {
  const imap = mailboxes.find(({ id }) => id === kept.mailbox)?.imap;
  return {
    raw: kept.raw,
    arrival: arrivalOf(kept, imap?.authserv_id ?? null),
    envelope: { returnPath: kept.return_path, recipients: kept.recipients },
    place: null,
    account: imap?.user ?? null,
    arrivedAt: kept.at,
  };
}

function arrivalOf(kept: RefusedMail, border: string | null): Arrival {
  const { door, authserv_id, ip, helo, mail_from, return_path } = kept;
  switch (door) {
    case 'submission':
      return { door };
    case 'relay':
      return { door, authservId: authserv_id ?? '', mailFrom: return_path };
    case 'stranger':
      return { door, ip: ip ?? '', helo: helo ?? '', mailFrom: mail_from ?? '' };
    case 'imap':
      return { door, authservId: border };
  }
}
