import { createInterface } from 'node:readline';
import { EngineError } from '#contract';
import { didYouMean } from '../../../config/problems/problem.ts';
import type { MailboxConfig } from '../../../config/types.ts';
import { iso } from '../../../lib/clock.ts';
import { nearestOf } from '../../../lib/text/nearest.ts';
import { clientOfMailbox, type OAuthClient } from '../../../mailbox/oauth/client.ts';
import { begunInWords, endInWords } from '../../../mailbox/oauth/grant/in-words.ts';
import type { Pending } from '../../../mailbox/oauth/grant/pending.ts';
import type { Tokens } from '../../../mailbox/oauth/tokens/tokens.ts';
import { probeMailboxes } from '../../../queries/gateway/mailboxes.ts';
import type { ProbedMailbox } from '../../../queries/gateway/probe.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand } from '../../command/define.ts';
import { millisecondsOf } from '../../command/wait-option.ts';
import { probedInWords } from './probed-in-words.ts';

interface LoggedIn {
  readonly mailbox: string;
  readonly client: OAuthClient;
  readonly tokens: Tokens | null;
  /** What the person has yet to do; null: nothing. */
  readonly pending: Pending | null;
  readonly probed: ProbedMailbox | null;
}

const WAIT_S = 900;

export const login = defineCommand({
  name: 'mailbox login',
  summary: 'Log a mailbox in at its provider (OAuth), by a code or in a browser; run again, it goes on where it was',
  arguments: ['[id]'],
  options: {
    device: { flags: '--device', about: 'by a code that is entered on any device' },
    browser: { flags: '--browser', about: 'in a browser that comes back to this machine' },
    url: { flags: '--url <address>', about: 'the address that the browser ended on, where it could not come back' },
    wait: { flags: '--wait <seconds>', about: `for the person (default: ${WAIT_S}, with --non-interactive 0)` },
    nonInteractive: {
      flags: '--non-interactive',
      about: 'begin the login, say what is to be done, and end; run again, look whether it was done',
    },
  },
  async run({ open, note, stdin, json }, { args: [id], options }): Promise<LoggedIn> {
    const workspace = open();
    const mailbox = chosen(workspace, id);
    const client = clientOfMailbox(mailbox);
    if (!client) throw new EngineError('usage', howToSwitchOn(mailbox));
    const { logins } = workspace;
    const isAsking = options.nonInteractive !== true;
    const isTerminal = isAsking && !json && stdin.isTTY === true;
    const lines = isTerminal ? createInterface({ input: stdin }) : null;
    try {
      const done = await logins.logIn(client, mailbox.id, {
        flow: options.device ? 'device' : options.browser || options.url !== undefined ? 'browser' : null,
        returned: options.url ?? null,
        pasted: lines,
        waitMs: millisecondsOf('--wait', options.wait, isAsking ? WAIT_S : 0),
        onBegun(pending) {
          if (!isAsking) return;
          for (const line of begunInWords(pending, client, { pastes: isTerminal })) note(line);
        },
      });
      if (done.state === 'failed') {
        const { cause, cure } = done.judged.fault;
        throw new EngineError(done.judged.until === 'person' ? 'unauthorised' : 'network', `${cause}; ${cure}`);
      }
      const result = { mailbox: mailbox.id, client };
      if (done.state === 'pending') return { ...result, tokens: null, pending: done.pending, probed: null };
      const [probed = null] = await probeMailboxes(workspace, mailbox.id);
      return { ...result, tokens: done.tokens, pending: null, probed };
    } finally {
      lines?.close();
    }
  },
  json: ({ mailbox, client, tokens, pending, probed }) => ({
    ...{ mailbox, provider: client.name, user: client.user },
    state: pending ? 'pending' : 'logged_in',
    ...(pending ? pendingShape(pending) : {}),
    ...(tokens ? { ends_at: tokens.refresh_ends_at === null ? null : iso(tokens.refresh_ends_at) } : {}),
    ...(probed ? { imap: probed.imap, smtp: probed.smtp } : {}),
  }),
  text: ({ mailbox, client, tokens, pending, probed }) => {
    if (pending) return [...begunInWords(pending, client), 'Nobody has logged in yet.'].join('\n');
    const end = tokens && endInWords(tokens, client);
    return [
      `${mailbox} is logged in to ${client.name} as ${client.user}.`,
      ...(end ? [`${end}.`] : []),
      ...(probed ? probedInWords(probed) : []),
    ].join('\n');
  },
  exitCode: ({ pending, probed }) => (pending ? 3 : probed?.imap?.ok === false || probed?.smtp?.ok === false ? 1 : 0),
});

/** What somebody needs who carries the login out elsewhere; never what belongs to us alone. */
const pendingShape = (pending: Pending) => ({
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
    const hint = didYouMean(nearestOf(id, ids)) || '; see `epistle mailbox list`';
    throw new EngineError('not_found', `no mailbox has the id ${id}${hint}`);
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
