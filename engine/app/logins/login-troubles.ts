import type { MailboxConfig } from '../../config/types.ts';
import type { RefusedOften } from '../../gateway/imap/types.ts';
import type { Language } from '../../languages/language.ts';
import type { say as saying, Under } from '../../languages/say.ts';
import { iso } from '../../lib/clock.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Trouble } from '../../mailbox/oauth/accounts.ts';
import { accountOf, clientOfMailbox } from '../../mailbox/oauth/client.ts';
import { loginCommand } from '../../mailbox/oauth/refusal.ts';
import { noticeTo, type Telling as Parts, wording } from '../telling/tell-owners.ts';

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
  const { say, when } = await wording();
  const now = clock.now();
  const { code } = judged.fault;
  const { user, name: service } = client;
  const isOfMailbox = client.server === null;
  const { mailboxes } = live.current().gateway;
  const mailbox = mailboxes.flatMap((one) => (isOf(one, account) ? [one.id] : [])).join(', ');
  await noticeTo({ workspace, announce }, (one) => isOfMailbox && one.smtp?.auth === 'oauth' && isOf(one, account), {
    // The id is the purpose of the mail: of the same login and the same reason its owners hear once, over restarts, too.
    id: `notice:login:${account}:${grantedAt}:${judged.fault.code}`,
    words(language) {
      const since = when(now, language);
      const cause = say(language, `logins.causes.${classOf(code)}`, { service });
      const isBegunAnew = BEGUN_ANEW.has(code);
      const command = isBegunAnew ? loginCommand(client, isOfMailbox ? mailbox : null) : '`epistle doctor`';
      const cure = say(language, `logins.cures.${isBegunAnew ? 'login' : 'doctor'}`, { command });
      return {
        subject: say(language, 'logins.neededSubject', { user }),
        text: isOfMailbox
          ? say(language, 'logins.mailbox', { since, mailbox, cause, cure })
          : say(language, 'logins.tools', { since, user, cause, cure }),
      };
    },
  });
}

/** What is wrong, as far as it has words of its own. */
function classOf(code: string): Under<'logins.causes'> {
  if (OF_CLIENT.has(code)) return 'client';
  return SAID.find((one) => one === code) ?? 'other';
}

const SAID = [
  ...(['login_needed', 'login_revoked', 'login_unused', 'login_ended_by_password', 'login_of_testing_client'] as const),
  ...(['consent_needed', 'token_server_wrong', 'token_not_stored'] as const),
] as const;
const OF_CLIENT: ReadonlySet<string> = new Set([
  ...['client_unknown', 'client_secret_wrong', 'client_secret_missing', 'client_not_public', 'scope_refused'],
  ...['redirect_refused', 'device_code_blocked', 'no_refresh_token'],
]);
/** Of these somebody has to log in once more, and nothing else. */
const BEGUN_ANEW: ReadonlySet<string> = new Set([
  ...['login_needed', 'login_revoked', 'login_unused', 'login_ended_by_password', 'login_of_testing_client'],
  ...['login_denied', 'login_code_expired', 'consent_needed', 'client_unknown'],
]);

/** What a server or a program said, in its own words below ours: nobody can say it in all languages. */
const inItsWords = (say: typeof saying, text: string, words: string, language: Language): string =>
  `${text}\n\n${say(language, 'notices.programSaid', { words })}`;

/** One notice, a day at most, when the server of a mailbox goes on refusing what it is logged in to with. Never rejects. */
export const tellOfRefusals = (parts: Parts, mailbox: MailboxConfig, refused: RefusedOften): Promise<void> =>
  tellRefused(parts, mailbox, refused).catch(sayUntold(parts));

async function tellRefused(parts: Parts, { id, imap }: MailboxConfig, { since, error }: RefusedOften): Promise<void> {
  const { say, when } = await wording();
  await noticeTo(parts, (one) => one.id === id, {
    id: `notice:mailbox_refused:${id}:${iso(since).slice(0, 10)}`,
    words: (language) => ({
      subject: say(language, 'logins.refusedSubject', { user: imap?.user ?? id }),
      text: inItsWords(
        say,
        say(language, 'logins.refused', { since: when(since, language), mailbox: id }),
        error,
        language,
      ),
    }),
  });
}

/**
 * The same of the login by which mail leaves. `isRead`: mail comes in all the same; else its owners hear of that, and it is
 * one trouble.
 */
export async function tellOfSending(
  parts: Parts,
  mailbox: MailboxConfig,
  { since, error, isRead }: RefusedOften & { readonly isRead: boolean },
): Promise<void> {
  parts.workspace.log.error({ mailbox: mailbox.id, error }, 'the login by which mail leaves goes on being refused');
  if (isRead) await tellNotSent(parts, mailbox, { since, error }).catch(sayUntold(parts));
}

async function tellNotSent(parts: Parts, { id, smtp }: MailboxConfig, { since, error }: RefusedOften): Promise<void> {
  const { say, when } = await wording();
  const hours = parts.workspace.live.current().gateway.delivery.give_up_hours;
  await noticeTo(parts, (one) => one.id === id, {
    id: `notice:smtp_refused:${id}:${iso(since).slice(0, 10)}`,
    words: (language) => ({
      subject: say(language, 'logins.sendingSubject', { user: smtp?.user ?? id }),
      text: inItsWords(
        say,
        say(language, 'logins.sending', { since: when(since, language), mailbox: id, hours }),
        error,
        language,
      ),
    }),
  });
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
    const { say, when } = await wording();
    await noticeTo({ workspace, announce }, (one) => one.smtp?.auth === 'oauth' && isOf(one, account), {
      id: `notice:login_ends:${account}:${tokens.granted_at}`,
      words(language) {
        const { name: service, user } = client;
        const said = { service, user, when: when(endsAt, language), command: `epistle mailbox login ${mailbox.id}` };
        const inTesting = client.preset === 'google' ? [say(language, 'logins.endsInTesting')] : [];
        return {
          subject: say(language, 'logins.endsSubject', { user }),
          text: [say(language, 'logins.ends', said), ...inTesting].join('\n\n'),
        };
      },
    });
  }
}

const isOf = (mailbox: MailboxConfig, account: string): boolean => {
  const client = clientOfMailbox(mailbox);
  return client !== null && accountOf(client) === account;
};
