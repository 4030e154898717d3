import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { SUBMISSION_USER } from '../../engine/gateway/smtp/listener.ts';
import { startDnsServer } from '../fakes/dns-server.ts';
import { createSigner } from '../fakes/signer.ts';
import { connectWire, type Reply } from '../fakes/smtp-wire.ts';
import { eventually } from './eventually.ts';
import { type Gateway, launchGateway, readOutgoing, startGateway } from './gateway.ts';
import { openPersonaDb } from './persona-db.ts';
import { makeWorkspace } from './workspace.ts';

export const ADA = 'ada@agents.localhost';
export const BEN = 'ben@agents.localhost';
export const BOSS = 'boss@owner.test';
export const MIA = 'mia@member.test';

export interface Written {
  readonly from: string;
  /** In the header; default: Ada. */
  readonly to?: string;
  readonly id: string;
  /** Null: nobody signs. Default: the domain of From. */
  readonly signedBy?: string | null;
  readonly date?: string;
  readonly headers?: readonly string[];
  readonly subject?: string;
  readonly text?: string;
}

export interface SeenView {
  readonly persona_id: string | null;
  readonly decision: string;
  readonly code: string | null;
  readonly tier: string | null;
  readonly detail: string | null;
  readonly thread_id: string | null;
  readonly run_id: string | null;
}

/** The servers of its domains stand there. */
export const HOME_IP = '192.0.2.25';

type Files = Readonly<Record<string, string | object>>;
type Variables = Readonly<Record<string, string>>;

/** The real gateway with its own DNS: domains of the zone sign their mail, and everybody else is nobody. */
export const startAdmission = (files: Files = {}, auth: object = {}, environment: Variables = {}) =>
  admissionOf(startGateway, { files, auth, environment });

/** The same in a process of its own. */
export const launchAdmission = (files: Files = {}, auth: object = {}, environment: Variables = {}) =>
  admissionOf((root, variables) => launchGateway(root, variables).ready, { files, auth, environment });

async function admissionOf<Runs extends Gateway>(
  start: (root: string, environment: Variables) => Promise<Runs>,
  { files, auth, environment }: { files: Files; auth: object; environment: Variables },
) {
  const domains = ['owner.test', 'member.test', 'friend.test', 'evil.test'];
  const signer = createSigner(domains);
  const servers = domains.map((domain) => [domain, `v=spf1 ip4:${HOME_IP} -all`]);
  const dns = await startDnsServer({ ...signer.zone, ...Object.fromEntries(servers) });
  const persona = (name: string, access: object) => ({
    name,
    address: `${name.toLowerCase()}@agents.localhost`,
    owners: [BOSS],
    access,
  });
  const workspace = makeWorkspace({
    'configs/security.json': { gateway_auth: { dns_servers: [dns.address], ...auth } },
    'personas/ada/persona.json': {
      ...persona('Ada', { allow: ['*@member.test'], deny: ['mallory@member.test'] }),
      aliases: ['assistant@agents.localhost'],
    },
    'personas/ben/persona.json': persona('Ben', { allow: ['*@agents.localhost'] }),
    ...files,
  });
  const gateway = await start(workspace.root, { NODE_ENV: 'test', ...environment });

  const write = async ({
    from,
    to = ADA,
    id,
    signedBy,
    date,
    headers = [],
    subject = 'A question',
    text = 'Hello',
  }: Written): Promise<Buffer> => {
    const raw = Buffer.from(
      [
        `From: ${from}`,
        `To: ${to}`,
        `Subject: ${subject}`,
        `Date: ${date ?? 'Mon, 02 Mar 2026 10:00:00 +0100'}`,
        `Message-ID: ${id}`,
        ...headers,
        '',
        text,
        '',
      ].join('\r\n'),
    );
    const domain = signedBy === undefined ? from.slice(from.lastIndexOf('@') + 1) : signedBy;
    return domain === null ? raw : signer.sign(raw, domain);
  };

  const send = async (raw: Buffer, to: readonly string[] = [ADA], options: SendOptions = {}): Promise<Reply> => {
    const wire = await connectWire(gateway.ready.smtp.port, options.peer ? { from: options.peer } : {});
    try {
      await wire.hello(options.asSubmission ? { user: SUBMISSION_USER, password: secret() } : undefined);
      const refused = (await wire.envelope(options.mailFrom ?? 'bounces@x.test', to)).find(({ code }) => code !== 250);
      return refused ?? (await wire.data(raw));
    } finally {
      wire.close();
    }
  };
  const secret = () => readFileSync(join(workspace.root, 'data/submission.secret'), 'utf8').trim();

  const inDb = <Result>(file: string, work: (database: SQLite.Database) => Result, readonly = true): Result => {
    const database = new SQLite(join(workspace.root, 'data', file), { readonly });
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const inGatewayDb = <Result>(work: (database: SQLite.Database) => Result, readonly = true): Result =>
    inDb('gateway.db', work, readonly);
  const seen = (id: string): SeenView[] =>
    inGatewayDb((database) =>
      database
        .prepare<[string], SeenView>("select * from seen where message_id = ? and direction = 'in' order by id")
        .all(id),
    );
  const runOf = (id: string, personaId = 'ada') =>
    eventually(
      () => {
        const db = openPersonaDb(workspace.root, personaId);
        try {
          return db.runOf(id);
        } finally {
          db.close();
        }
      },
      (run) => run?.status === 'done',
      20_000,
    );
  const outgoing = async () => {
    const folder = join(workspace.root, 'data/outgoing');
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.name.endsWith('.eml'));
    return Promise.all(names.map(({ name }) => readOutgoing(join(folder, name))));
  };
  /** All answers to the mail with this Message-ID, once there is one. */
  const answersTo = (id: string) =>
    eventually(
      async () => (await outgoing()).filter(({ mail }) => mail.inReplyTo === id),
      (found) => found.length > 0,
    );

  return {
    root: workspace.root,
    workspace,
    gateway,
    dns,
    write,
    sign: signer.sign,
    send,
    seen,
    runOf,
    outgoing,
    answersTo,
    inGatewayDb,
    /** Ada's rows. */
    inPersonaDb: (sql: string) => inDb('personas/ada/persona.db', (database) => database.prepare(sql).all()),
    /** Writes and sends. */
    mail: async (written: Written, to: readonly string[] = [ADA], options: SendOptions = {}) =>
      send(await write(written), to, options),
    async stop() {
      await gateway.end();
      dns.stop();
      workspace.remove();
    },
  };
}

export interface SendOptions {
  readonly mailFrom?: string;
  readonly asSubmission?: boolean;
  /** The address on loopback that it comes from. */
  readonly peer?: string;
}

export type Admission = Awaited<ReturnType<typeof startAdmission>>;
export type LaunchedAdmission = Awaited<ReturnType<typeof launchAdmission>>;
