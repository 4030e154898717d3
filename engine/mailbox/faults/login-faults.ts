import { byServer } from '../finding/known.ts';
import type { Seen } from '../peer/look.ts';
import { BY_ITSELF, type Fault, fault, keyOf, placeOf, type ServerAnswer, type Side, USUAL } from './fault.ts';

/** Pure. What can be told of a login before anybody tries it; null when nothing speaks against it. */
export function offeredFault(side: Side, { capabilities, speaksFirst }: Seen): Fault | null {
  if (side.auth === 'none' || speaksFirst === 'nothing') return null;
  const place = placeOf(side);
  const { protocol } = side;
  if (protocol === 'imap' && capabilities.includes('LOGINDISABLED')) return inClear(side);
  const ways = waysOf(protocol, capabilities);
  if (protocol === 'smtp' && ways.length === 0) {
    const cure =
      side.server.tls === 'none'
        ? `set smtp.tls to "starttls"`
        : `use port ${USUAL.smtp.starttls} or ${USUAL.smtp.implicit}: port 25 is for mail between servers`;
    return fault('auth_not_offered', `${place} takes no login`, `${cure}; or set smtp.auth to "none"`);
  }
  const takesToken = ways.includes('XOAUTH2') || ways.includes('OAUTHBEARER');
  if (isByToken(side) && ways.length > 0 && !takesToken) {
    return fault('oauth_not_offered', `${place} takes no OAuth token`, `set ${keyOf(side, 'auth')} to "password"`);
  }
  const takesPassword = ways.some((way) => ['PLAIN', 'LOGIN', 'CRAM-MD5'].includes(way));
  if (side.auth === 'password' && protocol === 'smtp' && !takesPassword && takesToken) return oauth(side);
  return null;
}

const waysOf = (protocol: Side['protocol'], capabilities: readonly string[]): readonly string[] =>
  protocol === 'imap'
    ? capabilities.filter((one) => one.startsWith('AUTH=')).map((one) => one.slice(5))
    : capabilities.filter((one) => /^AUTH[ =]/.test(one)).flatMap((one) => one.slice(5).split(' '));

const inClear = (side: Side): Fault =>
  fault(
    'login_in_clear_refused',
    `${placeOf(side)} takes no login without TLS`,
    `set ${keyOf(side, 'tls')} to "starttls" or "implicit"`,
  );

function oauth(side: Side): Fault {
  const name = byServer(side.server.host)?.name ?? placeOf(side);
  return fault(
    'oauth_needed',
    `${name} takes no password from programs`,
    `set ${keyOf(side, 'auth')} to "oauth", and log in by \`epistle mailbox login\` (docs/mailbox.md); or to "xoauth2", with an access token under ${side.secretEnv}`,
  );
}

const isByToken = ({ auth }: Side): boolean => auth === 'oauth' || auth === 'xoauth2';

const has = (text: string, ...words: readonly string[]): boolean => words.some((word) => text.includes(word));

/** Pure. Why a login was refused. Anything else that was said is `unknown`. */
export function loginFault(side: Side, { code, text }: ServerAnswer): Fault {
  const words = text.toLowerCase();
  const response = code?.toUpperCase() ?? '';
  const place = placeOf(side);
  return (
    serverFault(place, response, words) ??
    accountFault(side, response, words) ??
    (isRefusal(response, words) ? refusedFault(side, words) : unknownFault(side, text))
  );
}

/** The secret may be right all the same. */
function serverFault(place: string, response: string, words: string): Fault | null {
  if (has(words, 'maximum number of connections', 'too many connections', 'too many simultaneous')) {
    return fault(
      'too_many_connections',
      `${place} has too many connections of this account`,
      'close other mail programs of it, and wait some minutes',
    );
  }
  if (response === 'LIMIT' || has(words, 'too many', 'throttl', 'rate limit', 'backoff time')) {
    return fault(
      'login_throttled',
      `${place} takes no more logins for a while`,
      'wait a quarter of an hour before the next try; each try may make it longer',
    );
  }
  if (response === 'TIMEOUT') {
    const cure =
      'wait a minute: after wrong passwords servers answer later and later. If it stays, correct the password';
    return fault('login_unanswered', `${place} greets, and does not answer the login in time`, cure);
  }
  if (
    response === 'UNAVAILABLE' ||
    response === 'INUSE' ||
    response === 'SERVERBUG' ||
    has(words, '454 ', 'temporary auth', 'temporary fail')
  ) {
    return fault('login_server_down', `${place} cannot check logins now`, BY_ITSELF);
  }
  return null;
}

/** Something is to be changed in the account, and not in the secret. */
function accountFault(side: Side, response: string, words: string): Fault | null {
  const provider = byServer(side.server.host);
  const page = provider?.passwordPage ? ` (${provider.passwordPage})` : '';
  if (has(words, 'application-specific', 'app-specific', 'app password', '5.7.9', 'second factor')) {
    return fault(
      'app_password_needed',
      `${provider?.name ?? placeOf(side)} wants a password made for this program`,
      `make an app password in the settings of the account${page}, and put it into .env as ${side.secretEnv}`,
    );
  }
  if (response.startsWith('WEBALERT') || has(words, 'web browser', 'web login required', '5.7.14')) {
    return fault(
      'web_login_needed',
      `${placeOf(side)} wants somebody to log in by web browser first`,
      'log in there once, confirm that it was you, then try again',
    );
  }
  if (has(words, 'smtpclientauthentication is disabled')) {
    return fault(
      'smtp_auth_off',
      'authenticated SMTP is switched off for this mailbox',
      'an administrator has to switch "Authenticated SMTP" on for it (Microsoft 365 admin center, mail apps)',
    );
  }
  if (has(words, 'basic authentication is disabled', 'basicauthblocked', 'basic auth')) return oauth(side);
  if (
    has(
      words,
      'not enabled for imap',
      'enable imap',
      'imap access is disabled',
      'imap is disabled',
      'imap disabled',
      'imap access disabled',
      'imap is not enabled',
    )
  ) {
    return fault(
      'imap_off',
      `IMAP is switched off for ${side.user}`,
      'switch IMAP on in the settings of the mailbox, on its web page',
    );
  }
  if (has(words, 'authenticated but not connected')) {
    return fault(
      'no_licence',
      `${side.user} has a login and no mailbox behind it`,
      'wait some minutes; if it stays, the account has no licence for mail, or IMAP is off for it',
    );
  }
  if ((response === 'EXPIRED' && side.auth === 'password') || has(words, 'password expired', 'password has expired')) {
    return fault(
      'password_expired',
      `the password of ${side.user} has expired`,
      `set a new one at your provider, and put it into .env as ${side.secretEnv}`,
    );
  }
  if (
    response === 'CONTACTADMIN' ||
    has(words, 'locked', 'suspended', 'account disabled', 'account is disabled', 'account has been')
  ) {
    return fault(
      'account_locked',
      `the account ${side.user} is locked`,
      'log in on the web page of the provider, or ask it',
    );
  }
  if (response === 'PRIVACYREQUIRED' || has(words, 'must issue a starttls', 'encryption required'))
    return inClear(side);
  return null;
}

const isRefusal = (response: string, words: string): boolean =>
  response === 'AUTHENTICATIONFAILED' ||
  response === 'AUTHORIZATIONFAILED' ||
  response === 'EXPIRED' ||
  has(words, 'authenticat', 'login', 'password', 'credential', 'access token', '535', 'invalid');

function refusedFault(side: Side, words: string): Fault {
  const provider = byServer(side.server.host);
  if (side.auth === 'oauth') {
    return fault(
      'token_refused',
      `${placeOf(side)} refuses the access token of ${side.user}, although it is new`,
      `log in as ${side.user} and as nobody else (\`epistle mailbox login\`); look whether ${side.protocol.toUpperCase()} is on for the mailbox, and whether the app has the permission for it`,
    );
  }
  if (side.auth === 'xoauth2') {
    const why = has(words, 'expired') ? 'has expired' : 'is refused: it has expired, or is for another mailbox';
    return fault(
      'token_refused',
      `the access token of ${side.user} ${why}`,
      `put a new one into .env as ${side.secretEnv}`,
    );
  }
  if (provider?.login === 'oauth') return oauth(side);
  if (provider?.login === 'app_password') {
    const page = provider.passwordPage ? ` (${provider.passwordPage})` : '';
    return fault(
      'app_password_needed',
      `${provider.name} refuses the login of ${side.user}; it takes only app passwords`,
      `make one in the settings of the account${page}, and put it into .env as ${side.secretEnv}`,
    );
  }
  const user = side.user.includes('@') ? '' : `; many servers want the whole address as ${keyOf(side, 'user')}`;
  const hints = provider?.hints.length ? ` ${provider.hints.join(' ')}` : '';
  return fault(
    'wrong_password',
    `${placeOf(side)} refuses the login of ${side.user}`,
    `correct ${side.secretEnv} in .env${user}.${hints || ' With two-step login many providers want an app password.'}`,
  );
}

export const unknownFault = (side: Side, text: string): Fault =>
  fault(
    'unknown',
    `${placeOf(side)}: ${text}`,
    `check ${side.protocol} in configs/gateway.json, or ask whoever runs the server`,
  );
