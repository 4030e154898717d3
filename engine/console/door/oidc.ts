import type { Configuration } from 'openid-client';
import type { Log } from '#contract';
import { isSafeForTokens } from '../../config/mailbox-schema.ts';
import type { SystemConfig } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { limitedFetch } from '../../lib/http/limited-fetch.ts';
import type { Ids } from '../../lib/ids.ts';
import { loadedAtFirstUse } from '../../lib/kept-value.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import { sharedLook } from '../shared-look.ts';
import { ANSWER_MS, createQuestions } from './questions.ts';
import type { Begin } from './sessions.ts';

/** Of each request; a log-in makes three at most, and the door ends a connection that is still for fifteen seconds. */
const TIMEOUT_MS = 4000;
const MAX_BYTES = 512 * 1024;
/** Log-ins at which the provider is asked at the same time. */
const MOST_AT_ONCE = 16;
/** What the provider says of itself is asked for again after that. */
const KNOWN_MS = 10 * 60_000;
const MAX_ADDRESS = 254;

type Settings = NonNullable<SystemConfig['console']['oidc']>;

export interface OidcDoor {
  /** Where the browser goes to log in, and what it keeps as a cookie; null: the provider does not answer. */
  begin(): Promise<{ readonly cookie: string; readonly maxAgeS: number; readonly to: URL } | null>;
  /** Begins a session by what the browser comes back with. `unknown` whatever is wrong with it, and whoever it is. */
  end(came: URLSearchParams, cookie: string | null): Begin;
}

/**
 * Log-in by a provider of OpenID Connect: code flow with PKCE, state and nonce (OpenID Connect Core 3.1, RFC 7636). All that it says is which address
 * somebody has, verified; what that address may do, the files say. State, nonce and verifier are made of what the browser keeps as a cookie.
 */
export function createOidc({
  gateway,
  isOwner,
  secretOf,
  ids,
  clock,
  log,
  settings: { issuer, client_id: clientId, client_secret_env: secretEnv },
  redirect,
}: {
  readonly gateway: Pick<GatewayStore, 'beginProvenSession'>;
  /** By the files as they are now. */
  isOwner(address: string): boolean;
  secretOf(name: string): string | undefined;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly settings: Settings;
  /** Where the browser comes back to. */
  readonly redirect: string;
}): OidcDoor {
  const questions = createQuestions({ ids, clock });
  const library = loadedAtFirstUse(() => import('openid-client'));
  const isLocal = issuer.startsWith('http:');
  const bounded = limitedFetch(MAX_BYTES);
  /** No server leads the gateway elsewhere by a redirect, nor out of TLS; in the clear only where the provider itself is on this machine. */
  const fetchSafely = async (url: string, init: object): Promise<Response> => {
    if (!isSafeForTokens(url) || (!isLocal && !url.startsWith('https:'))) throw new Error('it leads out of TLS');
    return bounded(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  };
  let underWay = 0;

  /** What the provider says of itself, asked for by one at a time, however many want to log in. */
  const configNow = sharedLook(
    async (): Promise<Configuration> => {
      const client = await library();
      const secret = secretEnv === null ? undefined : secretOf(secretEnv);
      if (secretEnv !== null && secret === undefined) throw new Error(`${secretEnv} is not set`);
      const proof = secret === undefined ? client.None() : client.ClientSecretPost(secret);
      return client.discovery(new URL(issuer), clientId, undefined, proof, {
        [client.customFetch]: fetchSafely,
        // The signature as well, whose keys the provider names: TLS alone would do by the standard.
        execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
      });
    },
    { forMs: KNOWN_MS, now: clock.now },
  );

  /** The address that the provider has verified; null: none that is an owner's. Throws what is wrong with the answer. */
  async function addressOf(came: URLSearchParams, cookie: string): Promise<string | null> {
    const client = await library();
    const config = await configNow();
    const at = new URL(redirect);
    for (const [name, value] of came) at.searchParams.append(name, value);
    const tokens = await client.authorizationCodeGrant(config, at, {
      expectedState: questions.tokenOf('state', cookie),
      expectedNonce: questions.tokenOf('nonce', cookie),
      pkceCodeVerifier: questions.tokenOf('verifier', cookie),
      idTokenExpected: true,
    });
    const { email, email_verified: isVerified } = { ...tokens.claims() };
    if (typeof email !== 'string' || isVerified !== true || email.length > MAX_ADDRESS) return null;
    const address = email.toLowerCase();
    return isOwner(address) ? address : null;
  }

  return {
    async begin() {
      try {
        const [client, config] = [await library(), await configNow()];
        const cookie = questions.ask();
        const to = client.buildAuthorizationUrl(config, {
          redirect_uri: redirect,
          scope: 'openid email',
          state: questions.tokenOf('state', cookie),
          nonce: questions.tokenOf('nonce', cookie),
          code_challenge: await client.calculatePKCECodeChallenge(questions.tokenOf('verifier', cookie)),
          code_challenge_method: 'S256',
        });
        return { cookie, maxAgeS: ANSWER_MS / 1000, to };
      } catch (error) {
        log.error(
          { issuer, error: wholeOf(error) },
          'the provider by which owners log in to the console does not answer',
        );
        return null;
      }
    },

    end: (came, cookie) => async (session, now) => {
      const state = came.getAll('state');
      // Nothing is asked of the provider before it is clear that this browser has begun it here, and once.
      if (cookie === null || state.length !== 1 || !questions.take('state', cookie, state[0] ?? '')) return 'unknown';
      if (underWay >= MOST_AT_ONCE) return 'too_many';
      underWay += 1;
      try {
        const address = await addressOf(came, cookie);
        if (address === null) return 'unknown';
        return gateway.beginProvenSession({ address, role: 'owner', came_by: 'oidc' }, session, now);
      } catch (error) {
        log.warn({ issuer, error: wholeOf(error) }, 'a log-in by the provider of the console was refused');
        return 'unknown';
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** With what is behind it; never what the provider has sent, in which tokens may stand. */
const wholeOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return error instanceof Error ? `${error.name}: ${error.message}${code}` : 'unknown';
};
