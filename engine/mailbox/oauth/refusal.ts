import { certificateFault } from '#contract/http';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import { DAY_MS } from '../../lib/time.ts';
import { BY_ITSELF, type Fault, fault, KEY_OF_AUTHORITY, type OAuthFaultCode } from '../faults/fault.ts';
import type { OAuthClient } from './client.ts';

/** What a provider said in place of a token, or why it said nothing. */
export interface TokenRefusal {
  /** Of HTTP; null: nobody answered. */
  readonly status: number | null;
  /** Code of RFC 6749 section 5.2 or RFC 8628 section 3.5; where nobody answered, the system's. Null: none was readable. */
  readonly error: string | null;
  readonly description: string;
}

export interface JudgedRefusal {
  readonly fault: Fault;
  /** `time`: it may pass by itself, so it is asked again later. */
  readonly until: 'person' | 'time';
}

export interface AskedFor {
  readonly client: OAuthClient;
  /** The mailbox that a person would name in a command; null where none is known. */
  readonly mailbox: string | null;
  readonly during: 'renewal' | 'device_code' | 'authorization' | 'code';
  /** When somebody logged in, and when the provider said that this ends; null where there was no login yet. */
  readonly grantedAt: number | null;
  readonly endsAt: number | null;
  readonly now: number;
}

type Rule = (said: Said, asked: AskedFor) => JudgedRefusal | null;

interface Said extends TokenRefusal {
  /** Lower case, code and description. */
  readonly words: string;
  /** Microsoft's own number of the reason; 0: none. */
  readonly aadsts: number;
}

const has = (text: string, ...words: readonly string[]): boolean => words.some((word) => text.includes(word));
const person = (code: OAuthFaultCode, cause: string, cure: string): JudgedRefusal => ({
  fault: fault(code, cause, cure),
  until: 'person',
});
const time = (code: OAuthFaultCode, cause: string, cure: string): JudgedRefusal => ({
  fault: fault(code, cause, cure),
  until: 'time',
});

/** The command that mends most of it. */
export const loginCommand = ({ server }: Pick<OAuthClient, 'server'>, mailbox: string | null): string =>
  server === null
    ? `\`epistle mailbox login${mailbox === null ? '' : ` ${mailbox}`}\``
    : `\`epistle extensions login ${server.name}\``;

/** Pure. Nobody has logged in yet. */
export const loginNeeded = (
  client: Pick<OAuthClient, 'name' | 'user' | 'server'>,
  mailbox: string | null,
): JudgedRefusal => {
  const { name, user, server } = client;
  const where = server === null ? `${name} as ${user}` : user;
  return person('login_needed', `nobody has logged in to ${where} yet`, `run ${loginCommand(client, mailbox)}`);
};

/** Where a person finds what the settings say of the client. */
const settingsOf = ({ server }: OAuthClient): string =>
  server === null ? 'oauth in configs/gateway.json' : `oauth of ${server.name} in extensions/extensions.json`;

/** Pure. What it means, one cause and one cure. The first rule that fits counts. */
export function judgeRefusal(refusal: TokenRefusal, asked: AskedFor): JudgedRefusal {
  const words = `${refusal.error ?? ''} ${refusal.description}`.toLowerCase();
  const said = { ...refusal, words, aadsts: Number(/aadsts(\d{4,7})/.exec(words)?.[1] ?? 0) };
  for (const rule of RULES) {
    const judged = rule(said, asked);
    if (judged) return judged;
  }
  return unknown(said, asked);
}

const TIMES_OF_CERTIFICATE = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'];

const unanswered: Rule = ({ status, error, description }, { client: { name, server } }) => {
  if (status !== null) return null;
  if (TIMES_OF_CERTIFICATE.includes(error ?? '')) {
    const cause = `by the clock of this machine the certificate of ${name} is not valid today`;
    return time('clock_wrong', cause, 'set the clock, best by NTP');
  }
  const doubt = server === null ? undefined : certificateFault(error ?? undefined, KEY_OF_AUTHORITY);
  if (doubt) return time('token_server_unreachable', `${name} cannot be asked for a token: ${doubt.cause}`, doubt.cure);
  const cause = `${name} cannot be reached for a token (${error ?? description})`;
  return time('token_server_unreachable', cause, 'check the network; it is tried again by itself');
};

const busy: Rule = ({ status, error }, { client: { name } }) =>
  status === 429 || (status ?? 0) >= 500 || ['temporarily_unavailable', 'server_error'].includes(error ?? '')
    ? time('token_server_busy', `${name} gives no token now (${error ?? status})`, BY_ITSELF)
    : null;

const wrongPlace: Rule = ({ error, status }, { client, client: { name } }) =>
  error === null
    ? person(
        'token_server_wrong',
        `what answers for ${name} is no OAuth server (HTTP ${status})`,
        client.server === null
          ? 'check the endpoints under oauth in configs/gateway.json, and whether a proxy answers in its place'
          : 'check its url in extensions/extensions.json, and whether a proxy answers in its place',
      )
    : null;

/** No scope of mail for devices (Google), or a policy of the organisation (Microsoft, Conditional Access). */
const blockedDevice: Rule = ({ words, aadsts, error }, { during, client, mailbox }) => {
  if (during !== 'device_code') return null;
  const { name } = client;
  const isBlocked = [53_000, 53_001, 53_002, 53_003, 53_004, 530_033, 530_034, 530_035, 530_036].includes(aadsts);
  const isOfScope = error === 'invalid_scope' && has(words, 'device');
  const isOfClient = (error === 'unauthorized_client' && aadsts === 0) || error === 'unsupported_grant_type';
  if (!isBlocked && !isOfScope && !isOfClient) return null;
  return person(
    'device_code_blocked',
    `${name} allows no login by device code ${isBlocked ? 'in this organisation' : 'for this client'}`,
    `log in by browser: ${loginCommand(client, mailbox).slice(0, -1)} --browser\``,
  );
};

const wrongClient: Rule = ({ words, aadsts, error }, { client, mailbox }) => {
  const { name, clientId, clientSecretEnv, server } = client;
  if (aadsts === 7_000_218 || has(words, 'client_secret is missing')) {
    return aadsts === 7_000_218
      ? person(
          'client_not_public',
          `${name} wants a secret of the client ${clientId}`,
          'switch "Allow public client flows" on in the registration of the app (Authentication)',
        )
      : person(
          'client_secret_missing',
          `${name} wants the secret of the client ${clientId}`,
          `put it into .env, and name its variable in oauth.client_secret_env of ${server === null ? 'the mailbox' : server.name}`,
        );
  }
  if ([7_000_215, 7_000_222].includes(aadsts) || has(words, 'client secret is', 'invalid client secret')) {
    const where = clientSecretEnv ?? 'the variable of oauth.client_secret_env';
    return person(
      'client_secret_wrong',
      `${name} refuses the secret of the client ${clientId}`,
      `correct ${where} in .env`,
    );
  }
  const isUnknown = [700_016, 700_038, 90_002].includes(aadsts);
  const codes = ['invalid_client', 'unauthorized_client', 'deleted_client', 'disabled_client', 'org_internal'];
  if (!isUnknown && !codes.includes(error ?? '')) return null;
  if (server?.registers) {
    const cause = `${name} no longer knows this gateway, which had registered there for ${client.user}`;
    return person('client_unknown', cause, `run ${loginCommand(client, mailbox)}`);
  }
  return person(
    'client_unknown',
    `${name} does not know the client ${clientId}, or does not let it log in`,
    `correct oauth.client_id${clientSecretEnv === null ? '' : ` and ${clientSecretEnv}`}, as in the registration of the app`,
  );
};

/** Google ends the logins of a client in "Testing" after seven days. */
const testingClient: Rule = ({ error }, { client, grantedAt, endsAt, now, mailbox }) => {
  if (error !== 'invalid_grant' || client.preset === 'microsoft' || grantedAt === null || client.server) return null;
  const days = (now - grantedAt) / DAY_MS;
  const isAfterWeek = client.preset === 'google' && days >= 6.9 && days < 9;
  const isOver = endsAt !== null && now >= endsAt - DAY_MS / 24;
  if (!isAfterWeek && !isOver) return null;
  const after = Math.round(days);
  return person(
    'login_of_testing_client',
    `${client.name} ended the login of ${client.user} after ${after} ${after === 1 ? 'day' : 'days'}, as it does while the app is in "Testing"`,
    `set its publishing status to "In production" (no review is needed for yourself), then ${loginCommand(client, mailbox)}`,
  );
};

const clock: Rule = ({ words }, { client: { name } }) =>
  has(words, 'not yet valid', 'in the future', 'reasonable timeframe', 'clock skew', 'issued at')
    ? time('clock_wrong', `${name} says that the clock of this machine is wrong`, 'set the clock, best by NTP')
    : null;

const consent: Rule = ({ error, aadsts }, { client, mailbox }) => {
  const { name, user, server } = client;
  const numbers = [65_001, 90_094, 90_095, 50_076, 50_079, 50_078, 50_074, 50_158, 50_105, 53_003, 530_033, 530_034];
  const codes = ['interaction_required', 'consent_required', 'login_required', 'admin_policy_enforced'];
  if (!numbers.includes(aadsts) && !codes.includes(error ?? '')) return null;
  const isOfAdministrator = [65_001, 90_094, 90_095, 50_105].includes(aadsts) || error === 'admin_policy_enforced';
  return isOfAdministrator
    ? person(
        'consent_needed',
        `an administrator has to allow this app before ${server === null ? user : 'anybody'} can log in`,
        `let the administrator consent to it, then ${loginCommand(client, mailbox)}`,
      )
    : person(
        'consent_needed',
        `${name} wants ${server === null ? `${user} to confirm the login` : 'the login to be confirmed'}`,
        `run ${loginCommand(client, mailbox)}`,
      );
};

const endedGrant: Rule = ({ error, words, aadsts }, { during, client, mailbox }) => {
  if (error !== 'invalid_grant') return null;
  const { name, user } = client;
  const cure = `run ${loginCommand(client, mailbox)}`;
  if (during !== 'renewal') {
    return person(
      'login_code_expired',
      `${name} no longer takes the code of this login`,
      `begin anew: ${cure.slice(4)}`,
    );
  }
  if ([50_173, 50_133].includes(aadsts) || has(words, 'password')) {
    const cause = `${name} ended the login of ${user}, since the password was changed`;
    return person('login_ended_by_password', cause, cure);
  }
  if ([700_082, 70_043].includes(aadsts) || has(words, 'inactiv')) {
    return person('login_unused', `${name} ended the login of ${user}, which was not used for too long`, cure);
  }
  return person('login_revoked', `${name} takes the login of ${user} no longer: it has ended or was revoked`, cure);
};

const scope: Rule = ({ error, aadsts }, { client: { name, scopes } }) =>
  error === 'invalid_scope' || [70_011, 650_053].includes(aadsts)
    ? person(
        'scope_refused',
        `${name} does not give the permissions ${scopes.join(' ')}`,
        'add them to the registration of the app, or correct oauth.scopes',
      )
    : null;

const denied: Rule = ({ error }, { client, mailbox }) => {
  const { name, user, preset } = client;
  if (!['access_denied', 'authorization_declined'].includes(error ?? '')) return null;
  const asTester = preset === 'google' ? ' (while the app is in "Testing", its test users alone can log in)' : '';
  return person(
    'login_denied',
    `the login of ${user} was declined at ${name}${asTester}`,
    `run ${loginCommand(client, mailbox)}`,
  );
};

const expiredCode: Rule = ({ error }, { client, mailbox }) =>
  ['expired_token', 'code_expired', 'bad_verification_code'].includes(error ?? '')
    ? person(
        'login_code_expired',
        'nobody entered the code of this login in time',
        `run ${loginCommand(client, mailbox)}`,
      )
    : null;

const redirect: Rule = ({ error, aadsts }, { client: { name, redirect: to } }) =>
  error === 'redirect_uri_mismatch' || aadsts === 50_011 || aadsts === 500_113
    ? person(
        'redirect_refused',
        `${name} does not send the browser back to http://${to.host}${to.path}`,
        `register the client as a desktop app with the redirect http://${to.host}${to.path}`,
      )
    : null;

const RULES: readonly Rule[] = [
  ...[unanswered, busy, wrongPlace, blockedDevice, wrongClient, redirect, clock, consent],
  ...[testingClient, endedGrant, scope, denied, expiredCode],
];

function unknown({ error, description, status }: Said, { client }: AskedFor): JudgedRefusal {
  const words = hideSecrets(`${error ?? ''} ${description}`.replace(/[\p{Cc}\s]+/gu, ' ').trim()).slice(0, 200);
  return person(
    'oauth_unknown',
    `${client.name} gives no token (HTTP ${status}): ${words}`,
    `check ${settingsOf(client)} and the registration of the app`,
  );
}

/** Pure. A login that gave nothing to renew it with. */
export const noRefreshToken = ({ name, scopes, preset }: OAuthClient): Fault =>
  fault(
    'no_refresh_token',
    `${name} gave no refresh token, so the login would end within the hour`,
    preset === 'google'
      ? 'remove the access of this app in the settings of the account, then log in again'
      : `add what it wants for one to oauth.scopes (${scopes.includes('offline_access') ? 'offline_access is there' : 'usually offline_access'})`,
  );
