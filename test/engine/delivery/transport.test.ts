import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createSmtpTransport, type SmtpTransport } from '../../../engine/delivery/smtp-transport.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { withSecret } from '../../fakes/secret.ts';
import { type Script, startSmtpPeer } from '../../fakes/smtp-peer.ts';

const RAW = Buffer.from('From: ada@agents.test\r\nSubject: Hello\r\n\r\nFirst line\r\n.a line with a dot\r\nLast\r\n');
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const peerWith = async (script: Script = {}) => {
  const peer = await startSmtpPeer(script);
  closers.push(peer.stop);
  return peer;
};

function transportTo(port: number, options: Partial<Parameters<typeof createSmtpTransport>[0]> = {}): SmtpTransport {
  const transport = createSmtpTransport({
    ...baseConfig(port),
    login: withSecret(() => 'right'),
    helo: 'agents.test',
    log: silentLog,
    timeouts: { connectMs: 2000, greetingMs: 300, silenceMs: 300, deadlineMs: 2000 },
    ...options,
  });
  closers.unshift(transport.close);
  return transport;
}

const toOne = { from: 'ada@agents.test', to: ['you@example.com'], raw: RAW };
const toThree = { ...toOne, to: ['you@example.com', 'gone@example.com', 'later@example.com'] };
const states = (outcome: { recipients: readonly { state: string }[] }) => outcome.recipients.map((one) => one.state);

describe('a server that takes the mail', () => {
  it('gets the bytes as they are, for exactly the envelope recipients', async () => {
    const peer = await peerWith();
    const outcome = await transportTo(peer.port).send(toOne);
    expect(outcome).toMatchObject({ kind: 'delivered', smtp: '250 2.0.0 queued as PEER1' });
    expect(peer.mails).toEqual([{ from: 'ada@agents.test', to: ['you@example.com'], raw: RAW.toString() }]);
    expect(peer.commands[0]).toBe('EHLO agents.test');
  });

  it('keeps eight-bit bytes', async () => {
    const peer = await peerWith();
    const raw = Buffer.concat([RAW, Buffer.from([0xc3, 0xa4, 0x0d, 0x0a])]);
    await transportTo(peer.port).send({ ...toOne, raw });
    expect(Buffer.from(peer.mails[0]?.raw ?? '', 'latin1')).toEqual(raw);
    expect(peer.commands.find((line) => line.startsWith('MAIL'))).toContain('BODY=8BITMIME');
  });

  it('gets a mail larger than one slice whole', async () => {
    const peer = await peerWith();
    const raw = Buffer.from(`Subject: Large\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(9000)}`);
    await transportTo(peer.port).send({ ...toOne, raw });
    expect(peer.mails[0]?.raw).toBe(raw.toString());
  });

  it('is logged in to once for several mails', async () => {
    const peer = await peerWith();
    const transport = transportTo(peer.port);
    for (let count = 0; count < 3; count += 1) await transport.send(toOne);
    expect(peer.mails).toHaveLength(3);
    expect(peer.connections()).toBe(1);
  });

  it('gets many at once over few connections', async () => {
    const peer = await peerWith();
    const transport = transportTo(peer.port);
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => transport.send(toOne)));
    expect(outcomes.every(({ kind }) => kind === 'delivered')).toBe(true);
    expect(peer.mails).toHaveLength(12);
    expect(peer.connections()).toBeLessThanOrEqual(2);
  });

  it('gets the mail although it had closed the kept connection', async () => {
    const peer = await peerWith();
    const transport = transportTo(peer.port);
    await transport.send(toOne);
    await peer.dropAll();
    expect(await transport.send(toOne)).toMatchObject({ kind: 'delivered' });
    expect(peer.mails).toHaveLength(2);
  });

  it('gets the mail although it ends the kept connection with 421 at MAIL', async () => {
    const peer = await peerWith();
    const transport = transportTo(peer.port);
    await transport.send(toOne);
    peer.script.mail = '421 4.4.2 idle too long';
    expect(await transport.send(toOne)).toMatchObject({ kind: 'retry' });
    peer.script.mail = '250 ok';
    expect(await transport.send(toOne)).toMatchObject({ kind: 'delivered' });
    expect(peer.mails).toHaveLength(2);
  });

  it('is sent the null return-path for an empty sender', async () => {
    const peer = await peerWith();
    await transportTo(peer.port).send({ ...toOne, from: '' });
    expect(peer.commands.find((line) => line.startsWith('MAIL'))).toMatch(/^MAIL FROM:<>/);
  });
});

describe('a server that refuses some recipients', () => {
  it('tells final refusals from those worth another try', async () => {
    const peer = await peerWith({
      rcpt: { 'gone@example.com': '550 5.1.1 no such user', 'later@example.com': '450 4.2.0 greylisted' },
    });
    const outcome = await transportTo(peer.port).send(toThree);
    expect(outcome.kind).toBe('retry');
    expect(outcome.recipients).toEqual([
      { address: 'you@example.com', state: 'sent', smtp: '250 2.0.0 queued as PEER1' },
      { address: 'gone@example.com', state: 'failed', smtp: '550 5.1.1 no such user' },
      { address: 'later@example.com', state: 'retry', smtp: '450 4.2.0 greylisted' },
    ]);
  });

  it('is done when all that is left is final', async () => {
    const peer = await peerWith({ rcpt: { 'gone@example.com': '550 5.1.1 no such user' } });
    const outcome = await transportTo(peer.port).send({ ...toOne, to: ['you@example.com', 'gone@example.com'] });
    expect(outcome.kind).toBe('delivered');
    expect(states(outcome)).toEqual(['sent', 'failed']);
  });

  it('fails when every recipient is refused for good', async () => {
    const peer = await peerWith({ rcpt: { '*': '550 5.1.1 no such user' } });
    const outcome = await transportTo(peer.port).send(toThree);
    expect(outcome.kind).toBe('failed');
    expect(outcome.recipients[1]).toMatchObject({ state: 'failed', smtp: '550 5.1.1 no such user' });
  });

  it('keeps a final refusal when the rest of the transaction is put off', async () => {
    const peer = await peerWith({ rcpt: { 'gone@example.com': '550 5.1.1 no' }, dot: '451 4.3.0 try later' });
    const outcome = await transportTo(peer.port).send(toThree);
    expect(outcome.kind).toBe('retry');
    expect(states(outcome)).toEqual(['retry', 'failed', 'retry']);
  });

  it('gives the same answers where the server has no PIPELINING', async () => {
    const peer = await peerWith({ ehlo: ['AUTH PLAIN'], rcpt: { 'gone@example.com': '550 5.1.1 no such user' } });
    const outcome = await transportTo(peer.port).send(toThree);
    expect(states(outcome)).toEqual(['sent', 'failed', 'sent']);
  });
});

describe('a server that answers with an error', () => {
  const cases: [string, Script, string][] = [
    ['a greeting 554', { greeting: '554 5.7.1 go away' }, 'retry'],
    ['a greeting 421', { greeting: '421 4.3.2 not now' }, 'retry'],
    ['MAIL 451', { mail: '451 4.3.0 try later' }, 'retry'],
    ['MAIL 421', { mail: '421 4.3.2 shutting down' }, 'retry'],
    ['MAIL 553', { mail: '553 5.7.1 not your address' }, 'failed'],
    ['MAIL 530', { mail: '530 5.7.0 authentication required' }, 'auth'],
    ['DATA 451', { data: '451 4.3.0 try later' }, 'retry'],
    ['DATA 554', { data: '554 5.7.1 no' }, 'failed'],
    ['final dot 452', { dot: '452 4.3.1 disk full' }, 'retry'],
    ['final dot 421', { dot: '421 4.3.2 shutting down' }, 'retry'],
    ['final dot 503', { dot: '503 5.5.1 bad sequence' }, 'retry'],
    ['final dot 552', { dot: '552 5.3.4 too large' }, 'failed'],
    ['login 535', { auth: '535 5.7.8 wrong' }, 'auth'],
    ['login 454', { auth: '454 4.7.0 cannot check now' }, 'retry'],
    ['login 504', { auth: '504 5.5.4 no such mechanism' }, 'auth'],
    ['login 421', { auth: '421 4.3.2 too many logins' }, 'retry'],
  ];
  it.each(cases)('%s', async (_name, script, kind) => {
    const peer = await peerWith(script);
    const outcome = await transportTo(peer.port).send(toOne);
    expect(outcome.kind).toBe(kind);
    expect(outcome.smtp).not.toBe('');
    expect(peer.mails).toEqual([]);
  });

  it('is not sent a mail larger than the SIZE it announced', async () => {
    const peer = await peerWith({ ehlo: ['SIZE 50', 'AUTH PLAIN'] });
    const outcome = await transportTo(peer.port).send(toOne);
    expect(outcome.kind).toBe('failed');
    expect(peer.commands.some((line) => line.startsWith('MAIL'))).toBe(false);
  });
});

describe('an end that leaves room for doubt', () => {
  it('is unknown when the connection drops after the final dot, stored or not', async () => {
    for (const store of [true, false]) {
      const peer = await peerWith({ dot: 'drop', store });
      const outcome = await transportTo(peer.port).send(toOne);
      expect(outcome.kind).toBe('unknown');
      expect(states(outcome)).toEqual(['unknown']);
      expect(peer.mails).toHaveLength(store ? 1 : 0);
    }
  });

  it('is unknown when no answer to the final dot comes in time', async () => {
    const peer = await peerWith({ dot: 'hang', store: true });
    expect((await transportTo(peer.port).send(toOne)).kind).toBe('unknown');
  });

  it('is unknown when the answer to the final dot is no SMTP reply', async () => {
    const peer = await peerWith({ dot: 'what was that?' });
    expect((await transportTo(peer.port).send(toOne)).kind).toBe('unknown');
  });

  it('keeps the refusals that came before the drop', async () => {
    const peer = await peerWith({ rcpt: { 'gone@example.com': '550 5.1.1 no such user' }, dot: 'drop', store: true });
    const outcome = await transportTo(peer.port).send(toThree);
    expect(outcome.kind).toBe('unknown');
    expect(states(outcome)).toEqual(['unknown', 'failed', 'unknown']);
  });

  it('is unknown when the gateway stops while it waits for that answer', async () => {
    const peer = await peerWith({ dot: 'hang', store: true });
    const transport = transportTo(peer.port, { timeouts: {} });
    const sending = transport.send(toOne);
    await expect.poll(() => peer.mails.length).toBe(1);
    await transport.close();
    expect((await sending).kind).toBe('unknown');
  });
});

describe('an end before the final dot', () => {
  const cases: [string, Script][] = [
    ['a drop instead of a greeting', { greeting: 'drop' }],
    ['a greeting that never comes', { greeting: 'hang' }],
    ['a drop at login', { auth: 'drop' }],
    ['a drop at MAIL', { mail: 'drop' }],
    ['a drop at RCPT', { rcpt: { '*': 'drop' } }],
    ['a drop at DATA', { data: 'drop' }],
    ['silence at MAIL', { mail: 'hang' }],
    ['silence at DATA', { data: 'hang' }],
  ];
  it.each(cases)('is worth a retry: %s', async (_name, script) => {
    const peer = await peerWith(script);
    expect((await transportTo(peer.port).send(toOne)).kind).toBe('retry');
    expect(peer.mails).toEqual([]);
  });

  it('is worth a retry when the connection drops in the middle of the body', async () => {
    const peer = await peerWith({ dropAfterBodyBytes: 10_000 });
    const raw = Buffer.alloc(24 * 1024 * 1024, 'x');
    const outcome = await transportTo(peer.port, { timeouts: { deadlineMs: 10_000 } }).send({ ...toOne, raw });
    expect(outcome.kind).toBe('retry');
  });

  it('is worth a retry when nobody listens', async () => {
    const peer = await startSmtpPeer();
    await peer.stop();
    expect((await transportTo(peer.port).send(toOne)).kind).toBe('retry');
  });

  it('is worth a retry when the whole attempt takes too long', async () => {
    const peer = await peerWith({ data: 'hang' });
    const transport = transportTo(peer.port, { timeouts: { silenceMs: 60_000, deadlineMs: 200 } });
    const outcome = await transport.send(toOne);
    expect(outcome).toMatchObject({ kind: 'retry', smtp: expect.stringContaining('200 ms') });
  });

  it('does not hold up later mail', async () => {
    const peer = await peerWith({ mail: 'hang' });
    const transport = transportTo(peer.port);
    await Promise.all([transport.send(toOne), transport.send(toOne), transport.send(toOne)]);
    peer.script.mail = '250 ok';
    expect((await transport.send(toOne)).kind).toBe('delivered');
  });
});

describe('what never reaches a server', () => {
  it('is a mail without the secret for the account', async () => {
    const peer = await peerWith();
    const outcome = await transportTo(peer.port, { login: withSecret(() => undefined) }).send(toOne);
    expect(outcome).toMatchObject({ kind: 'auth', smtp: expect.stringContaining('SECRET') });
    expect(peer.connections()).toBe(0);
  });

  it('is an address that would end the command or name a second recipient', async () => {
    const peer = await peerWith();
    const bad = [
      'a@b.test>\r\nRCPT TO:<victim@example.com',
      'a@b.test,victim@example.com',
      'team: a@b.test',
      'nobody',
      '',
    ];
    const outcome = await transportTo(peer.port).send({ ...toOne, to: [...bad, 'you@example.com'] });
    expect(states(outcome)).toEqual(['failed', 'failed', 'failed', 'failed', 'failed', 'sent']);
    expect(peer.mails[0]?.to).toEqual(['you@example.com']);
  });

  it('is a login over plain text when STARTTLS is asked for and not offered', async () => {
    const peer = await peerWith();
    const { smtp } = baseConfig(peer.port);
    const outcome = await transportTo(peer.port, { smtp: { ...smtp, tls: 'starttls' } }).send(toOne);
    expect(outcome.kind).toBe('retry');
    expect(peer.commands.some((line) => /^(AUTH|MAIL)/.test(line))).toBe(false);
  });

  it('is a mail after close', async () => {
    const peer = await peerWith();
    const transport = transportTo(peer.port);
    await transport.send(toOne);
    await transport.close();
    expect((await transport.send(toOne)).kind).toBe('retry');
    expect(peer.mails).toHaveLength(1);
  });
});

describe('trying the account out', () => {
  it('tells success, a refused login and an absent server apart, and sends nothing', async () => {
    const peer = await peerWith();
    expect(await transportTo(peer.port).verify()).toEqual({ ok: true });
    peer.script.auth = '535 5.7.8 wrong';
    expect(await transportTo(peer.port).verify()).toEqual({ ok: false, kind: 'auth', smtp: '535 5.7.8 wrong' });
    peer.script.greeting = 'drop';
    expect(await transportTo(peer.port).verify()).toMatchObject({ ok: false, kind: 'retry' });
    expect(peer.commands.some((line) => line.startsWith('MAIL'))).toBe(false);
  });
});

describe('a login by access token', () => {
  it('speaks XOAUTH2', async () => {
    const peer = await peerWith();
    const { smtp } = baseConfig(peer.port);
    const transport = transportTo(peer.port, {
      smtp: { ...smtp, auth: 'xoauth2' },
      login: withSecret(() => 'token-1'),
    });
    expect((await transport.send(toOne)).kind).toBe('delivered');
    const line = peer.commands.find((one) => one.startsWith('AUTH XOAUTH2')) ?? '';
    expect(Buffer.from(line.split(' ')[2] ?? '', 'base64').toString()).toBe(
      'user=agents@agents.test\x01auth=Bearer token-1\x01\x01',
    );
  });

  it('speaks OAUTHBEARER to a server that offers it alone', async () => {
    const peer = await peerWith({
      ehlo: ['PIPELINING', 'AUTH PLAIN OAUTHBEARER'],
      bearer: (user, token) => user === 'agents@agents.test' && token === 'token-1',
    });
    const { smtp } = baseConfig(peer.port);
    const [good, bad] = ['token-1', 'old'].map((token) =>
      transportTo(peer.port, { smtp: { ...smtp, auth: 'xoauth2' }, login: withSecret(() => token) }),
    );
    expect((await good?.send(toOne))?.kind).toBe('delivered');
    const line = peer.commands.find((one) => one.startsWith('AUTH ')) ?? '';
    expect(Buffer.from(line.split(' ')[2] ?? '', 'base64').toString()).toBe(
      `n,a=agents@agents.test,\x01host=127.0.0.1\x01port=${peer.port}\x01auth=Bearer token-1\x01\x01`,
    );
    expect(await bad?.send(toOne)).toMatchObject({ kind: 'auth', smtp: expect.stringContaining('535') });
    // The refusal was acknowledged as RFC 7628 has it.
    expect(peer.commands.at(-1)).toBe(Buffer.from('\x01').toString('base64'));
  });

  it.each([
    ['at once', { auth: '535 5.7.8 token expired' }],
    ['after the details that servers send first', { bearer: () => false }],
  ])('stops the account when the token is refused %s', async (_when, script) => {
    const peer = await peerWith(script);
    const { smtp } = baseConfig(peer.port);
    const transport = transportTo(peer.port, { smtp: { ...smtp, auth: 'xoauth2' }, login: withSecret(() => 'old') });
    expect((await transport.send(toOne)).kind).toBe('auth');
  });

  it('is no failure of the account where the server could not look', async () => {
    const peer = await peerWith({ auth: '454 4.7.0 Temporary authentication failure' });
    const { smtp } = baseConfig(peer.port);
    const transport = transportTo(peer.port, { smtp: { ...smtp, auth: 'xoauth2' }, login: withSecret(() => 'good') });
    expect((await transport.send(toOne)).kind).toBe('retry');
  });
});

describe('the fake peer', () => {
  it('speaks plain SMTP to anybody', async () => {
    const peer = await peerWith();
    const socket = connect(peer.port, '127.0.0.1').setEncoding('utf8');
    const heard: string[] = [];
    socket.on('data', (text) => heard.push(String(text)));
    socket.write('EHLO x\r\nQUIT\r\n');
    await new Promise((resolve) => socket.on('close', resolve));
    expect(heard.join('')).toContain('221 bye');
  });
});

function baseConfig(port: number): Pick<Parameters<typeof createSmtpTransport>[0], 'smtp'> {
  return {
    smtp: {
      host: '127.0.0.1',
      port,
      tls: 'none',
      user: 'agents@agents.test',
      auth: 'password',
      secret_env: 'SECRET',
      tls_ca_file: null,
      allow_plaintext: false,
    },
  };
}
