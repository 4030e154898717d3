import { z } from 'zod';
import { registeredSchema } from '../tokens/registered.ts';

const begun = { token_endpoint: z.string(), began_at: z.number(), ends_at: z.number() };

/** A login that somebody has begun, so that it can be gone on with after a Ctrl-C, or by a second command. */
export const pendingSchema = z.discriminatedUnion('flow', [
  z.object({
    ...begun,
    flow: z.literal('device'),
    device_code: z.string(),
    user_code: z.string(),
    /** The page on which the code is entered. */
    url: z.string(),
    interval_ms: z.number(),
  }),
  z.object({
    ...begun,
    flow: z.literal('browser'),
    /** The page on which the login happens. */
    url: z.string(),
    redirect_uri: z.string(),
    state: z.string(),
    /** PKCE, RFC 7636. */
    verifier: z.string(),
    /** Of the provider, where it is known: whoever sends the browser back has to be it (RFC 9207). */
    issuer: z.string().nullable(),
    registered: registeredSchema.nullable().default(null),
  }),
]);

export type PendingLogin = z.infer<typeof pendingSchema>;
