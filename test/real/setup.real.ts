import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeModel } from '../fakes/model-server.ts';
import { root } from '../house/sources.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { BORDER, DOMAIN, idOf, STAMP, sendFromHome, untilAnswered } from '../lab/site.ts';

const PROGRAM = join(root, 'bin/epistle.js');
const AGENTS = `agents@${DOMAIN}`;
const OWNER = `you@${DOMAIN}`;
const CTRL_C = '\u0003';
const run = promisify(execFile);

interface Step {
  readonly wait: string;
  readonly keys?: string;
  /** Somebody writes these then; CODE in their text stands for the code that is shown. */
  readonly mails?: readonly { port: number; from: string; to: string; text: string; password?: string }[];
}

let lab: MailServers;
let home: string;
const pids: number[] = [];

beforeAll(async () => {
  lab = await startMailServers({
    users: { agents: "it's secret", you: 'secret' },
    domain: DOMAIN,
    stamp: STAMP,
    stampsSubmissions: true,
  });
  home = mkdtempSync(join(tmpdir(), 'epistle-setup-'));
});
afterAll(async () => {
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  await lab.stop();
  rmSync(home, { recursive: true, force: true });
});

const environment = () => ({ PATH: process.env.PATH, HOME: home, TERM: 'xterm', COLUMNS: '160' });
const servers = (of = lab) => [
  ...['--imap', `localhost:${of.imap.port}:starttls`, '--smtp', `localhost:${of.smtp.submissionPort}:starttls`],
  ...['--ca-file', of.ca, '--timezone', 'Europe/Berlin'],
];

/** Setup in a terminal, in the folder that it suggests, with these keys at these prompts. */
async function inTerminal(steps: readonly Step[], at = servers(), waitS = 60) {
  const command = [process.execPath, PROGRAM, 'setup', ...at, '--wait', String(waitS)];
  const script = join(root, 'test/real/setup.py');
  const { stdout } = await run('python3', [script, JSON.stringify(command), JSON.stringify(steps), '110'], {
    env: environment(),
  });
  return JSON.parse(stdout);
}

const readyPid = (folder: string): number => JSON.parse(readFileSync(join(folder, 'data/ready.json'), 'utf8')).pid;

describe('setup in a terminal', () => {
  it('is broken off at each prompt, goes on, and ends when the first mail of the owner was answered', async () => {
    const folder = join(home, 'epistle');
    const answers: Step[] = [
      { wait: 'Folder of the workspace', keys: '\r' },
      { wait: 'Your own mail address', keys: `${OWNER}\r` },
      { wait: 'The address of the mailbox', keys: `${AGENTS}\r` },
      { wait: 'The password of', keys: "it's secret\r" },
      { wait: 'The model that reads', keys: '\r' },
      { wait: 'The name of the persona', keys: '\r' },
    ];
    for (const [at, step] of answers.entries()) {
      // The one at which it was broken off before is answered now, those before that are there by Enter.
      const known = answers.slice(0, at).map((one, index) => (index === at - 1 ? one : { ...one, keys: '\r' }));
      const broken = await inTerminal([...known, { ...step, keys: CTRL_C }]);
      expect([step.wait, broken.code, broken.left]).toEqual([step.wait, 5, []]);
      expect(existsSync(join(folder, 'configs/gateway.json'))).toBe(false);
    }
    const going = inTerminal(answers.map(({ wait }) => ({ wait, keys: '\r' })));
    await expect.poll(() => existsSync(join(folder, 'data/ready.json')), { timeout: 60_000 }).toBe(true);
    pids.push(readyPid(folder));
    await sendFromHome(lab, { id: 'first', to: AGENTS });
    const done = await going;
    expect(done.screen).toContain(`The mail "first" of ${OWNER} has come and is being answered.`);
    expect(done.screen).toContain('Your first mail was answered.');
    expect([done.code, done.left]).toEqual([0, []]);
    await untilAnswered(lab, [idOf('first')]);

    expect(read(folder, 'configs/gateway.json').mailboxes).toMatchObject([
      { id: 'main', imap: { user: AGENTS, authserv_id: BORDER, tls: 'starttls' } },
    ]);
    expect(read(folder, 'configs/security.json').owners).toEqual([OWNER]);
    expect(read(folder, 'personas/ada/persona.json')).toEqual({
      $schema: '../../configs/.schemas/persona.json',
      name: 'Ada',
      address: AGENTS,
      timezone: 'Europe/Berlin',
    });
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(folder, '.setup.json'))).toBe(false);
    expect(done.screen).not.toContain("it's secret");
  });
});

describe('the model', () => {
  it('is asked for until it answers, with a key that nobody sees, and then answers the first mail', async () => {
    const model = await startFakeModel('openai', () => ({ text: 'Worked by the model.' }), {
      key: 'right-key',
      models: ['zeta', 'gpt-6-sol'],
    });
    const folder = join(home, 'modelled');
    const at = [...servers(), '--folder', folder];
    const before: Step[] = [
      { wait: 'Your own mail address', keys: `${OWNER}\r` },
      { wait: 'The address of the mailbox', keys: `${AGENTS}\r` },
      { wait: 'The password of', keys: "it's secret\r" },
    ];
    const UP = '\u001b[A';
    try {
      const broken = await inTerminal(
        [
          ...before,
          { wait: 'The model that reads', keys: `${UP}\r` },
          { wait: 'Its address', keys: 'localhost:8000\r' },
          { wait: 'an address that begins with http', keys: `\u0015${model.baseUrl}\r` },
          { wait: 'The key of', keys: 'wrong-key\r' },
          { wait: 'give the key once more', keys: '' },
          { wait: 'The key of', keys: 'right-key\r' },
          { wait: 'Which of its models', keys: '\r' },
          { wait: `${new URL(model.baseUrl).host} answers with gpt-6-sol`, keys: '' },
          { wait: 'The name of the persona', keys: CTRL_C },
        ],
        at,
      );
      expect([broken.code, broken.left]).toEqual([5, []]);
      expect(broken.screen).not.toMatch(/right-key|wrong-key/);
      expect(existsSync(join(folder, 'configs/gateway.json'))).toBe(false);
      const waits = [...before.map(({ wait }) => wait), 'The model that reads', 'Its address', 'The key of'];
      const going = inTerminal(
        [...waits, 'Which of its models', 'The name of the persona', 'may spend in a day'].map((wait) => ({
          wait,
          keys: '\r',
        })),
        at,
      );

      await expect.poll(() => existsSync(join(folder, 'data/ready.json')), { timeout: 60_000 }).toBe(true);
      pids.push(readyPid(folder));
      await sendFromHome(lab, { id: 'modelled', to: AGENTS });
      const done = await going;
      expect([done.code, done.left]).toEqual([0, []]);
      expect(done.screen).toContain('Your first mail was answered.');
      expect(parseEnv(readFileSync(join(folder, '.env'), 'utf8'))).toMatchObject({ OPENAI_API_KEY: 'right-key' });
      expect(JSON.parse(readFileSync(join(folder, 'configs/inference.json'), 'utf8'))).toMatchObject({
        provider: 'openai',
        model: 'gpt-6-sol',
      });
      // Its manifest has a price for a model of this name, wherever it stands.
      expect(JSON.parse(readFileSync(join(folder, 'personas/ada/persona.json'), 'utf8')).budget).toEqual({
        usd_per_day: 5,
      });
      expect(model.requests.length).toBeGreaterThan(2);
    } finally {
      await model.stop();
    }
  });
});

describe('a wrong answer', () => {
  it('is asked for once more, with what is wrong with it, and the others stay', async () => {
    const { imap, smtp, ca } = lab;
    const done = await inTerminal(
      [
        { wait: 'Your own mail address', keys: `${OWNER}\r` },
        { wait: 'The address of the mailbox', keys: `agents@nas.lan\r` },
        { wait: 'No servers were found for agents@nas.lan', keys: '' },
        { wait: 'Its IMAP server', keys: 'nowhere.invalid\r' },
        { wait: 'Its SMTP server', keys: `localhost:${smtp.submissionPort}:starttls\r` },
        { wait: 'The password of', keys: 'wrong\r' },
        { wait: 'Its IMAP server', keys: `localhost:${imap.port}:starttls\r` },
        { wait: 'The file of the authority', keys: `${ca}x\r` },
        { wait: 'a file that is there', keys: `\u0015${ca}\r` },
        { wait: 'The password of', keys: "it's secret\r" },
        { wait: 'Both servers take the login', keys: '' },
        { wait: 'The name of the persona', keys: CTRL_C },
      ],
      ['--folder', join(home, 'mended'), '--user', AGENTS, '--provider', 'offline'],
    );
    expect([done.code, done.left]).toEqual([5, []]);
    expect(done.screen).toContain('there is no server named nowhere.invalid; give the server once more');
    expect(done.screen).toContain('type it once more');
    expect(done.screen).not.toMatch(/configs\/gateway\.json|\.env/);
  });
});

describe('setup at a server that says nothing about the mail of its own users', () => {
  it('shows that the first mail came and was refused, and why, while it waits for the next', async () => {
    const plain = await startMailServers({
      users: { agents: "it's secret", you: 'secret' },
      domain: DOMAIN,
      stamp: '',
    });
    const folder = join(home, 'plain');
    try {
      const going = inTerminal(
        [
          { wait: 'Your own mail address', keys: `${OWNER}\r` },
          { wait: 'The address of the mailbox', keys: `${AGENTS}\r` },
          { wait: 'The password of', keys: "it's secret\r" },
          { wait: 'The name of the persona', keys: '\r' },
          { wait: 'with ', keys: '' },
        ],
        [...servers(plain), '--folder', folder, '--provider', 'offline'],
        20,
      );
      await expect.poll(() => existsSync(join(folder, 'data/ready.json')), { timeout: 60_000 }).toBe(true);
      pids.push(readyPid(folder));
      await sendFromHome(plain, { id: 'unproven', to: AGENTS });
      const { screen } = await going;
      // Without the code anybody may have written it, so nothing that it says is explained or advised.
      expect(screen).toContain(`A mail "unproven" that says it is from ${OWNER} came and was not taken`);
      expect(screen).toMatch(/it has no [A-Z2-9]{4} in its subject/);
      expect(screen).toContain('A mail came and was not taken, as said above.');
      expect(screen).not.toContain('was answered');
    } finally {
      await plain.stop();
    }
  });
});

/** As they come from outside; the first lines stand on top, as a stranger can write them. */
const mailWith = (id: string, subject: string, ...top: string[]) =>
  [
    ...top,
    ...[`Message-ID: <${id}@strange.test>`, `Date: ${new Date().toUTCString()}`, `From: ${OWNER}`, `To: ${AGENTS}`],
    ...[`Subject: ${subject}`, '', 'Hello.', ''],
  ].join('\r\n');

/** What a stranger writes to be trusted: verdicts, lines of the house, and codes. */
const forgeries = (of: MailServers, code: string) =>
  Array.from({ length: 25 }, (_, n) => {
    const names = [BORDER, 'imap.lab.test', 'evil.test', `mx${n}.${DOMAIN}`];
    const verdict = `Authentication-Results: ${names[n % names.length]}; spf=pass smtp.mailfrom=${DOMAIN}; dmarc=pass header.from=${DOMAIN}`;
    const line = `Received: from home (home [192.0.2.${n}])\r\n\tby ${names[(n >> 2) % names.length]} with ${n % 3 === 0 ? 'LMTP' : 'ESMTPSA'} id ${n};\r\n\tSun, 29 Nov 2026 10:00:00 +0000`;
    const top = n % 2 === 0 ? [verdict, line] : [line, verdict, line];
    const [port, to] = [of.smtp.port, AGENTS];
    return { port, from: OWNER, to, text: mailWith(`forged${code}${n}`, `Hello ${code}`, ...top) };
  });

const read = (folder: string, name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** A workspace that is there, so that the addresses of a lab that nobody else knows can be looked up. */
async function workspaceAt(folder: string, of: MailServers) {
  await run(process.execPath, [PROGRAM, 'init', folder], { env: environment() });
  const change = (file: string, key: string, value: object) => {
    const before = read(folder, file);
    writeFileSync(join(folder, file), JSON.stringify({ ...before, [key]: { ...before[key], ...value } }));
  };
  change('configs/security.json', 'gateway_auth', { dns_servers: [of.dns] });
  change('configs/gateway.json', 'smtp_listener', { port: 0 });
}

describe('setup at a server that says who wrote the mail from outside', () => {
  it('offers its word by the mail with the code, tries it with forged ones, and answers the mail', async () => {
    const outside = await startMailServers({
      users: { agents: "it's secret", you: 'secret' },
      domain: DOMAIN,
      stamp: STAMP,
    });
    const folder = join(home, 'outside');
    try {
      await workspaceAt(folder, outside);
      const own = { port: outside.smtp.port, from: OWNER, to: AGENTS, text: mailWith('own', 'Hello CODE') };
      const { screen, left } = await inTerminal(
        [
          { wait: 'Your own mail address', keys: `\u0015${OWNER}\r` },
          { wait: 'The address of the mailbox', keys: `${AGENTS}\r` },
          { wait: 'The password of', keys: "it's secret\r" },
          { wait: 'The name of the persona', keys: '\r' },
          { wait: 'Write it?', keys: '\r' },
          { wait: 'in the subject', mails: [...forgeries(outside, 'WXYZ'), own] },
          { wait: `Shall I trust what ${BORDER} says?`, keys: '\r' },
          { wait: 'is looked at once more', keys: '' },
        ],
        [...servers(outside), '--folder', folder, '--provider', 'offline'],
        60,
      );
      expect(left, screen.slice(-1500)).toEqual([]);
      pids.push(readyPid(folder));
      expect(screen).toContain(`Nothing proves that you wrote it. The server of the mailbox says of it, as ${BORDER}`);
      expect(screen).toContain(`It was not believed. ${BORDER} is trusted now`);
      expect(screen).toContain('Your first mail was answered.');
      // One question, and nothing of what strangers had written.
      expect(screen.match(/Nothing proves that you wrote it/g)).toHaveLength(1);
      expect(read(folder, 'configs/gateway.json').mailboxes).toMatchObject([{ imap: { authserv_id: BORDER } }]);
      expect(read(folder, 'configs/security.json').gateway_auth.trusted_received).toEqual(['imap.lab.test']);
    } finally {
      await outside.stop();
    }
  });

  it('offers nothing of a stranger who has seen the code', async () => {
    const refusing = `Authentication-Results: ${BORDER}; spf=fail smtp.mailfrom=${DOMAIN}; dmarc=fail header.from=${DOMAIN}`;
    const strict = await startMailServers({
      users: { agents: "it's secret", you: 'secret' },
      domain: DOMAIN,
      stamp: refusing,
    });
    const folder = join(home, 'strict');
    try {
      await workspaceAt(folder, strict);
      const { screen, left } = await inTerminal(
        [
          { wait: 'Your own mail address', keys: `\u0015${OWNER}\r` },
          { wait: 'The address of the mailbox', keys: `${AGENTS}\r` },
          { wait: 'The password of', keys: "it's secret\r" },
          { wait: 'The name of the persona', keys: '\r' },
          { wait: 'Write it?', keys: '\r' },
          { wait: 'in the subject', mails: [...forgeries(strict, 'CODE'), ...forgeries(strict, 'code CODE code')] },
          { wait: 'was not taken', keys: '' },
        ],
        [...servers(strict), '--folder', folder, '--provider', 'offline'],
        12,
      );
      expect(left, screen.slice(-1500)).toEqual([]);
      pids.push(readyPid(folder));
      expect(screen).not.toMatch(/Shall I trust|is trusted now|was answered/);
      expect(read(folder, 'configs/gateway.json').mailboxes[0].imap.authserv_id).toBeUndefined();
      expect(read(folder, 'configs/security.json').gateway_auth.trusted_received ?? []).toEqual([]);
    } finally {
      await strict.stop();
    }
  });
});

describe('setup at a server that lets whoever logs in write as anybody', () => {
  it.each([
    ['trusts such logins only by a typed word', 'trust\r', true],
    ['leaves it by Enter', '\r', false],
  ])('%s', async (name, keys, isTrusted) => {
    const plain = await startMailServers({
      users: { agents: "it's secret", you: 'secret' },
      domain: DOMAIN,
      stamp: '',
    });
    const folder = join(home, name.replaceAll(' ', '-'));
    try {
      const { submissionPort: port } = plain.smtp;
      const own = { port, from: OWNER, to: AGENTS, password: 'secret', text: mailWith('own', 'Hello CODE') };
      const { screen, left } = await inTerminal(
        [
          { wait: 'Your own mail address', keys: `${OWNER}\r` },
          { wait: 'The address of the mailbox', keys: `${AGENTS}\r` },
          { wait: 'The password of', keys: "it's secret\r" },
          { wait: 'The name of the persona', keys: '\r' },
          { wait: 'in the subject', mails: [own] },
          { wait: 'to trust every login', keys },
        ],
        [...servers(plain), '--folder', folder, '--provider', 'offline'],
        isTrusted ? 60 : 5,
      );
      expect(left, screen.slice(-1500)).toEqual([]);
      pids.push(readyPid(folder));
      expect(screen).toContain('could write as you');
      expect(screen).toContain('smtpd_sasl_authenticated_header');
      expect(screen.includes('Your first mail was answered.')).toBe(isTrusted);
      const trusted = read(folder, 'configs/security.json').gateway_auth?.trusted_received ?? [];
      expect(trusted).toEqual(isTrusted ? ['imap.lab.test', `esmtpsa:${BORDER}`] : []);
    } finally {
      await plain.stop();
    }
  });
});

describe('setup without a terminal', () => {
  it('takes everything from flags and the secret from the environment or stdin, and can be run again', async () => {
    const folder = join(home, 'twin');
    const args = [
      'setup',
      '--folder',
      folder,
      ...servers(),
      '--owner',
      OWNER,
      '--mailbox',
      AGENTS,
      '--provider',
      'offline',
      '--json',
      '--non-interactive',
    ];
    const setup = (...more: string[]) =>
      run(process.execPath, [PROGRAM, ...args, ...more], {
        env: { ...environment(), MAIN_MAILBOX_PASSWORD: "it's secret" },
      });
    const first = JSON.parse((await setup()).stdout);
    pids.push(first.gateway.pid);
    expect(first).toMatchObject({ ok: true, mailbox: AGENTS, answered: false, trial: { authserv_id: BORDER } });
    expect(first.off).toContain('child runs');
    expect(first.written).toContain('configs/gateway.json');
    const again = JSON.parse((await setup('--name', 'Berta', '--address', `agents+berta@${DOMAIN}`)).stdout);
    expect(again).toMatchObject({ persona: { id: 'berta' }, gateway: first.gateway });
    expect(existsSync(join(folder, 'personas/ada/persona.json'))).toBe(true);
    expect(JSON.stringify([first, again])).not.toContain("it's secret");
  });

  it('says which answer is missing, and what is wrong with a login', async () => {
    const twice = (...args: string[]) =>
      run(process.execPath, [PROGRAM, 'setup', '--folder', join(home, 'none'), '--json', ...args], {
        env: { ...environment(), MAIN_MAILBOX_PASSWORD: 'wrong' },
      }).catch(({ stdout, code }: { stdout: string; code: number }) => ({ ...JSON.parse(stdout), code }));
    expect(await twice()).toMatchObject({
      code: 2,
      error: { code: 'usage', message: expect.stringContaining('--owner') },
    });
    const wrong = await twice(...servers(), '--owner', OWNER, '--mailbox', AGENTS);
    expect(wrong.error).toMatchObject({
      code: 'unauthorised',
      message: expect.stringMatching(/refuses the login.*MAIN_MAILBOX_PASSWORD/),
    });
    expect(existsSync(join(home, 'none/.env'))).toBe(false);
  });
});

describe('one more mailbox', () => {
  it('is found wanting or added with what a mail to itself taught, and a persona moves to it', async () => {
    const folder = join(home, 'more');
    await run(process.execPath, [PROGRAM, 'init', folder], { env: environment() });
    const [imap, smtp, ca] = [servers().slice(0, 2), servers().slice(2, 4), servers().slice(4, 6)];
    const add = (secret: string, ...more: string[]) => {
      const args = ['mailbox', 'add', AGENTS, '--non-interactive', '--json', '--workspace', folder];
      return run(process.execPath, [PROGRAM, ...args, ...imap, ...smtp, ...ca, ...more], {
        env: { ...environment(), MAIN_MAILBOX_PASSWORD: secret },
      }).then(
        ({ stdout }) => JSON.parse(stdout),
        ({ stdout, code }: { stdout: string; code: number }) => ({ ...JSON.parse(stdout), code }),
      );
    };
    expect(await add('wrong')).toMatchObject({ code: 5, error: { code: 'unauthorised' } });
    expect(JSON.parse(readFileSync(join(folder, 'configs/gateway.json'), 'utf8')).mailboxes ?? []).toEqual([]);

    const added = await add("it's secret", '--persona', 'ben');
    expect(added).toMatchObject({ ok: true, id: 'main', persona: 'ben', trial: { authserv_id: BORDER } });
    expect(read(folder, 'configs/gateway.json').mailboxes).toMatchObject([
      { id: 'main', imap: { user: AGENTS, authserv_id: BORDER, secret_env: 'MAIN_MAILBOX_PASSWORD' } },
    ]);
    expect(read(folder, 'personas/ben/persona.json')).toMatchObject({
      address: AGENTS,
      aliases: ['ben@agents.localhost'],
      mailbox: 'main',
    });
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);

    const again = await add("it's secret", '--id', 'second');
    expect(again).toMatchObject({ code: 2, error: { code: 'usage', message: expect.stringContaining('already') } });
    expect(JSON.stringify([added, again])).not.toContain("it's secret");
  });
});
