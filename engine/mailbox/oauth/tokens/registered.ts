import { z } from 'zod';

/** What the login to an MCP server has found out and registered, so that its tokens are renewed without asking again. */
export const registeredSchema = z.object({
  issuer: z.string(),
  /** It says who it is when it sends the browser back (RFC 9207): whoever does not say so is another one. */
  says_issuer: z.boolean(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  client_id: z.string(),
  /** Given at the registration; null: there is none, or it stands in the environment. */
  client_secret: z.string().nullable(),
  secret_by: z.enum(['form', 'header']),
  resource: z.string().nullable(),
  scopes: z.array(z.string()),
});

export type Registered = z.infer<typeof registeredSchema>;
