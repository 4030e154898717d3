import { z } from 'zod';
import { EngineError } from '#contract';
import type { Server } from '../../../mailbox/peer/net.ts';

const serverSchema = z.object({
  host: z.string(),
  port: z.int().min(1).max(65_535),
  tls: z.enum(['implicit', 'starttls', 'none']),
});

/** What is asked, and kept beside the workspace until setup is done. Never a secret. */
export const savedSchema = z.object({
  owner: z.string().optional(),
  mailbox: z.string().optional(),
  imap: serverSchema.optional(),
  smtp: serverSchema.optional(),
  client_id: z.string().optional(),
  model: z
    .object({ provider: z.string().nullable(), model: z.string().nullable(), url: z.string().nullable() })
    .optional(),
  name: z.string().optional(),
});

export type Saved = z.infer<typeof savedSchema>;

/** As it is written into configs/gateway.json. */
export type OAuthChoice = Readonly<Record<string, string>> & { readonly client_id: string };

/** A mailbox, as far as a person and its servers tell. */
export interface Connection {
  /** Of the mailbox in configs/gateway.json. */
  readonly id: string;
  /** The address of the mailbox, and what to log in with. */
  readonly mailbox: string;
  readonly user: string;
  readonly imap: Server;
  readonly smtp: Server;
  readonly caFile: string | null;
  /** The client with which the mailbox logs in at its provider; null: it has a password. */
  readonly oauth: OAuthChoice | null;
  /** The provider puts what is sent into Sent by itself. */
  readonly filesSent: boolean;
}

/** Everything that is known when the workspace is written. */
export interface Answers extends Connection {
  readonly owner: string;
  readonly model: NonNullable<Saved['model']>;
  readonly persona: { readonly id: string; readonly name: string; readonly address: string; readonly timezone: string };
}

/** The mailbox of setup. */
export const MAIN = 'main';

/** Pure. The variable under which the secret of a mailbox stands in `.env`. */
export const secretNameOf = ({ id }: Pick<Connection, 'id'>): string =>
  `${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_MAILBOX_PASSWORD`;

/** Pure. `host:port:tls` of a flag. Throws `usage`. */
export function serverIn(written: string): Server {
  const [, host = '', port = '', tls = ''] = /^([^:\s]{1,253}):(\d{1,5}):(implicit|starttls|none)$/.exec(written) ?? [];
  const read = serverSchema.safeParse({ host, port: Number(port), tls });
  if (host === '' || !read.success)
    throw new EngineError(
      'usage',
      `"${written}" is no server; write host:port:tls, such as imap.example.com:993:implicit`,
    );
  return read.data;
}

/** Pure. The folder's name of a persona. */
export const idOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]{1,64}/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40) || 'persona';
