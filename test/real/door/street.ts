import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { startFakeModel } from '../../fakes/model-server.ts';
import { root } from '../../house/sources.ts';
import { makeCertificate } from '../../lab/certificate.ts';
import { type MailServers, startMailServers } from '../../lab/mail-servers.ts';
import { startResolver } from '../../lab/resolver.ts';

const run = promisify(execFile);
/** A domain that everybody can look up, here by a resolver of its own: neither its servers nor their authority are named. */
export const DOMAIN = 'example.org';
export const BORDER = `mx.${DOMAIN}`;
const [MAIL, VENDOR] = [`mail.${DOMAIN}`, 'api.openai.com'];
export const [AGENTS, OWNER] = [`agents@${DOMAIN}`, `you@${DOMAIN}`] as const;
/** Where the owner's own provider sends from. */
const AT_HOME = '203.0.113.7';
export const KEY = 'sk-in-hand';
/** The vendor's port is free at an address of its own. */
const VENDOR_ADDRESS = `127.54.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}`;
export const ANSWER = 'Worked by the model.';
const [ENTER, DOWN] = ['\r', '\u001b[B'];

/** What a person has to know, by the prompt that asks for it. */
export const TYPED: Readonly<Record<string, string>> = {
  'Your own mail address': OWNER,
  'The address of the mailbox': AGENTS,
  'The password of': "it's secret",
  'The key of OpenAI': KEY,
};

const PROMPTS = [
  ...['Folder of the workspace', 'Your own mail address', 'The address of the mailbox', 'The password of'],
  ...[
    'The model that reads',
    'The key of OpenAI',
    'Which of its models',
    'The name of the persona',
    'may spend in a day',
  ],
];

/** Who hands it in: a server at an address outside, or a user with a login. */
export interface Posted {
  readonly port: number;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly client?: string;
  readonly password?: string;
}

/** A server, how its owner writes to it, and what is asked before that mail is answered. */
export interface Place {
  readonly options: Partial<Parameters<typeof startMailServers>[0]>;
  readonly isFromHome: boolean;
  readonly trust?: { readonly wait: string; readonly keys: string };
}

export const REFUSED = 'came and was not taken';
export const WORD = `trust${ENTER}`;
export const offered = { wait: `Shall I trust what ${BORDER} says?`, keys: ENTER };
/** Anybody who has a login there could write as the owner: that is trusted by a typed word alone. */
export const typedWord = { wait: 'to trust every login', keys: WORD };

/** Everything by Enter but what a person has to know, and the third of the providers; then these write. */
export const answers = (trust: Place['trust'], mails: readonly Posted[]) => [
  ...PROMPTS.map((wait) => ({
    wait,
    keys: `${wait === 'The model that reads' ? DOWN + DOWN : (TYPED[wait] ?? '')}${ENTER}`,
  })),
  { wait: 'in the subject', mails },
  ...(trust ? [{ wait: REFUSED, keys: '' }, trust] : []),
  { wait: 'It was answered.', keys: '' },
];

/** CODE stands for the code that is shown; the first lines stand on top. */
export const mailWith = (id: string, subject: string, ...top: readonly string[]): string =>
  [
    ...top,
    ...[`Message-ID: <${id}@${DOMAIN}>`, `Date: ${new Date().toUTCString()}`, `From: ${OWNER}`, `To: ${AGENTS}`],
    ...[`Subject: ${subject}`, '', 'Hello.', ''],
  ].join('\r\n');

export function ownMail(lab: MailServers, isFromHome: boolean): Posted {
  const letter = { from: OWNER, to: AGENTS, text: mailWith('own', 'Hello CODE') };
  return isFromHome
    ? { ...letter, port: lab.smtp.submissionPort, password: 'secret' }
    : { ...letter, port: lab.smtp.port, client: AT_HOME };
}

export interface Walked {
  readonly code: number;
  readonly left: readonly string[];
  /** The prompts that took keys. */
  readonly asked: readonly string[];
  /** When what was waited for stood on the screen, in seconds. */
  readonly stood: readonly { readonly wait: string; readonly at: number }[];
  readonly screen: string;
}

/** The domain and its mail servers, of which one runs at a time, and a vendor of models. */
export async function openStreet() {
  const place = mkdtempSync(join(tmpdir(), 'epistle-street-'));
  const services: Record<string, { host: string; port: number }> = {};
  const resolver = await startResolver(
    place,
    { [DOMAIN]: `v=spf1 ip4:127.0.0.1 ip4:${AT_HOME} -all`, [`_dmarc.${DOMAIN}`]: 'v=DMARC1; p=reject' },
    {
      addresses: { [MAIL]: '127.0.0.1', [BORDER]: '127.0.0.1', [VENDOR]: VENDOR_ADDRESS },
      exchanges: { [DOMAIN]: BORDER },
      services,
    },
  );
  const certificate = await makeCertificate(place, [MAIL, BORDER, VENDOR]);
  const model = await startFakeModel('openai', () => ({ text: ANSWER }), { key: KEY, models: ['gpt-6-sol'] });
  const modelPort = Number(new URL(model.baseUrl).port);
  const [cert, key] = [certificate.certFile, certificate.keyFile].map((file) => readFileSync(file));
  const vendor = createServer({ cert, key }, (socket) => {
    const upstream = connect(modelPort, '127.0.0.1');
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  await once(vendor.listen(443, VENDOR_ADDRESS), 'listening');
  return {
    resolver,
    /** Setup in a terminal, in the folder that it suggests below this home. */
    async walk(home: string, steps: readonly object[]): Promise<Walked> {
      const command = [process.execPath, join(root, 'bin/epistle.js'), 'setup', '--wait', '90'];
      const script = [join(root, 'test/real/setup.py'), JSON.stringify(command), JSON.stringify(steps), '110'];
      const [program, ...args] = [...resolver.asking, 'python3', ...script];
      const terminal = { TERM: 'xterm', COLUMNS: '160' };
      const { stdout } = await run(program, args, {
        env: { PATH: process.env.PATH, HOME: home, ...terminal, NODE_EXTRA_CA_CERTS: certificate.certFile },
        maxBuffer: 16 * 1024 * 1024,
      });
      return JSON.parse(stdout);
    },
    /** Ends the gateway that a walk has left, and the server. */
    async at(options: Place['options'], visit: (lab: MailServers, home: string) => Promise<void>): Promise<void> {
      const users = { agents: "it's secret", you: 'secret' };
      const lab = await startMailServers({ users, domain: DOMAIN, certificate, ...options });
      services[`_imaps._tcp.${DOMAIN}`] = { host: MAIL, port: lab.imap.tlsPort };
      services[`_submission._tcp.${DOMAIN}`] = { host: MAIL, port: lab.smtp.submissionPort };
      const home = mkdtempSync(join(place, 'home-'));
      try {
        await visit(lab, home);
      } finally {
        const ready = join(home, 'epistle/data/ready.json');
        if (existsSync(ready)) process.kill(JSON.parse(readFileSync(ready, 'utf8')).pid, 'SIGTERM');
        await lab.stop();
      }
    },
    async close(): Promise<void> {
      vendor.close();
      await model.stop();
      resolver.stop();
      rmSync(place, { recursive: true, force: true });
    },
  };
}
