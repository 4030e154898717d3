import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { TokenAnswer } from '../ask.ts';
import type { Endpoints, LoginFlow, OAuthClient } from '../client.ts';
import { type JudgedRefusal, judgeRefusal } from '../refusal.ts';
import type { Registered } from '../tokens/registered.ts';
import type { PendingLogin } from './pending.ts';

type Found = Endpoints & { readonly token: string };

/** The answer of RFC 8628 section 3.2; Google calls the page `verification_url`. */
const deviceSchema = z
  .object({
    device_code: z.string().min(1).max(5000),
    user_code: z.string().min(1).max(100),
    verification_uri: z.string().optional(),
    verification_url: z.string().optional(),
    expires_in: z.coerce.number().positive().max(86_400).catch(900),
    interval: z.coerce.number().nonnegative().max(300).catch(5),
  })
  .refine(({ verification_uri, verification_url }) => (verification_uri ?? verification_url) !== undefined);

export type Begun =
  | { readonly ok: true; readonly pending: PendingLogin }
  | { readonly ok: false; readonly judged: JudgedRefusal };

interface Beginning {
  readonly client: OAuthClient;
  readonly mailbox: string | null;
  readonly endpoints: Found;
  readonly clientSecret: string | undefined;
  ask(url: string, form: Readonly<Record<string, string>>): Promise<TokenAnswer>;
  readonly now: number;
}

const asked = ({ client, mailbox, now }: Beginning, during: 'device_code' | 'authorization') =>
  ({ client, mailbox, during, grantedAt: null, endsAt: null, now }) as const;

/** Asks for a code that a person enters on a page, on any device. */
export async function beginDevice(beginning: Beginning): Promise<Begun> {
  const { client, endpoints, clientSecret, now } = beginning;
  if (endpoints.device === null) {
    const none = { status: 400, error: 'unsupported_grant_type', description: '' };
    return { ok: false, judged: judgeRefusal(none, asked(beginning, 'device_code')) };
  }
  const answer = await beginning.ask(endpoints.device, {
    client_id: client.clientId,
    scope: client.scopes.join(' '),
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  });
  const given = answer.ok ? deviceSchema.safeParse(answer.body).data : undefined;
  if (!given) {
    const refusal = answer.ok ? { status: 200, error: null, description: '' } : answer.refusal;
    return { ok: false, judged: judgeRefusal(refusal, asked(beginning, 'device_code')) };
  }
  return {
    ok: true,
    pending: {
      flow: 'device',
      token_endpoint: endpoints.token,
      began_at: now,
      ends_at: now + given.expires_in * 1000,
      device_code: given.device_code,
      user_code: given.user_code,
      url: given.verification_uri ?? given.verification_url ?? '',
      interval_ms: given.interval * 1000,
    },
  };
}

/** How long somebody may take in the browser. */
const BROWSER_MS = 30 * 60_000;

/**
 * The page of a login that comes back to this machine (RFC 8252 section 7.3), bound to us by PKCE (RFC 7636): whoever
 * else reads the address that the browser is sent back to can do nothing with it.
 */
export function beginBrowser(
  beginning: Beginning,
  {
    redirectUri,
    registered,
    random,
  }: { redirectUri: string; registered: Registered | null; random(bytes: number): string },
): Begun {
  const { client, endpoints, now } = beginning;
  if (endpoints.authorization === null) {
    const none = { status: 404, error: null, description: 'no authorization_endpoint' };
    return { ok: false, judged: judgeRefusal(none, asked(beginning, 'authorization')) };
  }
  const [state, verifier] = [random(24), random(48)];
  const url = new URL(endpoints.authorization);
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    ...(client.scopes.length === 0 ? {} : { scope: client.scopes.join(' ') }),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(client.server === null ? { login_hint: client.user } : {}),
    ...(client.resource === null ? {} : { resource: client.resource }),
    ...client.extra,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return {
    ok: true,
    pending: {
      flow: 'browser',
      token_endpoint: endpoints.token,
      began_at: now,
      ends_at: now + BROWSER_MS,
      url: url.href,
      redirect_uri: redirectUri,
      state,
      verifier,
      issuer: client.preset === 'google' ? 'https://accounts.google.com' : client.issuer,
      registered,
    },
  };
}

/** Pure. A login that was begun and can still be gone on with, in this way. */
export const isOpen = (pending: PendingLogin | null, flow: LoginFlow | null, now: number): pending is PendingLogin =>
  pending !== null && now < pending.ends_at && (flow === null || pending.flow === flow);
