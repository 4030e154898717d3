import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { epistle } from '../flow/gateway.ts';
import { root } from '../house/sources.ts';
import { type Certificate, makeCertificate } from '../lab/certificate.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { type Resolver, startResolver } from '../lab/resolver.ts';

const run = promisify(execFile);
/** One that everybody can look up, here by a resolver of its own: neither the servers nor their authority are named. */
const DOMAIN = 'example.org';
const [MAIL, BORDER, VENDOR] = [`mail.${DOMAIN}`, `mx.${DOMAIN}`, 'api.openai.com'];
const [AGENTS, OWNER] = [`agents@${DOMAIN}`, `you@${DOMAIN}`];
/** Where the owner's own provider sends from. */
const AT_HOME = '203.0.113.7';
const KEY = 'sk-in-hand';
/** The vendor's port is free at an address of its own. */
const VENDOR_ADDRESS = `127.54.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}`;
const STAMP = `Authentication-Results: ${BORDER}; spf=pass smtp.mailfrom=${DOMAIN}; dmarc=pass header.from=${DOMAIN}`;
const [ENTER, DOWN] = ['\r', '\u001b[B'];
/** What a person has to know. */
const TYPED: Readonly<Record<string, string>> = {
  'Your own mail address': OWNER,
  'The address of the mailbox': AGENTS,
  'The password of': "it's secret",
  'The key of OpenAI': KEY,
};

interface Kind {
  readonly options: Partial<Parameters<typeof startMailServers>[0]>;
  /** The owner hands the mail in with a login; else it comes from outside. */
  readonly isFromHome: boolean;
  /** What is asked about the mail before it is answered, and answered so. */
  readonly trust?: { readonly wait: string; readonly keys: string };
}

let place: string;
let resolver: Resolver;
let certificate: Certificate;
let vendor: Server;
let model: FakeModel;
const services: Record<string, { host: string; port: number }> = {};

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'epistle-first-answer-'));
  resolver = await startResolver(
    place,
    { [DOMAIN]: `v=spf1 ip4:127.0.0.1 ip4:${AT_HOME} -all`, [`_dmarc.${DOMAIN}`]: 'v=DMARC1; p=reject' },
    {
      addresses: { [MAIL]: '127.0.0.1', [BORDER]: '127.0.0.1', [VENDOR]: VENDOR_ADDRESS },
      exchanges: { [DOMAIN]: BORDER },
      services,
    },
  );
  certificate = await makeCertificate(place, [MAIL, BORDER, VENDOR]);
  model = await startFakeModel('openai', () => ({ text: 'Worked by the model.' }), {
    ...{ key: KEY, models: ['gpt-6-sol'] },
  });
  const modelPort = Number(new URL(model.baseUrl).port);
  const [cert, key] = [certificate.certFile, certificate.keyFile].map((file) => readFileSync(file));
  vendor = createServer({ cert, key }, (socket) => {
    const upstream = connect(modelPort, '127.0.0.1');
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  await once(vendor.listen(443, VENDOR_ADDRESS), 'listening');
});
afterAll(async () => {
  vendor.close();
  await model.stop();
  resolver.stop();
  rmSync(place, { recursive: true, force: true });
});

const REFUSED = 'came and was not taken';
const offered = { wait: `Shall I trust what ${BORDER} says?`, keys: ENTER };

const WORD = `trust${ENTER}`;
/** Anybody who has a login there could write as the owner: that is trusted by a typed word alone. */
const typedWord = { wait: 'to trust every login', keys: WORD };

const PLACES = [
  'a plain one, to which the owner writes from outside',
  'a plain one, to which the owner writes with a login of it',
  'one with a milter, to which the owner writes from outside',
  'one with a milter, to which the owner writes with a login of it',
  'one that says who logged in',
] as const;

const kinds = (): Readonly<Record<(typeof PLACES)[number], Kind>> => ({
  [PLACES[0]]: { options: { stamp: STAMP }, isFromHome: false, trust: offered },
  [PLACES[1]]: { options: { stamp: STAMP }, isFromHome: true, trust: typedWord },
  [PLACES[2]]: { options: { rspamd: { resolver } }, isFromHome: false, trust: offered },
  [PLACES[3]]: { options: { rspamd: { resolver } }, isFromHome: true, trust: typedWord },
  [PLACES[4]]: { options: { namesLogins: true }, isFromHome: true },
});

/** Everything by Enter but what a person has to know, and the third of the providers. */
const answers = ({ isFromHome, trust }: Omit<Kind, 'options'>, lab: MailServers) => {
  const port = isFromHome ? lab.smtp.submissionPort : lab.smtp.port;
  const own = {
    port,
    from: OWNER,
    to: AGENTS,
    text: letter,
    ...(isFromHome ? { password: 'secret' } : { client: AT_HOME }),
  };
  const asked = [
    ...['Folder of the workspace', 'Your own mail address', 'The address of the mailbox', 'The password of'],
    ...[
      'The model that reads',
      'The key of OpenAI',
      'Which of its models',
      'The name of the persona',
      'may spend in a day',
    ],
  ];
  return [
    ...asked.map((wait) => ({
      wait,
      keys: `${wait === 'The model that reads' ? DOWN + DOWN : (TYPED[wait] ?? '')}${ENTER}`,
    })),
    { wait: 'in the subject', mails: [own] },
    ...(trust ? [{ wait: REFUSED, keys: '' }, trust] : []),
    { wait: 'It was answered.', keys: '' },
  ];
};

const letter = [
  `Message-ID: <own@${DOMAIN}>`,
  `Date: ${new Date().toUTCString()}`,
  ...[`From: ${OWNER}`, `To: ${AGENTS}`, 'Subject: Hello CODE', '', 'Hello.', ''],
].join('\r\n');

interface Walked {
  readonly code: number;
  readonly left: readonly string[];
  readonly asked: readonly string[];
  readonly stood: readonly { readonly wait: string; readonly at: number }[];
  readonly screen: string;
}

async function walk(home: string, steps: readonly object[]): Promise<Walked> {
  const command = [process.execPath, join(root, 'bin/epistle.js'), 'setup', '--wait', '90'];
  const script = ['python3', join(root, 'test/real/setup.py'), JSON.stringify(command), JSON.stringify(steps), '110'];
  const [program, ...args] = [...resolver.asking, ...script];
  const { stdout } = await run(program, args, {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TERM: 'xterm',
      COLUMNS: '160',
      NODE_EXTRA_CA_CERTS: certificate.certFile,
    },
  });
  return JSON.parse(stdout);
}

describe('from setup with a key in hand to the first answered mail, at a server that is', () => {
  it.each(PLACES)('%s', async (name) => {
    const { options, ...kind } = kinds()[name];
    const lab = await startMailServers({
      ...{ users: { agents: "it's secret", you: 'secret' }, domain: DOMAIN, certificate },
      ...options,
    });
    services[`_imaps._tcp.${DOMAIN}`] = { host: MAIL, port: lab.imap.tlsPort };
    services[`_submission._tcp.${DOMAIN}`] = { host: MAIL, port: lab.smtp.submissionPort };
    const home = mkdtempSync(join(place, 'home-'));
    const folder = join(home, 'epistle');
    try {
      const { code, left, asked, stood, screen } = await walk(home, answers(kind, lab));
      expect([code, left], screen.slice(-3000)).toEqual([0, []]);
      expect(screen).toContain('Your first mail was answered.');
      expect(screen).not.toContain(KEY);
      expect(asked).toHaveLength(kind.trust ? 10 : 9);
      // The word by which every login is trusted is what makes somebody stop and read.
      const typed = asked.filter((line) => [...Object.keys(TYPED), 'Type trust'].some((one) => line.startsWith(one)));
      expect(typed).toHaveLength(kind.trust?.keys === WORD ? 5 : 4);
      const answered = (await lab.read('you')).filter(({ raw }) => String(raw).includes('Worked by the model.'));
      expect(answered).toHaveLength(1);
      const mails = (await epistle(folder, ['mail', 'list'])).json.mails as readonly Listed[];
      const [refused] = mails.filter(({ decision }) => decision === 'refused');
      expect(refused !== undefined).toBe(kind.trust !== undefined);
      if (refused) {
        const shown = stood.find(({ wait }) => wait === REFUSED)?.at ?? Number.POSITIVE_INFINITY;
        const tookS = shown - Date.parse(refused.received_at) / 1000;
        process.stdout.write(`${name}: refused on the screen ${tookS.toFixed(2)} s after its record\n`);
        expect(tookS).toBeLessThan(2);
      }
    } finally {
      const ready = join(folder, 'data/ready.json');
      if (existsSync(ready)) process.kill(JSON.parse(readFileSync(ready, 'utf8')).pid, 'SIGTERM');
      await lab.stop();
    }
  });
});

interface Listed {
  readonly decision: string;
  readonly received_at: string;
}
