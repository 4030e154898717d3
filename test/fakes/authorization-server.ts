import { createHash } from 'node:crypto';
import { type HttpAnswer, type HttpRequest, startHttpServer } from './http-server.ts';

/** Only what differs from a server that registers whoever asks, and replaces each refresh token. Change it between requests. */
export interface AuthorizationScript {
  /** Fields of its metadata in place of the usual ones; undefined leaves one out. */
  metadata?: Readonly<Record<string, unknown>>;
  /** How clients show who they are. */
  method?: 'none' | 'client_secret_post' | 'client_secret_basic';
  /** A client that was registered by hand. */
  client?: Client;
  /** What its tokens may be for; another resource is refused (RFC 8707). */
  resource?: string;
  /** Seconds; null: it does not say. */
  lifetimeS?: number | null;
  /** Without refresh tokens. */
  briefly?: boolean;
  declines?: boolean;
  /** It sends the browser back in this name. */
  iss?: string | null;
  /** In place of an answer at the token endpoint. */
  instead?: { readonly status: number; readonly body: object } | null;
}

interface Client {
  readonly id: string;
  readonly secret: string | null;
  readonly redirects: readonly string[];
}

interface Code {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly resource: string | null;
  isUsed: boolean;
}

type Form = Readonly<Record<string, string>>;

/** An OAuth 2.1 authorization server on loopback, as hosted MCP servers have one: it checks all that it is told. */
export async function startAuthorizationServer(script: AuthorizationScript = {}) {
  const asked: { readonly endpoint: string; readonly form: Form; readonly authorization: string }[] = [];
  const clients = new Map<string, Client>();
  const codes = new Map<string, Code>();
  /** Each with the code of the login that it goes back to. */
  const [access, refresh] = [new Map<string, string>(), new Map<string, string>()];
  const state = { count: 0 };
  const next = (what: string) => {
    state.count += 1;
    return `${what}-${state.count}-${'z'.repeat(24)}`;
  };
  const json = (status: number, body: object): HttpAnswer => ({ status, body: JSON.stringify(body) });
  const refused = (error: string, status = 400): HttpAnswer =>
    json(status, { error, error_description: `SERVER-WORDS: ${error}` });

  const metadata = (): object => ({
    issuer: server.baseUrl,
    authorization_endpoint: `${server.baseUrl}/authorize`,
    token_endpoint: `${server.baseUrl}/token`,
    registration_endpoint: `${server.baseUrl}/register`,
    revocation_endpoint: `${server.baseUrl}/revoke`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['tools', 'offline_access'],
    token_endpoint_auth_methods_supported: [script.method ?? 'none'],
    authorization_response_iss_parameter_supported: true,
    ...script.metadata,
  });

  function register(raw: Buffer): HttpAnswer {
    const wanted = JSON.parse(raw.toString()) as { redirect_uris?: string[]; token_endpoint_auth_method?: string };
    const redirects = wanted.redirect_uris ?? [];
    if (redirects.length === 0 || !redirects.every((one) => URL.parse(one)?.hostname === '127.0.0.1'))
      return refused('invalid_redirect_uri');
    const id = next('client');
    const method = script.method ?? 'none';
    const secret = method === 'none' ? null : next('secret');
    clients.set(id, { id, secret, redirects });
    return json(201, { ...wanted, client_id: id, ...(secret === null ? {} : { client_secret: secret }) });
  }

  /** A browser is sent back to where the client was registered for, and nowhere else. */
  function authorize(query: URLSearchParams): HttpAnswer {
    const redirect = query.get('redirect_uri') ?? '';
    if (!clientOf(query.get('client_id') ?? '')?.redirects.includes(redirect)) return refused('invalid_request');
    const back = new URL(redirect);
    back.searchParams.set('state', query.get('state') ?? '');
    const iss = script.iss === undefined ? server.baseUrl : script.iss;
    if (iss !== null) back.searchParams.set('iss', iss);
    const wrong = wrongIn(query);
    if (wrong !== null) back.searchParams.set('error', wrong);
    else {
      const code = next('code');
      const given = { client: query.get('client_id') ?? '', resource: query.get('resource'), isUsed: false };
      codes.set(code, { ...given, redirect, challenge: query.get('code_challenge') ?? '' });
      back.searchParams.set('code', code);
    }
    return { status: 302, headers: { location: back.href }, body: '' };
  }

  function wrongIn(query: URLSearchParams): string | null {
    if (script.declines) return 'access_denied';
    const isWhole = query.get('response_type') === 'code' && query.get('code_challenge_method') === 'S256';
    if (!isWhole) return 'invalid_request';
    return script.resource !== undefined && query.get('resource') !== script.resource ? 'invalid_target' : null;
  }

  const clientOf = (id: string) => (script.client?.id === id ? script.client : clients.get(id));

  function clientAsking(form: Form, authorization: string): Client | null {
    const method = script.method ?? 'none';
    const [id = '', secret = ''] =
      method === 'client_secret_basic'
        ? Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
            .toString()
            .split(':')
            .map(fromForm)
        : [form.client_id, form.client_secret];
    const client = clientOf(id);
    return client && (method === 'none' || client.secret === secret) ? client : null;
  }

  function give(code: string): HttpAnswer {
    const token = next('access');
    access.set(token, code);
    const again = next('refresh');
    if (!script.briefly) refresh.set(again, code);
    const lifetimeS = script.lifetimeS === undefined ? 3600 : script.lifetimeS;
    return json(200, {
      access_token: token,
      token_type: 'Bearer',
      scope: 'tools',
      ...(lifetimeS === null ? {} : { expires_in: lifetimeS }),
      ...(script.briefly ? {} : { refresh_token: again }),
    });
  }

  const revokeLogin = (code: string): void => {
    for (const tokens of [access, refresh]) for (const [token, of] of tokens) if (of === code) tokens.delete(token);
  };

  function redeem(form: Form, client: Client): HttpAnswer {
    const known = codes.get(form.code ?? '');
    if (!known || known.client !== client.id) return refused('invalid_grant');
    if (known.isUsed) {
      // Whoever comes with it a second time has stolen it, or was robbed of it (RFC 6749 section 4.1.2).
      revokeLogin(form.code ?? '');
      return refused('invalid_grant');
    }
    known.isUsed = true;
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    if (known.challenge !== challenge || known.redirect !== form.redirect_uri) return refused('invalid_grant');
    return (form.resource ?? null) === known.resource ? give(form.code ?? '') : refused('invalid_target');
  }

  function renew(form: Form): HttpAnswer {
    const token = form.refresh_token ?? '';
    const code = refresh.get(token);
    if (code === undefined) return refused('invalid_grant');
    if ((form.resource ?? null) !== codes.get(code)?.resource) return refused('invalid_target');
    refresh.delete(token);
    return give(code);
  }

  function token(form: Form, authorization: string): HttpAnswer {
    if (script.instead) return json(script.instead.status, script.instead.body);
    const client = clientAsking(form, authorization);
    if (!client) return refused('invalid_client', 401);
    if (form.grant_type === 'authorization_code') return redeem(form, client);
    return form.grant_type === 'refresh_token' ? renew(form) : refused('unsupported_grant_type');
  }

  /** RFC 7009: whatever it is, it is good no longer. */
  function revoke({ token: given = '' }: Form): HttpAnswer {
    const code = refresh.get(given) ?? access.get(given);
    if (code !== undefined) revokeLogin(code);
    return { status: 200, body: '' };
  }

  const handle = ({ path, raw, headers }: HttpRequest): HttpAnswer => {
    const url = new URL(path, 'http://as.test');
    const form = url.pathname === '/register' ? {} : Object.fromEntries(new URLSearchParams(raw.toString()));
    const authorization = headers.authorization ?? '';
    asked.push({
      endpoint: url.pathname,
      form: { ...form, ...Object.fromEntries(url.searchParams) },
      authorization,
    });
    if (url.pathname === '/.well-known/oauth-authorization-server') return json(200, metadata());
    if (url.pathname === '/register') return register(raw);
    if (url.pathname === '/authorize') return authorize(url.searchParams);
    if (url.pathname === '/token') return token(form, authorization);
    return url.pathname === '/revoke' ? revoke(form) : { status: 404, body: '' };
  };
  const server = await startHttpServer(handle);

  return {
    url: server.baseUrl,
    stop: server.stop,
    script,
    asked,
    isGood: (given: string): boolean => access.has(given),
    renewals: () => asked.filter(({ form }) => form.grant_type === 'refresh_token').length,
    /** Ends the access tokens alone. */
    endAccess: () => access.clear(),
    /** It was set up anew, and knows nobody. */
    forgetClients: () => clients.clear(),
  };
}

export type AuthorizationServer = Awaited<ReturnType<typeof startAuthorizationServer>>;

const fromForm = (text: string): string => new URLSearchParams(`text=${text}`).get('text') ?? '';

/** A person in a browser: opens the page of a login and follows where it leads. What the last page said. */
export async function browse(url: string): Promise<{ readonly status: number; readonly location: string | null }> {
  const { status, headers } = await fetch(url, { redirect: 'manual' });
  const location = headers.get('location');
  if (location === null) return { status, location };
  return { status: (await fetch(location)).status, location };
}
