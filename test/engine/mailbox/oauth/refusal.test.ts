import { describe, expect, it } from 'vitest';
import { oauthSchema } from '../../../../engine/config/mailbox-schema.ts';
import type { OAuthFaultCode } from '../../../../engine/mailbox/faults/fault.ts';
import { clientOf } from '../../../../engine/mailbox/oauth/client.ts';
import { type AskedFor, judgeRefusal, type TokenRefusal } from '../../../../engine/mailbox/oauth/refusal.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-23T12:00:00Z');
const client = (preset: 'google' | 'microsoft') =>
  clientOf(oauthSchema.parse({ preset, client_id: 'app-1', client_secret_env: 'APP_SECRET' }), 'ada@example.com');
const google = { client: client('google') };
const microsoft = { client: client('microsoft') };
const aadsts = (number: number, text = '') => `AADSTS${number}: ${text} Trace ID: 0000 Correlation ID: 1111`;

interface Case {
  readonly what: string;
  readonly said: Partial<TokenRefusal>;
  readonly asked?: Partial<AskedFor>;
  readonly code: OAuthFaultCode;
  readonly says: RegExp;
  readonly until?: 'person' | 'time';
}

/** What providers answer, as their documentation and their users quote it. */
const CASES: readonly Case[] = [
  {
    what: 'a login that was revoked',
    said: { error: 'invalid_grant', description: 'Token has been expired or revoked.' },
    code: 'login_revoked',
    says: /revoked.*epistle mailbox login main/s,
  },
  {
    what: 'a client in "Testing", after a week',
    said: { error: 'invalid_grant', description: 'Token has been expired or revoked.' },
    asked: { grantedAt: NOW - 7.01 * DAY_MS },
    code: 'login_of_testing_client',
    says: /after 7 days.*"In production"/s,
  },
  {
    what: 'the end that the provider announced',
    said: { error: 'invalid_grant' },
    asked: { endsAt: NOW - 1000, grantedAt: NOW - DAY_MS },
    code: 'login_of_testing_client',
    says: /after 1 day.*"In production"/s,
  },
  {
    what: 'a changed password',
    said: {
      error: 'invalid_grant',
      description: aadsts(
        50_173,
        'The provided grant has expired due to it being revoked, a fresh auth token is needed.',
      ),
    },
    asked: microsoft,
    code: 'login_ended_by_password',
    says: /password was changed/,
  },
  {
    what: 'a login that nobody used',
    said: { error: 'invalid_grant', description: aadsts(700_082, 'The refresh token has expired due to inactivity.') },
    asked: microsoft,
    code: 'login_unused',
    says: /not used for too long/,
  },
  {
    what: 'a second factor that is wanted',
    said: { error: 'interaction_required', description: aadsts(50_076) },
    asked: microsoft,
    code: 'consent_needed',
    says: /confirm the login/,
  },
  {
    what: 'an administrator who has to agree',
    said: { error: 'invalid_grant', description: aadsts(65_001) },
    asked: microsoft,
    code: 'consent_needed',
    says: /administrator/,
  },
  {
    what: 'a wrong client',
    said: { status: 401, error: 'invalid_client', description: 'The OAuth client was not found.' },
    code: 'client_unknown',
    says: /app-1.*oauth\.client_id/s,
  },
  {
    what: 'a client of another directory',
    said: { error: 'unauthorized_client', description: aadsts(700_016) },
    asked: microsoft,
    code: 'client_unknown',
    says: /app-1/,
  },
  { what: 'a client that was deleted', said: { error: 'deleted_client' }, code: 'client_unknown', says: /app-1/ },
  {
    what: 'a secret that is missing',
    said: { error: 'invalid_request', description: 'client_secret is missing.' },
    code: 'client_secret_missing',
    says: /oauth\.client_secret_env/,
  },
  {
    what: 'a wrong secret',
    said: { error: 'invalid_client', description: 'The provided client secret is invalid.' },
    code: 'client_secret_wrong',
    says: /APP_SECRET in \.env/,
  },
  {
    what: 'an app that is no public client',
    said: { error: 'invalid_client', description: aadsts(7_000_218) },
    asked: microsoft,
    code: 'client_not_public',
    says: /Allow public client flows/,
  },
  {
    what: 'a device code for mail at Google',
    said: { error: 'invalid_scope', description: 'Invalid device flow scope: https://mail.google.com/' },
    asked: { during: 'device_code' },
    code: 'device_code_blocked',
    says: /mailbox login main --browser/,
  },
  {
    what: 'a device code that a policy blocks',
    said: {
      error: 'invalid_grant',
      description: aadsts(53_003, 'Access has been blocked by Conditional Access policies.'),
    },
    asked: { ...microsoft, during: 'device_code' },
    code: 'device_code_blocked',
    says: /in this organisation.*--browser/s,
  },
  {
    what: 'a code that nobody entered',
    said: { error: 'expired_token' },
    asked: { during: 'device_code' },
    code: 'login_code_expired',
    says: /in time/,
  },
  {
    what: 'a login that was declined',
    said: { error: 'access_denied' },
    asked: { during: 'authorization' },
    code: 'login_denied',
    says: /test users alone/,
  },
  {
    what: 'permissions that are not given',
    said: { error: 'invalid_scope' },
    code: 'scope_refused',
    says: /mail\.google\.com/,
  },
  {
    what: 'a redirect that is not registered',
    said: { error: 'invalid_request', description: aadsts(50_011) },
    asked: { ...microsoft, during: 'code' },
    code: 'redirect_refused',
    says: /http:\/\/localhost/,
  },
  {
    what: 'a clock that is wrong',
    said: { error: 'invalid_grant', description: 'Invalid JWT: Token must be in a reasonable timeframe' },
    code: 'clock_wrong',
    says: /NTP/,
    until: 'time',
  },
  {
    what: 'a certificate of tomorrow',
    said: { status: null, error: 'CERT_NOT_YET_VALID' },
    code: 'clock_wrong',
    says: /NTP/,
    until: 'time',
  },
  {
    what: 'a network that is down',
    said: { status: null, error: 'ENOTFOUND' },
    code: 'token_server_unreachable',
    says: /ENOTFOUND.*by itself/s,
    until: 'time',
  },
  {
    what: 'a provider that is busy',
    said: { status: 503, error: 'temporarily_unavailable' },
    code: 'token_server_busy',
    says: /by itself/,
    until: 'time',
  },
  {
    what: 'too many requests',
    said: { status: 429, error: null },
    code: 'token_server_busy',
    says: /429/,
    until: 'time',
  },
  {
    what: 'a proxy that answers in its place',
    said: { status: 200, error: null },
    code: 'token_server_wrong',
    says: /proxy/,
  },
  {
    what: 'what nobody knows',
    said: { error: 'xyzzy', description: 'the moon is wrong ya29.aaaaaaaaaaaaaaaaaaaaaaaa' },
    code: 'oauth_unknown',
    says: /the moon is wrong \[REDACTED\]/,
  },
];

describe('what a provider says in place of a token', () => {
  it.each(CASES)('$what: $code', ({ said, asked = {}, code, says, until = 'person' }) => {
    const usual: AskedFor = {
      ...google,
      mailbox: 'main',
      during: 'renewal',
      grantedAt: NOW - 30 * DAY_MS,
      endsAt: null,
      now: NOW,
    };
    const judged = judgeRefusal({ status: 400, error: null, description: '', ...said }, { ...usual, ...asked });
    expect([judged.fault.code, judged.until]).toEqual([code, until]);
    expect(`${judged.fault.cause} | ${judged.fault.cure}`).toMatch(says);
  });
});
