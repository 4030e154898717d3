import { z } from 'zod';
import { type Registered, registeredSchema } from './registered.ts';

/** What is kept of an account, for as long as nobody logs in anew. */
export const tokensSchema = z.object({
  version: z.literal(1),
  /** For people who look at the file. */
  account: z.object({ user: z.string(), provider: z.string(), client_id: z.string() }),
  token_endpoint: z.string(),
  /** Null: the client is as the settings say. */
  registered: registeredSchema.nullable().default(null),
  /** Null: the provider gave none, so the login ends with its access token. Mailboxes are not logged in like that. */
  refresh_token: z.string().nullable(),
  /** When the login ends by itself, in ms; null where the provider does not say. */
  refresh_ends_at: z.number().nullable(),
  access_token: z.string(),
  obtained_at: z.number(),
  expires_at: z.number(),
  /** When somebody logged in. */
  granted_at: z.number(),
  /** It was renewed because a server had refused the one before. */
  after_refusal: z.boolean(),
  /** The provider gives no new token for this login; only a person can change that. */
  refused: z
    .object({
      status: z.number().nullable(),
      error: z.string().nullable(),
      description: z.string(),
      at: z.number(),
      /** Of the client with which it was asked for. */
      client_mark: z.string(),
    })
    .nullable(),
});

export type Tokens = z.infer<typeof tokensSchema>;

/** A successful answer of a token endpoint (RFC 6749 section 5.1), as far as it matters. */
export const grantedSchema = z.object({
  access_token: z.string().min(1).max(50_000),
  refresh_token: z.string().min(1).max(50_000).optional(),
  // Some write numbers as text.
  expires_in: z.coerce.number().positive().max(31_536_000).optional().catch(undefined),
  // Not in the RFC; Google says it for clients whose logins end by themselves.
  refresh_token_expires_in: z.coerce.number().positive().max(315_360_000).optional().catch(undefined),
});

type Granted = z.infer<typeof grantedSchema>;

/** For a provider that does not say how long its access tokens hold. */
const USUAL_S = 3600;

/** Pure. What a renewal leaves: a refresh token that was not replaced stays (RFC 6749 section 6). */
export function renewed(
  before: Tokens,
  granted: Granted,
  { now, afterRefusal }: { now: number; afterRefusal: boolean },
): Tokens {
  return {
    ...before,
    ...timesOf(granted, now),
    refresh_token: granted.refresh_token ?? before.refresh_token,
    refresh_ends_at: endOf(granted, now) ?? before.refresh_ends_at,
    after_refusal: afterRefusal,
    refused: null,
  };
}

/**
 * Pure. What a login gave. Null for a mailbox without a refresh token, which would last an hour; some MCP servers give
 * none, and tokens that hold for weeks, or for as long as nobody takes them back.
 */
export function firstTokens(
  granted: Granted,
  {
    now,
    registered = null,
    ...rest
  }: Pick<Tokens, 'account' | 'token_endpoint'> & { readonly now: number; readonly registered?: Registered | null },
): Tokens | null {
  const { refresh_token = null, expires_in } = granted;
  if (refresh_token === null && registered === null) return null;
  const times = timesOf(refresh_token === null ? { expires_in: ENDLESS_S, ...granted } : granted, now);
  const isEnding = refresh_token === null && expires_in !== undefined;
  return {
    version: 1,
    ...rest,
    ...times,
    registered,
    refresh_token,
    refresh_ends_at: isEnding ? times.expires_at : endOf(granted, now),
    granted_at: now,
    after_refusal: false,
    refused: null,
  };
}

/** Where neither an end nor a way to renew is given. */
const ENDLESS_S = 10 * 365 * 86_400;

const timesOf = ({ access_token, expires_in = USUAL_S }: Granted, now: number) => ({
  access_token,
  obtained_at: now,
  expires_at: now + expires_in * 1000,
});

const endOf = ({ refresh_token_expires_in: seconds }: Granted, now: number): number | null =>
  seconds === undefined ? null : now + seconds * 1000;

const LONGEST_MARGIN_MS = 300_000;
const CLOCK_MS = 60_000;

type Step =
  | { readonly do: 'use' }
  /** `holds`: the access token that is there can be used all the same, if no other comes. */
  | { readonly do: 'renew'; readonly holds: boolean };

/**
 * Pure. Renewed five minutes before the end, or in the last fifth of its time. A token from the future was obtained
 * before the clock went back: nobody knows its end.
 */
export function stepOf(
  {
    obtained_at,
    expires_at,
    refused,
    refresh_token,
  }: Pick<Tokens, 'obtained_at' | 'expires_at' | 'refused'> & { readonly refresh_token?: string | null },
  now: number,
): Step {
  // What cannot be renewed is used to its end.
  if (refresh_token === null && refused === null && now < expires_at) return { do: 'use' };
  const margin = Math.min(LONGEST_MARGIN_MS, (expires_at - obtained_at) / 5);
  const isFromFuture = obtained_at > now + CLOCK_MS;
  if (now < expires_at - margin && !isFromFuture && refused === null) return { do: 'use' };
  return { do: 'renew', holds: now < expires_at };
}

/** A server that refuses a token which was renewed for it a moment ago would refuse the next one, too. */
const RENEWED_FOR_REFUSAL_MS = 10 * 60_000;

/** Pure. Whether a token that a server refused is to be renewed before its time. */
export const isRenewedForRefusal = ({ after_refusal, obtained_at }: Tokens, now: number): boolean =>
  !after_refusal || now - obtained_at >= RENEWED_FOR_REFUSAL_MS;
