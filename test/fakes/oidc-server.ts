import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { type HttpAnswer, type HttpRequest, startHttpServer } from './http-server.ts';

type Claims = Readonly<Record<string, unknown>>;
type Endpoint = 'discovery' | 'token' | 'keys';

/** Only what differs from a provider that behaves. Change it between two log-ins. */
export interface OidcScript {
  email?: unknown;
  email_verified?: unknown;
  /** Instead of what the ID token says; undefined leaves a claim away. */
  claims?: Claims;
  /** Of the ID token. `other_key`: signed by a key that nobody has named. */
  signature?: 'none' | 'hmac' | 'other_key' | 'cut' | 'changed';
  /** There is no ID token at all. */
  isWithoutIdToken?: boolean;
  /** Instead of what the browser is sent back with. */
  back?: Readonly<Record<string, string | null>>;
  /** Instead of what it says of itself. */
  metadata?: Claims;
  /** Instead of an answer, at the endpoint. */
  answer?: Partial<Record<Endpoint, HttpAnswer>>;
}

export const OIDC_CLIENT = { id: 'epistle', secret: 'a secret of the provider' } as const;

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A provider of OpenID Connect on loopback (Core 1.0, Discovery 1.0): code flow with PKCE, RS256, `iss` as RFC 9207 has it. */
export async function startOidcServer(script: OidcScript = {}) {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const others = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const asked: { readonly endpoint: string; readonly form: Readonly<Record<string, string>> }[] = [];
  const codes = new Map<string, Readonly<Record<string, string>>>();
  const json = (body: object, status = 200): HttpAnswer => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  function idToken(nonce: string | undefined, issuer: string): string {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: issuer, aud: OIDC_CLIENT.id, sub: '1', iat: now, exp: now + 300, nonce };
    const { email = 'owner@example.com', email_verified = true } = script;
    const claims = base64url({ ...usual, email, email_verified, ...script.claims });
    if (script.signature === 'none') return `${base64url({ alg: 'none' })}.${claims}.`;
    if (script.signature === 'hmac') {
      const head = base64url({ alg: 'HS256' });
      const mac = createHash('sha256').update(OIDC_CLIENT.secret).digest('base64url');
      return `${head}.${claims}.${mac}`;
    }
    const signed = `${base64url({ alg: 'RS256', kid: 'k' })}.${claims}`;
    const { privateKey } = script.signature === 'other_key' ? others : keys;
    const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
    if (script.signature === 'cut') return `${signed}.${signature.slice(0, 20)}`;
    if (script.signature === 'changed') {
      const [head, , own] = [base64url({ alg: 'RS256', kid: 'k' }), claims, signature];
      const other = base64url({ ...usual, email: 'owner@example.com', email_verified: true, sub: '2' });
      return `${head}.${other}.${own}`;
    }
    return `${signed}.${signature}`;
  }

  function token(form: Readonly<Record<string, string>>, issuer: string): HttpAnswer {
    const begun = codes.get(form.code ?? '');
    codes.delete(form.code ?? '');
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    const isRight =
      begun !== undefined &&
      challenge === begun.code_challenge &&
      form.redirect_uri === begun.redirect_uri &&
      form.client_id === OIDC_CLIENT.id &&
      form.client_secret === OIDC_CLIENT.secret;
    if (!isRight) return json({ error: 'invalid_grant' }, 400);
    const id = script.isWithoutIdToken ? {} : { id_token: idToken(begun.nonce, issuer) };
    return json({ access_token: 'access', token_type: 'Bearer', expires_in: 300, ...id });
  }

  const server = await startHttpServer(({ path, raw }: HttpRequest) => {
    const { pathname } = new URL(path, 'http://x');
    const issuer = server.baseUrl;
    if (pathname === '/.well-known/openid-configuration') {
      asked.push({ endpoint: 'discovery', form: {} });
      return (
        script.answer?.discovery ??
        json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
          ...script.metadata,
        })
      );
    }
    if (pathname === '/keys') {
      asked.push({ endpoint: 'keys', form: {} });
      const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' };
      return script.answer?.keys ?? json({ keys: [jwk] });
    }
    if (pathname !== '/token') return { status: 404, body: '' };
    const form = Object.fromEntries(new URLSearchParams(raw.toString('utf8')));
    asked.push({ endpoint: 'token', form });
    return script.answer?.token ?? token(form, issuer);
  });

  return {
    issuer: server.baseUrl,
    asked,
    script,
    /** Somebody logs in there, and is led back: with what the address has that the browser opens then. */
    logIn(to: string): string {
      const given = Object.fromEntries(new URL(to).searchParams);
      const code = randomBytes(16).toString('hex');
      codes.set(code, given);
      const back = { code, state: given.state ?? '', iss: server.baseUrl, ...script.back };
      const kept = Object.entries(back).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
      return `?${new URLSearchParams(Object.fromEntries(kept))}`;
    },
    stop: () => server.stop(),
  };
}
