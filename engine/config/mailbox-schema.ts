import { z } from 'zod';

const imapPort = z.int().min(1).max(65_535);
export const hostname = z.string().min(1).max(253);
export const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a name of an environment variable');

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** What tokens may travel to: it is reached by TLS, or on this machine. */
export function isSafeForTokens(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')));
}

const endpoint = z.string().refine(isSafeForTokens, { error: 'an https URL' });

/** The client that is registered at the provider, and what else differs from the provider's usual. */
export const oauthSchema = z
  .strictObject({
    preset: z.enum(['google', 'microsoft']).nullable().default(null),
    issuer: endpoint.nullable().default(null),
    client_id: z.string().min(1).max(500),
    client_secret_env: environmentName.nullable().default(null),
    tenant: z
      .string()
      .regex(/^[\w.-]{1,100}$/, 'common, consumers, organizations, a domain or an id')
      .default('common'),
    flow: z.enum(['device', 'browser']).nullable().default(null),
    scopes: z.array(z.string().min(1).max(500)).max(20).nullable().default(null),
    token_endpoint: endpoint.nullable().default(null),
    authorization_endpoint: endpoint.nullable().default(null),
    device_authorization_endpoint: endpoint.nullable().default(null),
    redirect_port: z.int().min(0).max(65_535).default(0),
  })
  .refine(({ preset, issuer, token_endpoint }) => (preset ?? issuer ?? token_endpoint) !== null, {
    path: ['preset'],
    error: 'google or microsoft; any other provider by issuer, or by its endpoints',
  });

const connection = {
  host: hostname,
  tls: z.enum(['implicit', 'starttls', 'none']).default('implicit'),
  user: z.string().min(1),
  auth: z.enum(['password', 'oauth', 'xoauth2', 'none']).default('password'),
  secret_env: environmentName.default(''),
  tls_ca_file: z.string().nullable().default(null),
  allow_plaintext: z.boolean().default(false),
};

const plaintextOnlyToLoopback = {
  check: (value: { host: string; tls: string; allow_plaintext: boolean }) =>
    value.tls !== 'none' || value.allow_plaintext || isLoopback(value.host),
  problem: { path: ['tls'], error: 'implicit or starttls (none only to loopback, or with allow_plaintext: true)' },
};

/** A login by OAuth has its tokens elsewhere; all others name a variable. Told beside what else is wrong. */
const secretIsNamed = {
  check: (value: { auth: string; secret_env: string }) => value.auth === 'oauth' || value.secret_env !== '',
  problem: {
    path: ['secret_env'],
    error: 'a name of an environment variable',
    when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
  },
};

export const imapSchema = z
  .strictObject({
    ...connection,
    port: imapPort.default(993),
    folder: z.string().min(1).default('INBOX'),
    processed: z
      .string()
      .regex(/^(seen|none|keyword:[^\s(){%*"\\\]]+|move:.+)$/, 'seen, keyword:<name>, move:<folder> or none')
      .default('seen'),
    authserv_id: z.string().nullable().default(null),
    first_connect: z.enum(['now', 'all']).default('now'),
  })
  .refine(plaintextOnlyToLoopback.check, plaintextOnlyToLoopback.problem)
  .refine(secretIsNamed.check, secretIsNamed.problem);

export const smtpSchema = z
  .strictObject({ ...connection, tls: connection.tls.default('starttls'), port: imapPort.default(587) })
  .refine(plaintextOnlyToLoopback.check, plaintextOnlyToLoopback.problem)
  .refine(secretIsNamed.check, secretIsNamed.problem);

export const mailboxSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9_-]{1,64}$/, 'lower-case letters, digits, - and _'),
    imap: imapSchema.optional(),
    smtp: smtpSchema.optional(),
    oauth: oauthSchema.optional(),
    save_sent: z.boolean().default(true),
  })
  .refine(({ imap, smtp, oauth }) => oauth !== undefined || (imap?.auth !== 'oauth' && smtp?.auth !== 'oauth'), {
    path: ['oauth'],
    error: 'the client that is registered at the provider: preset or issuer, and client_id',
  });
