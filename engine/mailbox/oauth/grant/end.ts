import { type Answer, type Credentials, provenBy } from '../ask.ts';
import type { OAuthClient } from '../client.ts';
import { type Judged, judgeRefusal, noRefreshToken } from '../refusal.ts';
import { firstTokens, grantedSchema, type Tokens } from '../tokens/tokens.ts';
import type { Pending } from './pending.ts';

export interface Ending {
  readonly client: OAuthClient;
  readonly mailbox: string | null;
  readonly clientSecret: string | undefined;
  ask(url: string, form: Readonly<Record<string, string>>, credentials?: Credentials): Promise<Answer>;
  now(): number;
}

export type Ended =
  | { readonly state: 'granted'; readonly tokens: Tokens }
  /** Nobody has entered the code yet; asked again sooner, the provider would be annoyed. */
  | { readonly state: 'waiting'; readonly intervalMs: number }
  | { readonly state: 'failed'; readonly judged: Judged };

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8628 section 3.5. */
const SLOWER_MS = 5000;

/** Asks once whether the code has been entered. */
export async function askForDevice(ending: Ending, pending: Extract<Pending, { flow: 'device' }>): Promise<Ended> {
  const proof = provenBy(ending);
  const form = { grant_type: DEVICE_GRANT, device_code: pending.device_code, ...proof.form };
  const answer = await ending.ask(pending.token_endpoint, form, proof.credentials);
  if (answer.ok) return ended(ending, pending, answer.body);
  const { error } = answer.refusal;
  if (error === 'authorization_pending') return { state: 'waiting', intervalMs: pending.interval_ms };
  if (error === 'slow_down') return { state: 'waiting', intervalMs: pending.interval_ms + SLOWER_MS };
  const judged = judgeRefusal(answer.refusal, asked(ending, 'device_code'));
  // The answer was lost, or the provider is away for a moment: the code is still good.
  if (judged.until === 'time') return { state: 'waiting', intervalMs: pending.interval_ms + SLOWER_MS };
  return { state: 'failed', judged };
}

/** What the address that a browser was sent back to says; null: it belongs to no login of ours. */
export type Returned =
  | { readonly ok: true; readonly code: string }
  | { readonly ok: false; readonly error: string; readonly description: string };

/** Pure. `written`: the whole address, or its query. Whoever does not know `state` was not sent by us (RFC 6749 10.12). */
export function returnedIn(written: string, pending: Extract<Pending, { flow: 'browser' }>): Returned | null {
  const url = URL.parse(written, pending.redirect_uri);
  if (!url || url.searchParams.get('state') !== pending.state) return null;
  const issuer = url.searchParams.get('iss');
  if (issuer === null && pending.registered?.says_issuer) return null;
  if (issuer !== null && pending.issuer !== null && withoutSlash(issuer) !== withoutSlash(pending.issuer)) return null;
  const error = url.searchParams.get('error');
  if (error !== null) return { ok: false, error, description: url.searchParams.get('error_description') ?? '' };
  const code = url.searchParams.get('code');
  return code === null ? null : { ok: true, code };
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');

/** Gives back the code that the browser brought, for tokens. */
export async function askForBrowser(
  ending: Ending,
  pending: Extract<Pending, { flow: 'browser' }>,
  returned: Returned,
): Promise<Ended> {
  if (!returned.ok) {
    const refusal = { status: 400, error: returned.error, description: returned.description };
    return { state: 'failed', judged: judgeRefusal(refusal, asked(ending, 'authorization')) };
  }
  const proof = provenBy(ending);
  const form = {
    grant_type: 'authorization_code',
    code: returned.code,
    redirect_uri: pending.redirect_uri,
    code_verifier: pending.verifier,
    ...proof.form,
  };
  const answer = await ending.ask(pending.token_endpoint, form, proof.credentials);
  if (answer.ok) return ended(ending, pending, answer.body);
  return { state: 'failed', judged: judgeRefusal(answer.refusal, asked(ending, 'code')) };
}

const asked = ({ client, mailbox, now }: Ending, during: 'device_code' | 'authorization' | 'code') =>
  ({ client, mailbox, during, grantedAt: null, endsAt: null, now: now() }) as const;

function ended(ending: Ending, pending: Pending, body: Readonly<Record<string, unknown>>): Ended {
  const { client, now } = ending;
  const granted = grantedSchema.safeParse(body).data;
  if (!granted) {
    const nonsense = { status: 200, error: null, description: '' };
    return { state: 'failed', judged: judgeRefusal(nonsense, asked(ending, 'code')) };
  }
  const account = { user: client.user, provider: client.name, client_id: client.clientId };
  const registered = pending.flow === 'browser' ? pending.registered : null;
  const tokens = firstTokens(granted, { account, token_endpoint: pending.token_endpoint, registered, now: now() });
  if (tokens) return { state: 'granted', tokens };
  return { state: 'failed', judged: { fault: noRefreshToken(client), until: 'person' } };
}
