import { z } from 'zod';
import { fetchTrusting } from '#contract/http';
import { readJson } from '../../lib/json.ts';
import type { OAuthClient } from './client.ts';
import type { TokenRefusal } from './refusal.ts';

/** What a provider answered: an object of JSON, or why there is none. */
export type TokenAnswer =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly refusal: TokenRefusal; readonly retryAfterMs: number };

/** A client that shows its secret in a header (RFC 6749 section 2.3.1). */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** Pure. How a token endpoint learns which client asks: what goes into the form, and what into a header. */
export function provenBy({
  client,
  clientSecret,
}: {
  readonly client: Pick<OAuthClient, 'clientId' | 'secretBy' | 'resource'>;
  readonly clientSecret: string | undefined;
}): { readonly form: Readonly<Record<string, string>>; readonly credentials?: Credentials } {
  const { clientId, secretBy, resource } = client;
  const form = resource === null ? {} : { resource };
  if (clientSecret === undefined) return { form: { ...form, client_id: clientId } };
  if (secretBy === 'header') return { form, credentials: { id: clientId, secret: clientSecret } };
  return { form: { ...form, client_id: clientId, client_secret: clientSecret } };
}

/** Each half written as in a form, as the RFC has it. */
const basic = ({ id, secret }: Credentials): string =>
  `Basic ${Buffer.from(`${asInForm(id)}:${asInForm(secret)}`).toString('base64')}`;

const asInForm = (text: string): string => new URLSearchParams({ text }).toString().slice('text='.length);

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 1024 * 1024;
const object = z.record(z.string(), z.unknown());
const refused = z.object({ error: z.string().max(200), error_description: z.string().optional().catch(undefined) });

/** As `askProvider` asks. */
type AskProvider = (
  url: string,
  form: Readonly<Record<string, string>> | null,
  credentials?: Credentials,
) => Promise<TokenAnswer>;

/**
 * Asks an OAuth server: GET, or POST of a form. Redirects are not followed, for what is sent is secret. Never throws.
 */
export const askProvider: AskProvider = (url, form, credentials) => askBy(fetch, { url, form, credentials });

/**
 * The same for whoever lets people log in to a server with a certificate of a private authority: that may be the server
 * itself, another one of its owner, or one that all the world knows.
 */
export const askProviderTrusting = (caFile: string | undefined): AskProvider => {
  if (caFile === undefined) return askProvider;
  const trusting = fetchTrusting(caFile, { alsoKnown: true });
  return (url, form, credentials) => askBy(trusting, { url, form, credentials });
};

async function askBy(
  fetchIt: (url: string, init: RequestInit) => Promise<Response>,
  asked: {
    readonly url: string;
    readonly form: Readonly<Record<string, string>> | null;
    readonly credentials: Credentials | undefined;
  },
): Promise<TokenAnswer> {
  const { url, form, credentials } = asked;
  try {
    const response = await fetchIt(url, {
      method: form === null ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(form === null ? {} : { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
        ...(credentials ? { authorization: basic(credentials) } : {}),
      },
      ...(form === null ? {} : { body: String(new URLSearchParams(form)) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return answerOf(response.status, await textOf(response), response.headers.get('retry-after'));
  } catch (error) {
    return { ok: false, refusal: { status: null, error: codeOf(error), description: '' }, retryAfterMs: 0 };
  }
}

/** Pure. */
function answerOf(status: number, text: string, retryAfter: string | null): TokenAnswer {
  const body = readJson(object, text);
  if (status >= 200 && status < 300 && body && !('error' in body)) return { ok: true, body };
  const said = refused.safeParse(body).data;
  const seconds = Number(retryAfter ?? 0);
  return {
    ok: false,
    refusal: { status, error: said?.error ?? null, description: said?.error_description ?? '' },
    retryAfterMs: Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 3600) * 1000 : 0,
  };
}

/** What is longer is no answer of an OAuth server. */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `fetch failed` says nothing; its cause has the system's code. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error && cause.name === 'TimeoutError' ? 'ETIMEDOUT' : 'no answer';
}
