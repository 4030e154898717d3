import { createHash } from 'node:crypto';
import { type HttpAnswer, type HttpRequest, startHttpServer } from './http-server.ts';

/** Only what differs from a provider that gives tokens for an hour and keeps its refresh tokens. Change it between two requests. */
export interface OAuthScript {
  lifetimeS?: number;
  /** Each renewal replaces the refresh token; that of before is taken for so long. */
  rotation?: { graceMs: number };
  /** Of refresh tokens, as Google says it of clients in "Testing". */
  refreshLifetimeS?: number;
  clientSecret?: string;
  /** Instead of an answer, at the endpoint. */
  refuse?: Partial<Record<Endpoint, { status?: number; error?: string; error_description?: string; text?: string }>>;
  /** The next answer of the token endpoint is lost on its way: what it tells has happened all the same. */
  loseNext?: boolean;
  /** Milliseconds until a token request is answered. */
  delayMs?: number;
  /** Somebody declines the login. */
  declines?: boolean;
  /** Without a refresh token. */
  briefly?: boolean;
}

type Endpoint = 'token' | 'device' | 'authorize' | 'metadata';

interface Refresh {
  readonly user: string;
  /** Ms; null: as long as nobody revokes it. */
  endsAt: number | null;
}

export const CLIENT_ID = 'client-1';

/** An OAuth provider on loopback that speaks the wire format, and says which tokens are good. */
export async function startOAuthServer(script: OAuthScript = {}) {
  const asked: { readonly endpoint: string; readonly form: Readonly<Record<string, string>> }[] = [];
  const access = new Map<string, { readonly user: string; endsAt: number }>();
  const refresh = new Map<string, Refresh>();
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string; readonly user: string }>();
  const devices = new Map<string, { readonly userCode: string; user: string | null }>();
  const counts = { tokens: 0 };

  const json = (status: number, body: object): HttpAnswer => ({ status, body: JSON.stringify(body) });
  const refused = (error: string, error_description = ''): HttpAnswer => json(400, { error, error_description });
  const give = (user: string, refreshToken: string | null): HttpAnswer => {
    counts.tokens += 1;
    const token = `access-${counts.tokens}-${'x'.repeat(20)}`;
    const lifetimeS = script.lifetimeS ?? 3600;
    access.set(token, { user, endsAt: Date.now() + lifetimeS * 1000 });
    return json(200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: lifetimeS,
      scope: 'mail',
      ...(refreshToken === null || script.briefly ? {} : { refresh_token: refreshToken }),
      ...(script.refreshLifetimeS === undefined ? {} : { refresh_token_expires_in: script.refreshLifetimeS }),
    });
  };
  const newRefresh = (user: string): string => {
    const token = `refresh-${refresh.size + 1}-${'y'.repeat(20)}`;
    refresh.set(token, { user, endsAt: null });
    return token;
  };

  const renew = ({ refresh_token: token = '' }: Readonly<Record<string, string>>): HttpAnswer => {
    const known = refresh.get(token);
    if (!known || (known.endsAt !== null && Date.now() > known.endsAt)) {
      return refused('invalid_grant', 'Token has been expired or revoked.');
    }
    if (!script.rotation) return give(known.user, null);
    known.endsAt ??= Date.now() + script.rotation.graceMs;
    return give(known.user, newRefresh(known.user));
  };
  const redeem = ({ code = '', redirect_uri, code_verifier = '' }: Readonly<Record<string, string>>): HttpAnswer => {
    const known = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256').update(code_verifier).digest('base64url');
    if (!known || known.redirect !== redirect_uri || known.challenge !== challenge) return refused('invalid_grant');
    return give(known.user, newRefresh(known.user));
  };
  const poll = ({ device_code: code = '' }: Readonly<Record<string, string>>): HttpAnswer => {
    const known = devices.get(code);
    if (!known) return refused('expired_token');
    if (script.declines) return refused('access_denied');
    if (known.user === null) return refused('authorization_pending');
    devices.delete(code);
    return give(known.user, newRefresh(known.user));
  };

  const token = (form: Readonly<Record<string, string>>): HttpAnswer => {
    if (form.client_id !== CLIENT_ID)
      return { ...refused('invalid_client', 'The OAuth client was not found.'), status: 401 };
    if (script.clientSecret !== undefined && form.client_secret !== script.clientSecret) {
      return refused(
        'invalid_client',
        form.client_secret === undefined ? 'client_secret is missing.' : 'The provided client secret is invalid.',
      );
    }
    if (form.grant_type === 'refresh_token') return renew(form);
    if (form.grant_type === 'authorization_code') return redeem(form);
    return form.grant_type?.endsWith('device_code') ? poll(form) : refused('unsupported_grant_type');
  };
  const device = (form: Readonly<Record<string, string>>): HttpAnswer => {
    if (form.client_id !== CLIENT_ID) return refused('invalid_client');
    const code = `device-${devices.size + 1}`;
    const userCode = `ABCD-${devices.size + 1}`;
    devices.set(code, { userCode, user: null });
    return json(200, {
      device_code: code,
      user_code: userCode,
      verification_uri: `${server.baseUrl}/enter`,
      expires_in: 900,
      interval: 0.05,
    });
  };
  const authorize = (query: URLSearchParams): HttpAnswer => {
    const redirect = query.get('redirect_uri') ?? '';
    const back = new URL(redirect);
    back.searchParams.set('state', query.get('state') ?? '');
    if (script.declines) back.searchParams.set('error', 'access_denied');
    else {
      const code = `code-${codes.size + 1}-${counts.tokens}`;
      const user = query.get('login_hint') ?? '';
      codes.set(code, { challenge: query.get('code_challenge') ?? '', redirect, user });
      back.searchParams.set('code', code);
    }
    return { status: 302, headers: { location: back.href }, body: '' };
  };
  /** RFC 7662, for a mail server that asks whether a token is good. */
  const introspect = ({ token: given = '' }: Readonly<Record<string, string>>): HttpAnswer => {
    const known = access.get(given);
    if (!known || Date.now() > known.endsAt) return json(200, { active: false });
    return json(200, { active: true, username: known.user, scope: 'mail', exp: Math.ceil(known.endsAt / 1000) });
  };

  const metadata = (name: string): HttpAnswer =>
    name.endsWith('openid-configuration')
      ? json(200, {
          issuer: server.baseUrl,
          token_endpoint: `${server.baseUrl}/token`,
          authorization_endpoint: `${server.baseUrl}/authorize`,
          device_authorization_endpoint: `${server.baseUrl}/device`,
        })
      : { status: 404, body: '' };
  const insteadOf = (endpoint: Endpoint): HttpAnswer | null => {
    const { status = 400, text, ...body } = script.refuse?.[endpoint] ?? {};
    if (!script.refuse?.[endpoint]) return null;
    return text === undefined ? json(status, body) : { status, headers: { 'content-type': 'text/html' }, body: text };
  };
  const onItsWay = (answer: HttpAnswer): HttpAnswer => {
    const isLost = script.loseNext === true;
    delete script.loseNext;
    const delay = script.delayMs === undefined ? {} : { delayMs: script.delayMs };
    return { ...answer, ...delay, ...(isLost ? { cut: true } : {}) };
  };

  const handle = ({ path, raw }: HttpRequest): HttpAnswer => {
    const url = new URL(path, 'http://provider.test');
    const form = Object.fromEntries(new URLSearchParams(raw.toString()));
    const name = url.pathname.slice(1);
    if (name === 'introspect') return introspect(form);
    const endpoint: Endpoint = name.startsWith('.well-known')
      ? 'metadata'
      : name === 'token' || name === 'device'
        ? name
        : 'authorize';
    asked.push({ endpoint, form: { ...form, ...Object.fromEntries(url.searchParams) } });
    const instead = insteadOf(endpoint);
    if (instead) return instead;
    if (endpoint === 'metadata') return metadata(name);
    if (endpoint === 'device') return device(form);
    return endpoint === 'authorize' ? authorize(url.searchParams) : onItsWay(token(form));
  };
  const server = await startHttpServer(handle);

  return {
    url: server.baseUrl,
    stop: server.stop,
    script,
    asked,
    /** How often a new token was asked for. */
    renewals: () => asked.filter(({ form }) => form.grant_type === 'refresh_token').length,
    /** A refresh token as a login would give it. */
    grant: newRefresh,
    accessFor: (user: string): string => String(JSON.parse(String(give(user, null).body)).access_token),
    isGood: (user: string, given: string): boolean => {
      const known = access.get(given);
      return known !== undefined && known.user === user && Date.now() < known.endsAt;
    },
    /** Somebody takes the access of this program away. */
    revoke() {
      for (const one of refresh.values()) one.endsAt = 0;
      for (const one of access.values()) one.endsAt = 0;
    },
    /** The access tokens are over; where renewals are not refused anyway, the login too. */
    revokeUnlessRefused() {
      for (const one of access.values()) one.endsAt = 0;
      if (!script.refuse?.token) for (const one of refresh.values()) one.endsAt = 0;
    },
    /** Ends the access tokens alone. */
    endAccess() {
      for (const one of access.values()) one.endsAt = 0;
    },
    /** Somebody enters the code of a device and logs in. */
    enter(userCode: string, user: string): boolean {
      const found = [...devices.values()].find((one) => one.userCode === userCode);
      if (found) found.user = user;
      return found !== undefined;
    },
    /** The settings of a mailbox that logs in here. */
    config: { issuer: server.baseUrl, client_id: CLIENT_ID, token_endpoint: `${server.baseUrl}/token` },
  };
}

export type OAuthServer = Awaited<ReturnType<typeof startOAuthServer>>;
