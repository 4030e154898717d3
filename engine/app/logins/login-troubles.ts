import type { MailboxConfig } from '../../config/types.ts';
import type { RefusedOften } from '../../gateway/imap/types.ts';
import { iso } from '../../lib/clock.ts';
import { minuteHere } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Trouble } from '../../mailbox/oauth/accounts.ts';
import { accountOf, clientOfMailbox } from '../../mailbox/oauth/client.ts';
import { noticeTo, type Telling as Parts } from '../telling/tell-owners.ts';

/** One notice for each login that only a person can mend, and for each that was so when the gateway started. */
export function tellOfLogins(worker: Parts): void {
  const { logins, serverLogins, log } = worker.workspace;
  const hear = (trouble: Trouble) => {
    const { fault } = trouble.judged;
    log.error(
      { account: trouble.client.user, code: fault.code, cause: fault.cause, cure: fault.cure },
      'a login is needed',
    );
    tell(worker, trouble).catch((error: unknown) =>
      log.error({ error: String(error) }, 'nobody could be told that a login is needed'),
    );
  };
  logins.onTrouble(hear);
  serverLogins.onTrouble(hear);
}

async function tell({ workspace, announce }: Parts, trouble: Trouble): Promise<void> {
  const { clock, live } = workspace;
  const { client, judged, account, grantedAt } = trouble;
  const since = `Since ${minuteHere(clock.now())}`;
  // The id is the purpose of the mail: of the same login and the same reason its owners hear once, over restarts, too.
  const id = `notice:login:${account}:${grantedAt}:${judged.fault.code}`;
  if (client.server !== null) {
    const text = [
      `${since} the tools of ${client.user} are missing: ${judged.fault.cause}.`,
      '',
      `What helps: ${judged.fault.cure}. Mail is answered meanwhile without them.`,
    ].join('\n');
    await noticeTo({ workspace, announce }, () => false, { id, subject: `A login is needed: ${client.user}`, text });
    return;
  }
  const { mailboxes } = live.current().gateway;
  const ids = mailboxes.filter((one) => isOf(one, account)).map(({ id }) => id);
  const text = [
    `${since} ${named(ids)} cannot log in: ${judged.fault.cause}.`,
    '',
    `What helps: ${judged.fault.cure}. Nothing is tried before that, and nothing is lost: mail that came and mail that is to`,
    'leave waits for it, however long it takes.',
  ].join('\n');
  await noticeTo({ workspace, announce }, (one) => one.smtp?.auth === 'oauth' && isOf(one, account), {
    id,
    subject: `A login is needed: ${client.user}`,
    text,
  });
}

/** One notice, a day at most, when the server of a mailbox goes on refusing what it is logged in to with. */
export function tellOfRefusals(parts: Parts, mailbox: MailboxConfig, { since, error }: RefusedOften): void {
  const text = [
    `Since ${minuteHere(since)} the server refuses the login of the mailbox ${mailbox.id}: ${error}.`,
    '',
    'It is tried again about once an hour, and at once when the password or the login is another one. Mail that comes',
    'meanwhile stays in the mailbox, and is taken then.',
  ].join('\n');
  noticeTo(parts, (one) => one.id === mailbox.id, {
    id: `notice:mailbox_refused:${mailbox.id}:${iso(since).slice(0, 10)}`,
    subject: `A mailbox refuses its login: ${mailbox.imap?.user ?? mailbox.id}`,
    text,
  }).catch(sayUntold(parts));
}

/**
 * The same of the login by which mail leaves. `isRead`: mail comes in all the same; else its owners hear of that, and it is
 * one trouble.
 */
export function tellOfSending(
  parts: Parts,
  mailbox: MailboxConfig,
  { since, error, isRead }: RefusedOften & { readonly isRead: boolean },
): void {
  const { live, log } = parts.workspace;
  log.error({ mailbox: mailbox.id, error }, 'the login by which mail leaves goes on being refused');
  if (!isRead) return;
  const hours = live.current().gateway.delivery.give_up_hours;
  const text = [
    `Since ${minuteHere(since)} the SMTP server of the mailbox ${mailbox.id} refuses its login: ${error}.`,
    '',
    `Mail is read and answered as ever; what is to leave waits. Each mail is tried for ${hours} hours, and at once after`,
    '`epistle outbox retry --all`. This mail left by another way, or when the login was taken again.',
  ].join('\n');
  noticeTo(parts, (one) => one.id === mailbox.id, {
    id: `notice:smtp_refused:${mailbox.id}:${iso(since).slice(0, 10)}`,
    subject: `No mail leaves: ${mailbox.smtp?.user ?? mailbox.id} is refused`,
    text,
  }).catch(sayUntold(parts));
}

const sayUntold = (parts: Parts) => (failure: unknown) =>
  parts.workspace.log.error({ error: String(failure) }, 'nobody could be told that a login is refused');

const AHEAD_MS = 2 * DAY_MS;

/** Looked at once a day: a notice before a login ends of which the provider said when. */
export async function tellOfEnds({ workspace, announce }: Parts): Promise<void> {
  const { clock, live, logins } = workspace;
  for (const mailbox of live.current().gateway.mailboxes) {
    const state = logins.state(mailbox);
    const endsAt = state?.tokens?.refresh_ends_at ?? null;
    if (!state?.tokens || state.wrong || endsAt === null || endsAt - clock.now() > AHEAD_MS) continue;
    const { client, tokens } = state;
    const account = accountOf(client);
    await noticeTo({ workspace, announce }, (one) => one.smtp?.auth === 'oauth' && isOf(one, account), {
      id: `notice:login_ends:${account}:${tokens.granted_at}`,
      subject: `A login ends soon: ${client.user}`,
      text: [
        `${client.name} ends the login of ${client.user} on ${minuteHere(endsAt)}.`,
        '',
        `Before then: \`epistle mailbox login ${mailbox.id}\`.`,
        ...(client.preset === 'google'
          ? ['', 'It does so after seven days while the app is in "Testing". "In production", the login stays.']
          : []),
      ].join('\n'),
    });
  }
}

const isOf = (mailbox: MailboxConfig, account: string): boolean => {
  const client = clientOfMailbox(mailbox);
  return client !== null && accountOf(client) === account;
};

const named = (ids: readonly string[]): string =>
  ids.length === 1 ? `the mailbox ${ids[0]}` : `the mailboxes ${ids.join(', ')}`;
