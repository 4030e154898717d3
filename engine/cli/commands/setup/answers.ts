import { z } from 'zod';
import { EngineError } from '#contract';
import type { MailboxConfig } from '../../../config/types.ts';
import type { Server } from '../../../mailbox/peer/net.ts';

const serverSchema = z.object({
  host: z.string(),
  port: z.int().min(1).max(65_535),
  tls: z.enum(['implicit', 'starttls', 'none']),
});

/**
 * What is asked, and kept beside the workspace until setup is done, readable by its owner alone. `secrets`: what both servers
 * took, by the names of variables; it goes into `.env` with all else.
 */
export const savedSchema = z.object({
  owner: z.string().optional(),
  mailbox: z.string().optional(),
  imap: serverSchema.optional(),
  smtp: serverSchema.optional(),
  /** Of the authority that both servers' certificates are by. */
  ca_file: z.string().optional(),
  client_id: z.string().optional(),
  model: z
    .object({
      provider: z.string().nullable(),
      model: z.string().nullable(),
      url: z.string().nullable(),
      /** USD per million tokens, where somebody had to say it. */
      price: z.object({ input: z.number().nonnegative(), output: z.number().nonnegative() }).optional(),
    })
    .optional(),
  /** In USD for a day; null: no limit. */
  budget: z.number().positive().nullable().optional(),
  name: z.string().optional(),
  secrets: z.record(z.string(), z.string()).optional(),
});

export type Saved = z.infer<typeof savedSchema>;

/** As it is written into configs/gateway.json. */
export type OAuthChoice = Readonly<Record<string, string>> & { readonly client_id: string };

/** A mailbox, as far as a person and its servers tell. */
export interface MailboxConnection {
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
  /** As it is configured already; null: it is new. */
  readonly present: MailboxConfig | null;
}

/** Everything that is known when the workspace is written. */
export interface SetupAnswers extends MailboxConnection {
  readonly owner: string;
  readonly model: NonNullable<Saved['model']>;
  /** In USD for a day; null: no limit; undefined: nothing is said of it. */
  readonly budget?: number | null | undefined;
  readonly persona: {
    readonly id: string;
    readonly name: string;
    readonly address: string;
    readonly timezone: string;
    /** By which it is to send; null: nothing is said of it. */
    readonly mailbox: string | null;
  };
}

/** The mailbox of setup. */
export const MAIN = 'main';

/** Pure. The variable under which the secret of a mailbox stands in `.env`. */
export const secretNameOf = ({ id }: Pick<MailboxConnection, 'id'>): string =>
  `${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_MAILBOX_PASSWORD`;

/** Pure. The variables in which the password of a mailbox stands; none where it has none. */
export function secretNamesOf({
  id,
  oauth,
  present,
}: Pick<MailboxConnection, 'id' | 'oauth' | 'present'>): readonly string[] {
  if (oauth !== null) return [];
  if (present === null) return [secretNameOf({ id })];
  const sides = [present.imap, present.smtp].filter((side) => side?.auth === 'password');
  return [...new Set(sides.flatMap((side) => side?.secret_env ?? []))];
}

/** The port of a server of which only the name is known, and how TLS begins at each usual port. */
const USUAL_PORT = { imap: 993, smtp: 587 } as const;
const USUAL_TLS: Readonly<Record<number, Server['tls']>> = {
  993: 'implicit',
  465: 'implicit',
  143: 'starttls',
  587: 'starttls',
  25: 'starttls',
};

/** Pure. A server as a person writes it: `host`, `host:port` or `host:port:tls`. Throws `usage`. */
export function serverIn(written: string, protocol: 'imap' | 'smtp'): Server {
  const [, host = '', named, said] =
    /^([^:\s]{1,253})(?::(\d{1,5}))?(?::(implicit|starttls|none))?$/.exec(written) ?? [];
  const port = named === undefined ? USUAL_PORT[protocol] : Number(named);
  const read = serverSchema.safeParse({ host, port, tls: said ?? USUAL_TLS[port] });
  if (host === '' || !read.success)
    throw new EngineError(
      'usage',
      `"${written}" is no server; write its name, such as imap.example.com, or host:port:tls, such as imap.example.com:993:implicit`,
    );
  return read.data;
}

/** Pure. As `serverIn` reads it. */
export const writtenServer = ({ host, port, tls }: Pick<Server, 'host' | 'port' | 'tls'>): string =>
  `${host}:${port}:${tls}`;

/** Pure. The folder's name of a persona. */
export const idOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]{1,64}/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40) || 'persona';

/** Pure. The first one has the name that setup gives; more of one domain are counted. */
export function freeId(address: string, mailboxes: readonly Pick<MailboxConfig, 'id'>[]): string {
  const [domain = ''] = address.slice(address.lastIndexOf('@') + 1).split('.');
  const wanted = mailboxes.length === 0 ? MAIN : idOf(domain);
  const isTaken = (id: string) => mailboxes.some((one) => one.id === id);
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? wanted : `${wanted}-${count}`;
    if (!isTaken(id)) return id;
  }
}
