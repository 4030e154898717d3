import { z } from 'zod';

const imapPort = z.int().min(1).max(65_535);
export const hostname = z.string().min(1).max(253);
export const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a name of an environment variable');

const connection = {
  host: hostname,
  tls: z.enum(['implicit', 'starttls', 'none']).default('implicit'),
  user: z.string().min(1),
  auth: z.enum(['password', 'xoauth2', 'none']).default('password'),
  secret_env: environmentName,
  tls_ca_file: z.string().nullable().default(null),
  allow_plaintext: z.boolean().default(false),
};

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host);
const plaintextOnlyToLoopback = {
  check: (value: { host: string; tls: string; allow_plaintext: boolean }) =>
    value.tls !== 'none' || value.allow_plaintext || isLoopback(value.host),
  problem: { path: ['tls'], error: 'implicit or starttls (none only to loopback, or with allow_plaintext: true)' },
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
  .refine(plaintextOnlyToLoopback.check, plaintextOnlyToLoopback.problem);

export const smtpSchema = z
  .strictObject({ ...connection, tls: connection.tls.default('starttls'), port: imapPort.default(587) })
  .refine(plaintextOnlyToLoopback.check, plaintextOnlyToLoopback.problem);

export const mailboxSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9_-]{1,64}$/, 'lower-case letters, digits, - and _'),
  imap: imapSchema.optional(),
  smtp: smtpSchema.optional(),
  save_sent: z.boolean().default(true),
});
