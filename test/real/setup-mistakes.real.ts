import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeModel } from '../fakes/model-server.ts';
import { root } from '../house/sources.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { DOMAIN, letter, STAMP } from '../lab/site.ts';

const run = promisify(execFile);
const AGENTS = `agents@${DOMAIN}`;
const OWNER = `you@${DOMAIN}`;
/** Takes away what was typed before. */
const CLEAR = '\u0015';
const CTRL_C = '\u0003';
const UP = '\u001b[A';

/** An answer that is wrong, and what the prompt says that it is asked for again with. */
type Mistake = readonly [typed: string, cure: string];

let lab: MailServers;
let home: string;
let stranger: Server;
let strangePort: number;

beforeAll(async () => {
  const users = { agents: "it's secret", you: 'secret' };
  lab = await startMailServers({ users, domain: DOMAIN, stamp: STAMP, stampsSubmissions: true });
  home = mkdtempSync(join(tmpdir(), 'epistle-mistakes-'));
  writeFileSync(join(home, 'a-file'), 'no folder');
  writeFileSync(join(home, 'no-certificate.txt'), 'hello');
  mkdirSync(join(home, 'broken/configs'), { recursive: true });
  writeFileSync(join(home, 'broken/configs/gateway.json'), '{ "mailboxes": [ }');
  // A server that speaks neither.
  stranger = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await new Promise<void>((ready) => stranger.listen(0, '127.0.0.1', ready));
  const address = stranger.address();
  strangePort = typeof address === 'object' && address ? address.port : 0;
});
afterAll(async () => {
  for (const folder of ['servers', 'modelled']) {
    const ready = join(home, folder, 'data/ready.json');
    if (existsSync(ready)) process.kill(JSON.parse(readFileSync(ready, 'utf8')).pid, 'SIGTERM');
  }
  stranger.close();
  await lab.stop();
  rmSync(home, { recursive: true, force: true });
});

interface Step {
  readonly wait: string;
  readonly keys?: string;
  readonly mails?: readonly object[];
}

/** Each mistake at this prompt, answered by the next one, and at last by what is right. */
const corrected = (prompt: string, mistakes: readonly Mistake[], right: string): readonly Step[] => {
  const typed = [...mistakes.map(([text]) => text), right];
  return typed.map((text, at) => ({ wait: mistakes[at - 1]?.[1] ?? prompt, keys: `${CLEAR}${text}\r` }));
};

const walk = (steps: readonly Step[], ...more: string[]) =>
  walkAll(steps, '--user', AGENTS, '--provider', 'offline', '--wait', '1', ...more);

async function walkAll(steps: readonly Step[], ...more: string[]) {
  const flags = ['--timezone', 'Europe/Berlin', ...more];
  const command = [process.execPath, join(root, 'bin/epistle.js'), 'setup', ...flags];
  const script = join(root, 'test/real/setup.py');
  const { stdout } = await run('python3', [script, JSON.stringify(command), JSON.stringify(steps), '110'], {
    env: { PATH: process.env.PATH, HOME: home, TERM: 'xterm', COLUMNS: '160' },
  });
  return JSON.parse(stdout) as { code: number; left: readonly string[]; screen: string };
}

describe('a mistake at a prompt of setup', () => {
  it('about a folder or an address leads back to that prompt, and all else stays', async () => {
    const folders: readonly Mistake[] = [
      [join(home, 'a-file'), 'is a file; name a folder'],
      [join(home, 'a-file/below'), 'is a file; name a folder'],
      [join(home, 'broken'), 'Mend that, or name another folder.'],
    ];
    const NO_ADDRESS = 'a mail address, such as you@example.com';
    const addresses: readonly Mistake[] = [
      ['you', NO_ADDRESS],
      ['you@', NO_ADDRESS],
      ['@lab.test', NO_ADDRESS],
      ['you@@lab.test', NO_ADDRESS],
      ['you@lab', NO_ADDRESS],
      [`${OWNER}, boss@${DOMAIN}`, NO_ADDRESS],
      [`You <${OWNER}>`, NO_ADDRESS],
    ];
    const boxes: readonly Mistake[] = [
      ['agents', NO_ADDRESS],
      ['agents lab.test', NO_ADDRESS],
    ];
    const { code, left, screen } = await walk([
      ...corrected('Folder of the workspace', folders, '~/right'),
      ...corrected('Your own mail address', addresses, OWNER),
      ...corrected('The address of the mailbox', boxes, 'agents@gmial.com'),
      { wait: 'Which of the two is meant?', keys: CTRL_C },
    ]);
    expect([code, left]).toEqual([5, []]);
    expect(screen).not.toMatch(/Error:|at .*\.ts:\d/);
    // Broken off at a prompt, it goes on there: what was answered stands as an answer.
    expect(JSON.parse(readFileSync(join(home, 'right/.setup.json'), 'utf8'))).toMatchObject({ owner: OWNER });
    expect(existsSync(join(home, 'right/configs'))).toBe(false);
  });

  it('about a server, its certificate or the password leads back to what it calls into question', async () => {
    const { imap, smtp, ca } = lab;
    const NAME = 'a name such as imap.example.com';
    const ONCE_MORE = 'give the server once more';
    const atImap: readonly Mistake[] = [
      ['https://mail.lab.test/', NAME],
      ['mail.lab.test:99999:implicit', NAME],
      ['mail.lab.test:993:ssl', NAME],
      ['mail lab test', NAME],
      [':993:implicit', NAME],
      ['mail.lab.test:imap:implicit', NAME],
    ];
    const whileLoggingIn: readonly Mistake[] = [
      [`localhost:${smtp.submissionPort}:starttls`, `is an SMTP server; ${ONCE_MORE}`],
      [`localhost:${imap.port}:implicit`, `does not speak TLS at once; ${ONCE_MORE}`],
      [`localhost:${strangePort}:starttls`, `${strangePort} `],
      ['localhost:1:implicit', ONCE_MORE],
      ['nowhere.invalid:993:implicit', `there is no server named nowhere.invalid; ${ONCE_MORE}`],
    ];
    const [first, ...others] = whileLoggingIn;
    const authorities: readonly Mistake[] = [
      [join(home, 'nothing.pem'), 'a file that is there'],
      [join(home, 'no-certificate.txt'), 'holds no certificate'],
      [home, 'cannot be read'],
    ];
    const atSmtp: readonly Mistake[] = [
      [`localhost:${smtp.port}:starttls`, `takes no login; ${ONCE_MORE}`],
      [`localhost:${smtp.submissionPort}:implicit`, `does not speak TLS at once; ${ONCE_MORE}`],
    ];
    const passwords: readonly Mistake[] = [
      ['secret', 'type it once more'],
      ["it's  secret", 'type it once more'],
    ];
    const { code, left, screen } = await walk(
      [
        { wait: 'Your own mail address', keys: `${OWNER}\r` },
        { wait: 'The address of the mailbox', keys: 'agents@nas.lan\r' },
        ...corrected('Its IMAP server', atImap, first?.[0] ?? ''),
        ...corrected(
          'Its SMTP server',
          [['smtp:587:tls', 'a name such as smtp.example.com']],
          `localhost:${imap.port}:starttls`,
        ),
        ...corrected('The password of', [['', 'something has to stand here']], 'wrong'),
        ...corrected(first?.[1] ?? '', others, `localhost:${imap.tlsPort}:implicit`),
        ...corrected('The file of the authority', authorities, ca),
        ...corrected('type it once more', passwords, "it's secret"),
        { wait: 'is an IMAP server', keys: `${CLEAR}${atSmtp[0]?.[0]}\r` },
        { wait: atSmtp[0]?.[1] ?? '', keys: `${CLEAR}${atSmtp[1]?.[0]}\r` },
        { wait: atSmtp[1]?.[1] ?? '', keys: `${CLEAR}localhost:${smtp.submissionPort}:starttls\r` },
        { wait: 'Both servers take the login', keys: '' },
        { wait: 'The name of the persona', keys: `${'A'.repeat(300)}\r` },
        { wait: 'Give another name.', keys: 'Ada\r' },
        { wait: 'on its way', keys: CTRL_C },
      ],
      '--folder',
      join(home, 'servers'),
    );
    expect([code, left]).toEqual([5, []]);
    expect(screen).not.toMatch(/configs\/gateway\.json|\.env|Error:/);
    expect(existsSync(join(home, 'servers/configs'))).toBe(false);

    // Broken off there, it goes on by Enter alone, with all that was mended.
    const again = ['Your own', 'The address of the mailbox', 'Its IMAP', 'Its SMTP', 'The password', 'The name of the'];
    const done = await walk(
      [
        ...again.map((wait) => ({ wait, keys: '\r' })),
        // Nobody has that address at this server.
        { wait: 'Give the address once more', keys: '' },
        { wait: 'The address of the mailbox', keys: `${CLEAR}${AGENTS}\r` },
        { wait: 'The gateway runs', keys: '' },
      ],
      ...['--folder', join(home, 'servers')],
    );
    expect([done.code, done.left], done.screen.slice(-2000)).toEqual([0, []]);
    expect(done.screen).not.toMatch(/the server once more|authority/);
    expect(JSON.parse(readFileSync(join(home, 'servers/personas/ada/persona.json'), 'utf8')).address).toBe(AGENTS);
  });

  it('about the model and what it may cost leads back there, and the walk ends with the answer to a mail', async () => {
    const isThere = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"gpt-6-sol"');
    const model = await startFakeModel(
      'openai',
      (request) =>
        isThere(request)
          ? { text: 'Worked by the model.' }
          : { status: 404, message: "The model 'shop-9' does not exist" },
      { key: 'right-key', models: ['gpt-6-sol'] },
    );
    const HTTP = 'an address that begins with http';
    const nowhere = 'http://127.0.0.1:1/v1';
    const addresses: readonly Mistake[] = [
      ['localhost:8000/v1', HTTP],
      ['ftp://127.0.0.1/v1', HTTP],
      ['http://', HTTP],
    ];
    const BUDGET = 'an amount such as 5, or none';
    const budgets: readonly Mistake[] = [
      ['five', BUDGET],
      ['-1', BUDGET],
    ];
    const { submissionPort: port } = lab.smtp;
    const own = { port, from: OWNER, to: AGENTS, password: 'secret' };
    try {
      const { code, left, screen } = await walkAll(
        [
          { wait: 'Your own mail address', keys: `${OWNER}\r` },
          { wait: 'The address of the mailbox', keys: `${AGENTS}\r` },
          { wait: 'The password of', keys: "it's secret\r" },
          { wait: 'The model that reads', keys: `${UP}\r` },
          ...corrected('Its address', addresses, nowhere),
          { wait: 'The key of', keys: 'wrong-key\r' },
          { wait: 'give its address once more', keys: '' },
          { wait: 'Its address', keys: `${CLEAR}${model.baseUrl}\r` },
          { wait: 'give the key once more', keys: '' },
          { wait: 'The key of', keys: 'right-key\r' },
          { wait: 'Which of its models', keys: `${UP}\r` },
          ...corrected('The name of the model', [['', 'something has to stand here']], 'shop-9'),
          { wait: 'name another model', keys: '' },
          { wait: 'Which of its models', keys: '\r' },
          { wait: 'The name of the persona', keys: 'Ada\r' },
          ...corrected('may spend in a day', budgets, '5'),
          {
            wait: 'in the subject',
            mails: [{ ...own, text: letter({ id: 'mended', from: OWNER, to: AGENTS, subject: 'Hello CODE' }) }],
          },
          { wait: 'It was answered.', keys: '' },
        ],
        ...['--folder', join(home, 'modelled'), '--wait', '60', '--ca-file', lab.ca],
        ...['--imap', `localhost:${lab.imap.port}:starttls`, '--smtp', `localhost:${port}:starttls`],
      );
      expect([code, left], screen.slice(-2000)).toEqual([0, []]);
      expect(screen).toContain('Your first mail was answered.');
      expect(screen).not.toMatch(/right-key|wrong-key|Error:/);
    } finally {
      await model.stop();
    }
  });
});
