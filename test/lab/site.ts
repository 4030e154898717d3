import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, vi } from 'vitest';
import { epistle, epistleAlone, type Launched, launchGateway, type Program } from '../flow/gateway.ts';
import { makeWorkspace, type TestWorkspace } from '../flow/workspace.ts';
import { DOVECOT_HOST } from './dovecot.ts';
import type { MailServers } from './mail-servers.ts';

declare module 'vitest' {
  /** Set by vitest.real.config.ts. */
  interface ProvidedContext {
    /** How many mails the pick-up time is measured over. */
    measuredMails: number;
    /** How often the gateway is killed while mail flows. */
    kills: number;
    /** Where the week's mails are written to as people saw them; empty: nowhere. */
    weekTranscript: string;
    /** The folder for pictures of the console; empty: none are kept. */
    consolePictures: string;
    mailPictures: string;
  }
}

export const DOMAIN = 'lab.test';
/** The border vouches for everybody of its own domain, and for nobody else. */
export const BORDER = `mx.${DOMAIN}`;
export const STAMP = `Authentication-Results: ${BORDER}; spf=pass smtp.mailfrom=${DOMAIN}; dmarc=pass header.from=${DOMAIN}`;
export const OWNER = `boss@${DOMAIN}`;
export const PASSWORD = 'secret';

export type Json = Record<string, unknown>;

/** A mailbox of gateway.json for a user of the lab: verified TLS on both sides, the CA named as an owner would. */
export function mailboxOf(
  lab: MailServers,
  user: string,
  changes: { id?: string; imap?: Json; smtp?: Json; save_sent?: boolean; oauth?: Json } = {},
): Json {
  const { id = 'main', imap, smtp, ...rest } = changes;
  const side = {
    host: 'localhost',
    tls: 'starttls',
    user: `${user}@${DOMAIN}`,
    secret_env: 'LAB_PASSWORD',
    tls_ca_file: 'configs/ca.pem',
  };
  return {
    id,
    imap: { ...side, port: lab.imap.port, authserv_id: BORDER, ...imap },
    smtp: { ...side, port: lab.smtp.submissionPort, ...smtp },
    ...rest,
  };
}

export interface Site {
  readonly workspace: TestWorkspace;
  /** Starts the real gateway; with a name of a crash point it will not live long. */
  launch(environment?: Readonly<Record<string, string>>): Launched;
  start(environment?: Readonly<Record<string, string>>): Promise<Program>;
  /** A command of the CLI with the same secrets. */
  command(...args: string[]): ReturnType<typeof epistle>;
  /** What `epistle why` says of a mail. */
  // biome-ignore lint/suspicious/noExplicitAny: the documents have many shapes; tests assert on what they need.
  why(messageId: string): Promise<any[]>;
  /** Message-ID → when its run was created; twice the same id would be two runs. */
  runs(persona?: string): { message_id: string; created_at: number }[];
  outbox(
    persona?: string,
  ): { message_id: string; in_reply_to: string; state: string; last_error: string | null; kind: string }[];
  /** Ends what still runs, and removes the workspace. */
  close(): Promise<void>;
}

/** A workspace whose personas have their mail in mailboxes of the lab; `you@…` may write to `ada`. */
export function makeSite(
  lab: MailServers,
  options: {
    mailboxes: readonly Json[];
    personas: Readonly<Record<string, Json>>;
    gateway?: Json;
    secrets?: Readonly<Record<string, string>>;
    /** Others of the workspace, by path. */
    files?: Readonly<Record<string, string | object>>;
  },
): Site {
  const personas = Object.entries(options.personas).map(([id, persona]): [string, Json] => [
    `personas/${id}/persona.json`,
    { name: id, access: { allow: [`you@${DOMAIN}`, `you+*@${DOMAIN}`, `moved@${DOMAIN}`] }, ...persona },
  ]);
  const workspace = makeWorkspace({
    'configs/gateway.json': {
      domain: 'agents.lab.test',
      mailboxes: options.mailboxes,
      smtp_listener: { enabled: false },
      delivery: { first_retry_s: 1, max_retry_s: 3 },
      ...options.gateway,
    },
    'configs/security.json': {
      owners: [OWNER],
      gateway_auth: { trusted_received: [DOVECOT_HOST], dns_servers: [lab.dns] },
      // Hundreds of mails in a minute are the point here.
      loop_guard: { max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0, max_fast_replies: 0 },
    },
    'configs/system.json': { console: { enabled: false }, log: { level: 'info', format: 'json' } },
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@elsewhere.test' },
    ...Object.fromEntries(personas),
    ...options.files,
  });
  copyFileSync(lab.ca, join(workspace.root, 'configs/ca.pem'));
  const secrets = { LAB_PASSWORD: PASSWORD, ...options.secrets };
  const launched: Launched[] = [];
  const launch: Site['launch'] = (environment = {}) => {
    const started = launchGateway(workspace.root, { ...secrets, NODE_ENV: 'test', ...environment });
    launched.push(started);
    return started;
  };
  const select = <Row>(persona: string, query: string): Row[] => {
    const database = new Database(join(workspace.root, `data/personas/${persona}/persona.db`), { readonly: true });
    try {
      return database.prepare<[], Row>(query).all();
    } finally {
      database.close();
    }
  };
  return {
    workspace,
    launch,
    start: (environment) => launch(environment).ready,
    command: (...args) => epistleAlone(workspace.root, args, { environment: secrets }),
    async why(messageId) {
      const { json } = await epistle(workspace.root, ['why', messageId]);
      return json.entries;
    },
    runs: (persona = 'ada') => select(persona, 'select message_id, created_at from runs order by seq'),
    outbox: (persona = 'ada') =>
      select(persona, 'select message_id, in_reply_to, state, last_error, kind from outbox order by seq'),
    async close() {
      for (const { process, exited } of launched) {
        process.kill('SIGKILL');
        await exited;
      }
      workspace.remove();
    },
  };
}

export interface Letter {
  readonly id: string;
  readonly from?: string;
  readonly to: string;
  readonly subject?: string;
  readonly text?: string;
  /** Above the others, as the sender's server would have written them. */
  readonly headers?: readonly string[];
}

export const idOf = (name: string): string => `<${name}@${DOMAIN}>`;

export function letter({
  id,
  from = `you@${DOMAIN}`,
  to,
  subject = id,
  text = 'Hello.',
  headers = [],
}: Letter): string {
  return [
    ...headers,
    `Message-ID: ${idOf(id)}`,
    `Date: ${new Date().toUTCString()}`,
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    '',
    text,
    '',
  ].join('\r\n');
}

/** From the correspondent through the border to the persona's mailbox; resolves at the 250. */
export async function send(lab: MailServers, mail: Letter): Promise<string> {
  const from = /<([^>]+)>/.exec(mail.from ?? '')?.[1] ?? mail.from ?? `you@${DOMAIN}`;
  await lab.deliver(letter(mail), { from, to: mail.to });
  return idOf(mail.id);
}

/** The same from one who writes at home, with a login at the server of the mailbox. */
export async function sendFromHome(lab: MailServers, mail: Letter): Promise<string> {
  await lab.submit(letter(mail), { from: mail.from ?? `you@${DOMAIN}`, to: mail.to });
  return idOf(mail.id);
}

/** The persona's outbox row for the answer to a mail, once it is in this state. */
export async function outboxWhen(site: Site, answered: string, state: string, persona = 'ada') {
  return vi.waitFor(
    () => {
      const row = site.outbox(persona).find(({ in_reply_to }) => in_reply_to === answered);
      expect(row?.state).toBe(state);
      return row;
    },
    { timeout: 15_000, interval: 100 },
  );
}

/** Environment that lets the gateway's clock begin so many minutes from now. */
export const minutesLater = (minutes: number): Record<string, string> => ({
  EPISTLE_TEST_NOW: new Date(Date.now() + minutes * 60_000).toISOString(),
});

/** Message-IDs of the answers that lie in a mailbox, by the mail they answer. */
export async function answersIn(lab: MailServers, user: string): Promise<Map<string, string[]>> {
  const answers = new Map<string, string[]>();
  for (const { messageId, inReplyTo } of await lab.mailbox(user)) {
    if (inReplyTo !== '') answers.set(inReplyTo, [...(answers.get(inReplyTo) ?? []), messageId]);
  }
  return answers;
}

/** Waits until each of these mails has an answer in the correspondent's mailbox; all that lie there then. */
export async function untilAnswered(
  lab: MailServers,
  ids: readonly string[],
  { user = 'you', timeout = 60_000 } = {},
): Promise<Map<string, string[]>> {
  return vi.waitFor(
    async () => {
      const answers = await answersIn(lab, user);
      expect(ids.filter((id) => !answers.has(id))).toEqual([]);
      return answers;
    },
    { interval: 150, timeout },
  );
}

/** What the mailbox holds once `condition` is true of it. */
export async function mailboxWhen(
  lab: MailServers,
  user: string,
  condition: (mails: Awaited<ReturnType<MailServers['mailbox']>>) => boolean,
  { folder = 'INBOX', timeout = 60_000 } = {},
) {
  return vi.waitFor(
    async () => {
      const mails = await lab.mailbox(user, folder);
      expect(mails).toSatisfy(condition);
      return mails;
    },
    { interval: 100, timeout },
  );
}
