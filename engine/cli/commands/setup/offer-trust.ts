import { planChange } from '../../../config/writing/change.ts';
import { readVerdict } from '../../../mail/identity/border/authentication-results.ts';
import { trustedServers } from '../../../mail/identity/login-line.ts';
import { firstHeader, readHeaders } from '../../../mail/mime/headers.ts';
import { decodeWords } from '../../../mail/mime/words.ts';
import type { ReceivedShape } from '../../../queries/mail/received.ts';
import type { Workspace } from '../../../workspace.ts';
import { isProvenByTrial, type LearnedServer, type NamedBorder } from '../../trial/learn.ts';
import { bordersToOffer } from '../../trial/offer.ts';
import { learnedSettings } from '../../trial/settings.ts';
import { isPassed, type TestedBorder, type Travelled } from '../../trial/trial.ts';
import type { MailboxConnection } from './answers.ts';
import type { Prompts } from './ask.ts';
import type { Watched } from './first-mail.ts';
import { presentIn } from './present.ts';

interface TrustOffer extends Watched {
  readonly workspace: Workspace;
  readonly connection: MailboxConnection;
  /** What the mail from the mailbox to itself showed. */
  readonly trial: Travelled;
  readonly prompts: Prompts;
  say(line: string): void;
  /** Tries a border by mails that were made to deceive it; in words, why that could not be done. */
  tryBorder(border: NamedBorder): Promise<TestedBorder | string>;
  exchanges(): Promise<readonly string[]>;
}

/** What is typed to trust logins by which anybody can write as somebody else. */
const WORD = 'trust';

/**
 * The first mail with the code was not taken, since nothing proves who wrote it. What this very mail shows is offered: the
 * word of the mailbox's own server, where it stands above everything that came with the mail, or its logins. Nothing is
 * written that a forged mail could use, unless the person has typed that it shall be so. Whether there was something to offer.
 */
export async function offerTrust(offer: TrustOffer, mail: ReceivedShape): Promise<boolean> {
  const { workspace, connection, owner, code, trial } = offer;
  const kept = (await workspace.gateway.refusedMail(mail.message_id)).filter((one) => one.mailbox === connection.id);
  const [only] = kept;
  // Another mail with the same Message-ID is somebody's who wants to be taken for this one.
  if (only === undefined || kept.length > 1) return false;
  const { lines } = readHeaders(Buffer.from(only.raw));
  if (
    !decodeWords(firstHeader(lines, 'subject') ?? '')
      .toUpperCase()
      .includes(code)
  )
    return false;
  const [border] = bordersToOffer(lines, trial, { address: owner, now: Date.now() });
  if (border) {
    const verdict = readVerdict(lines, border);
    if (verdict.kind !== 'said') return false;
    await offerBorder(offer, border, withoutControls(verdict.detail));
    return true;
  }
  const letter = { address: owner.toLowerCase(), account: connection.user };
  if (trial.openLogins.length === 0 || !isProvenByTrial(lines, trial.openLogins, letter)) return false;
  await offerLogins(offer);
  return true;
}

async function offerBorder(offer: TrustOffer, border: NamedBorder, verdict: string): Promise<void> {
  const { prompts, say, trial } = offer;
  const server = border.authservId;
  const exchanges = await offer.exchanges();
  const isItsOwn =
    trial.servers.includes(server) || exchanges.some((name) => name.toLowerCase().replace(/\.$/, '') === server);
  say(
    `Nothing proves that you wrote it. The server of the mailbox says of it, as ${server}: ${verdict}.\nWhomever ${server} vouches for is then believed.`,
  );
  if (!(await prompts.mayTrust({ server, isItsOwn }))) return;
  say(`A forged mail in the name of ${server} is on its way, to see that it is not believed.`);
  const tested = await offer.tryBorder(border);
  const why = typeof tested === 'string' ? tested : whyNot(server, tested);
  if (why !== null) {
    say(`${why} So ${server} is not trusted.`);
    return;
  }
  write(offer, border);
  say(`It was not believed. ${server} is trusted now, and your mail is looked at once more.`);
}

/** A sender has chosen a part of what his verdict says, and a terminal obeys controls. */
const withoutControls = (said: string): string => said.replace(/\p{Cc}/gu, '');

/** Pure. Null: nothing that was forged is believed. */
function whyNot(server: string, tested: TestedBorder): string | null {
  if (tested.impostor === 'believed')
    return `The server lets whoever logs in write as you, and ${server} vouched for such a mail.`;
  return isPassed(tested)
    ? null
    : `A forged mail was believed: the server does not take away what comes under its name.`;
}

async function offerLogins(offer: TrustOffer): Promise<void> {
  const { prompts, say, trial } = offer;
  const [server = ''] = trustedServers(trial.openLogins).loginServers;
  say(
    `Your mail was handed to ${server} with a login, and a mail under another's name went through there with the login of the mailbox as well: whoever has a login at ${server} could write as you.\nTwo lines in Postfix's main.cf end that, and setup then learns it by itself: smtpd_sasl_authenticated_header = yes (each mail says who logged in) and smtpd_sender_restrictions = reject_authenticated_sender_login_mismatch; other servers call it a check of From.`,
  );
  let typed = await prompts.trustWord({ server, word: WORD });
  while (typed !== '' && typed.toLowerCase() !== WORD) {
    say(
      `"${withoutControls(typed)}" does not count. Type ${WORD} to trust these logins, or press Enter to leave them.`,
    );
    typed = await prompts.trustWord({ server, word: WORD });
  }
  if (typed === '') {
    say(
      'Logins are not trusted, so your mail stays where it is. Set these lines at your server and write again, with the same letters in the subject. Ctrl-C ends setup.',
    );
    return;
  }
  write(offer, { authservId: null, trustedReceived: trial.openLogins });
  say(`Logins at ${server} are trusted now, and your mail is looked at once more.`);
}

/** The running gateway takes it up, and with it the mail that was refused. */
function write({ workspace, connection }: TrustOffer, border: LearnedServer): void {
  const { gateway, security } = presentIn(workspace.root).configs;
  const settings = learnedSettings(border, { mailboxes: gateway.mailboxes, security, id: connection.id });
  planChange(workspace.root, { settings }, workspace.pass).write();
}
