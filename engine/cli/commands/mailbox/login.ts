import { EngineError } from '#contract';
import { noMailbox } from '../../../config/mailboxes/no-mailbox.ts';
import type { MailboxConfig } from '../../../config/types.ts';
import { iso } from '../../../lib/clock.ts';
import { clientOfMailbox, type OAuthClient } from '../../../mailbox/oauth/client.ts';
import { endInWords } from '../../../mailbox/oauth/grant/in-words.ts';
import type { PendingLogin } from '../../../mailbox/oauth/grant/pending.ts';
import { probeMailboxes } from '../../../queries/gateway/mailboxes.ts';
import type { ProbedMailbox } from '../../../queries/gateway/probe.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand } from '../../command/define.ts';
import { type BegunLogin, LOGIN_OPTIONS, logInHere, loginShape, unfinishedInWords } from '../../command/oauth-login.ts';
import { probedInWords } from './probed-in-words.ts';

type LoggedIn = BegunLogin & {
  readonly mailbox: string;
  readonly client: OAuthClient;
  readonly probed: ProbedMailbox | null;
};

export const login = defineCommand({
  name: 'mailbox login',
  summary: 'Log a mailbox in at its provider (OAuth), by a code or in a browser; run again, it goes on where it was',
  arguments: ['[id]'],
  options: {
    device: { flags: '--device', about: 'by a code that is entered on any device' },
    browser: { flags: '--browser', about: 'in a browser that comes back to this machine' },
    ...LOGIN_OPTIONS,
  },
  async run(context, { args: [id], options }): Promise<LoggedIn> {
    const workspace = context.open();
    const mailbox = chosen(workspace, id);
    const client = clientOfMailbox(mailbox);
    if (!client) throw new EngineError('usage', howToSwitchOn(mailbox));
    const flow = options.device ? 'device' : options.browser || options.url !== undefined ? 'browser' : null;
    const done = await logInHere(context, options, client, (how) =>
      workspace.logins.logIn(client, mailbox.id, { ...how, flow }),
    );
    const [probed = null] = done.pending ? [] : await probeMailboxes(workspace, mailbox.id);
    return { ...done, mailbox: mailbox.id, client, probed };
  },
  json: ({ mailbox, client, probed, ...done }) => ({
    mailbox,
    provider: client.name,
    user: client.user,
    ...loginShape(done),
    ...(done.pending ? pendingShape(done.pending) : {}),
    ...(probed ? { imap: probed.imap, smtp: probed.smtp } : {}),
  }),
  text: ({ mailbox, client, probed, ...done }) => {
    const unfinished = unfinishedInWords(done, client);
    if (unfinished !== null) return unfinished;
    const end = done.tokens && endInWords(done.tokens, client);
    return [
      `${mailbox} is logged in to ${client.name} as ${client.user}.`,
      ...(end ? [`${end}.`] : []),
      ...(probed ? probedInWords(probed) : []),
    ].join('\n');
  },
  exitCode: ({ pending, probed }) => (pending ? 3 : probed?.imap?.ok === false || probed?.smtp?.ok === false ? 1 : 0),
});

/** What somebody needs who carries the login out elsewhere; never what belongs to us alone. */
const pendingShape = (pending: PendingLogin) => ({
  flow: pending.flow,
  url: pending.url,
  ...(pending.flow === 'device' ? { user_code: pending.user_code } : { redirect_uri: pending.redirect_uri }),
  expires_at: iso(pending.ends_at),
});

/** The mailbox with this id; without one, the only one that logs in by OAuth. */
function chosen({ live }: Workspace, id: string | undefined): MailboxConfig {
  const { mailboxes } = live.current().gateway;
  const found = mailboxes.find((one) => one.id === id);
  if (found) return found;
  const ids = mailboxes.map((one) => one.id);
  if (id !== undefined) {
    throw new EngineError('not_found', noMailbox(id, ids));
  }
  const [only, ...others] = mailboxes.filter((one) => clientOfMailbox(one) !== null);
  if (only && others.length === 0) return only;
  const why = only ? 'several mailboxes log in by OAuth' : 'no mailbox logs in by OAuth';
  const cure =
    ids.length === 0 ? 'there is no mailbox yet; `epistle setup` makes one' : `name one of ${ids.join(', ')}`;
  throw new EngineError('usage', `${why}; ${cure}`);
}

const howToSwitchOn = ({ id }: MailboxConfig): string =>
  `mailbox ${id} does not log in by OAuth: set imap.auth and smtp.auth to "oauth", and oauth to { "preset": "google" or "microsoft", "client_id": … }`;
