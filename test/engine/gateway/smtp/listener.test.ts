import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectWire, type Wire } from '../../../fakes/smtp-wire.ts';
import { bodiesOf, LOGIN, listenerRig, received, result } from './listener-rig.ts';

const MAIL = 'From: a@x.test\r\nMessage-ID: <m@x.test>\r\n\r\nHello\r\n';
const ADA = 'ada@agents.localhost';
const BEN = 'ben@agents.localhost';

type Rig = Awaited<ReturnType<typeof listenerRig>>;
const open: { wires: Wire[]; rigs: Rig[] } = { wires: [], rigs: [] };
async function rigWith(options: Parameters<typeof listenerRig>[0] = {}): Promise<Rig> {
  const rig = await listenerRig(options);
  open.rigs.push(rig);
  return rig;
}
async function wireTo({ port }: Rig, options: Parameters<typeof connectWire>[1] = {}): Promise<Wire> {
  const wire = await connectWire(port, options);
  open.wires.push(wire);
  return wire;
}
afterEach(async () => {
  for (const wire of open.wires.splice(0)) wire.close();
  for (const rig of open.rigs.splice(0)) await rig.close();
});

describe('who a connection is', () => {
  it('is submission after AUTH with the secret, by PLAIN and by LOGIN', async () => {
    const rig = await rigWith();
    const plain = await wireTo(rig);
    expect((await plain.hello(LOGIN)).code).toBe(235);
    await plain.envelope('a@x.test', [ADA]);
    await plain.data(MAIL);
    const login = await wireTo(rig);
    await login.hello();
    expect((await login.say('AUTH LOGIN')).code).toBe(334);
    expect((await login.say(Buffer.from(LOGIN.user).toString('base64'))).code).toBe(334);
    expect((await login.say(Buffer.from(LOGIN.password).toString('base64'))).code).toBe(235);
    await login.envelope('a@x.test', [ADA]);
    await login.data(MAIL);
    expect(rig.got.map(({ arrival }) => arrival)).toEqual([{ door: 'submission' }, { door: 'submission' }]);
  });

  it.each([
    ['a wrong password', { user: 'epistle', password: 'wrong' }],
    ['no password', { user: 'epistle', password: '' }],
    ['another user', { ...LOGIN, user: 'root' }],
    ['the user in capitals', { ...LOGIN, user: 'EPISTLE' }],
  ])('is still a stranger after %s', async (_what, login) => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    const refusal = await wire.hello(login);
    expect(refusal.text).toBe('535 5.7.8 Authentication credentials invalid');
    await wire.envelope('a@x.test', [ADA]);
    await wire.data(MAIL);
    expect(rig.got[0]?.arrival).toEqual({
      door: 'stranger',
      ip: '127.0.0.1',
      helo: 'client.test',
      mailFrom: 'a@x.test',
    });
  });

  it('is no submission by a method that was not offered, and never without its password', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    expect((await wire.hello()).text).toMatch(/AUTH PLAIN LOGIN|AUTH LOGIN PLAIN/);
    const token = Buffer.from('user=epistle\x01auth=Bearer x\x01\x01').toString('base64');
    expect((await wire.say(`AUTH XOAUTH2 ${token}`)).code).toBe(504);
    expect((await wire.say('AUTH CRAM-MD5')).code).toBe(504);
    expect((await wire.say('AUTH PLAIN =')).code).toBeGreaterThanOrEqual(500);
  });

  it('is a relay by its address alone, unless it has logged in', async () => {
    const rig = await rigWith({ listener: { trusted_relays: [{ ip: '127.0.0.3', authserv_id: 'mx.x.test' }] } });
    for (const login of [undefined, LOGIN]) {
      const wire = await wireTo(rig, { from: '127.0.0.3' });
      await wire.hello(login);
      await wire.envelope('a@x.test', [ADA]);
      await wire.data(MAIL);
    }
    const other = await wireTo(rig, { from: '127.0.0.2' });
    // Nobody may say where they come from.
    expect((await other.hello()).text).not.toContain('XCLIENT');
    expect((await other.say('XCLIENT ADDR=127.0.0.3')).code).toBeGreaterThanOrEqual(500);
    await other.envelope('a@x.test', [ADA]);
    await other.data(MAIL);
    expect(rig.got.map(({ arrival }) => arrival.door)).toEqual(['relay', 'submission', 'stranger']);
  });

  it('gets no AUTH in the clear when the listener is bound to more than this machine', async () => {
    const rig = await rigWith({ listener: { host: '0.0.0.0' } });
    const wire = await wireTo(rig);
    const hello = await wire.hello();
    expect(hello.text).not.toMatch(/AUTH|STARTTLS/);
    expect(
      (await wire.say(`AUTH PLAIN ${Buffer.from(`\0${LOGIN.user}\0${LOGIN.password}`).toString('base64')}`)).code,
    ).toBe(500);
    await wire.envelope('a@x.test', [ADA]);
    expect((await wire.data(MAIL)).code).toBe(250);
    expect(rig.got[0]?.arrival.door).toBe('stranger');
  });
});

describe('recipients', () => {
  it('are refused one by one: unknown, in error, and too many', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    const [, unknown, broken, known] = await wire.envelope('a@x.test', [
      'nobody@agents.localhost',
      'eve@agents.localhost',
      ADA,
    ]);
    expect(unknown?.text).toBe('550 5.1.1 No such mailbox here');
    expect(broken?.text).toBe('451 4.3.0 Mailbox temporarily unavailable');
    expect(known?.code).toBe(250);
    expect((await wire.data(MAIL)).code).toBe(250);
    expect(rig.got[0]?.envelope.recipients).toEqual([ADA]);
  });

  it('are a hundred at most', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    await wire.say('MAIL FROM:<a@x.test>');
    for (let n = 0; n < 100; n += 1) {
      const answer = await wire.say(`RCPT TO:<ada+${n}@agents.localhost>`);
      if (answer.code !== 250) expect.unreachable(answer.text);
    }
    expect((await wire.say('RCPT TO:<ada+100@agents.localhost>')).text).toBe('452 4.5.3 Too many recipients');
    expect((await wire.data(MAIL)).code).toBe(250);
    expect(rig.got[0]?.envelope.recipients).toHaveLength(100);
  });

  it.each([
    ['ada@agents.localhost.'],
    ['ada+a,b@agents.localhost'],
    [`ada+${'x'.repeat(70)}@agents.localhost`],
    ['"ada b"@agents.localhost'],
    ['"ada@agents.localhost"@x.test'],
    ['"ada@agents.localhost'],
    ['ada@agents.localhost@x.test'],
    ['postmaster@elsewhere.test'],
    ['postmasters'],
    ['@agents.localhost'],
    [''],
  ])('are not taken at RCPT under a name that would be nobody afterwards: %s', async (address) => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    const [, answer] = await wire.envelope('a@x.test', [address]);
    expect([501, 550]).toContain(answer?.code);
    expect((await wire.say('DATA')).code).toBe(503);
  });

  it.each([
    ['"ada"@agents.localhost', ADA],
    ['"a\\da"@AGENTS.localhost', ADA],
    ['"ada+x"@agents.localhost', 'ada+x@agents.localhost'],
    ['@hub.test:ada@agents.localhost', ADA],
    ['postmaster', 'postmaster'],
    ['PostMaster', 'PostMaster'],
  ])('are taken under the name that they mean: %s', async (address, meant) => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    const [, answer] = await wire.envelope('a@x.test', [address]);
    expect(answer?.code).toBe(250);
    expect((await wire.data(MAIL)).code).toBe(250);
    expect(rig.got[0]?.envelope.recipients).toEqual([meant]);
  });

  it.each([
    ['all accept', ['accepted', 'accepted'], 250],
    ['one accepts', ['accepted', 'refused'], 250],
    ['one records in silence', ['recorded', 'refused'], 250],
    ['one has it already', ['duplicate', 'refused'], 250],
    ['all refuse', ['refused', 'refused'], 550],
    ['one must wait', ['accepted', 'deferred'], 451],
  ] as const)('share one answer: %s', async (_what, decisions, code) => {
    const rig = await rigWith({
      answer: () => received(...decisions.map((decision) => result({ decision, code: 'sender_not_allowed' }))),
    });
    const wire = await wireTo(rig);
    await wire.hello();
    await wire.envelope('a@x.test', [ADA, BEN]);
    expect((await wire.data(MAIL)).code).toBe(code);
  });

  it.each([
    'unknown_recipient',
    'sender_denied',
    'sender_not_allowed',
    'auth_failed',
    'from_missing',
    'from_ambiguous',
  ])('tell the sender the same words whatever the reason: %s', async (code) => {
    const rig = await rigWith({ answer: () => received(result({ decision: 'refused', code })) });
    const wire = await wireTo(rig);
    await wire.hello();
    await wire.envelope('a@x.test', [ADA]);
    expect((await wire.data(MAIL)).text).toBe('550 5.7.1 Not accepted');
  });
});

describe('a mail that cannot be stored', () => {
  it('is a 451 without a word about why, and the connection goes on', async () => {
    const answers = [new Error("ENOSPC: no space left on device, write '/srv/data/personas/ada/mail'"), null];
    const rig = await rigWith({
      answer: () => {
        const error = answers.shift();
        if (error) throw error;
        return received(result({ decision: 'accepted' }));
      },
    });
    const wire = await wireTo(rig);
    await wire.hello();
    await wire.envelope('a@x.test', [ADA]);
    expect((await wire.data(MAIL)).text).toBe('451 4.3.0 Could not be stored, try again later');
    expect(rig.logged.join()).toContain('ENOSPC');
    await wire.envelope('a@x.test', [ADA]);
    expect((await wire.data(MAIL)).code).toBe(250);
  });

  it('says when the sender could not be checked', async () => {
    const rig = await rigWith({ answer: () => received(result({ decision: 'deferred', code: 'auth_failed' })) });
    const wire = await wireTo(rig);
    await wire.hello();
    await wire.envelope('a@x.test', [ADA]);
    expect((await wire.data(MAIL)).text).toBe('451 4.7.5 Sender could not be checked now');
  });
});

describe('the Message-ID in the answer', () => {
  it('cannot break the line or leave ASCII', async () => {
    const rig = await rigWith({
      answer: () => ({
        messageId: `<a\r\n250 b\u00e9\u{1f600}${'x'.repeat(500)}>`,
        results: [result({ decision: 'accepted' })],
      }),
    });
    const wire = await wireTo(rig);
    await wire.hello();
    await wire.envelope('a@x.test', [ADA]);
    const { text } = await wire.data(MAIL);
    expect(text).toMatch(/^250 2\.0\.0 Accepted [\x21-\x7e]{1,200}$/);
    expect((await wire.say('NOOP')).code).toBe(250);
  });
});

describe('bytes as they came', () => {
  it('reach the gateway unchanged, dots unstuffed', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    const bodies = [
      '.\r\n..\r\n...x\r\n',
      'bare\nline\nends\n',
      'nul\0and\0more\r\n',
      'eight bit \xe4\xff\x80\r\n',
      'carriage\rreturn\r\n',
      `${'long'.repeat(50_000)}\r\n`,
      '\r\n\r\n\r\n',
    ];
    for (const body of bodies) {
      await wire.envelope('a@x.test', [ADA]);
      expect((await wire.data(Buffer.from(`Subject: x\r\n\r\n${body}`, 'latin1'))).code).toBe(250);
    }
    const ends = (body: string) => `Subject: x\r\n\r\n${body}${body.endsWith('\r\n') ? '' : '\r\n'}`;
    expect(bodiesOf(rig.got)).toEqual(bodies.map(ends));
  });

  it('may come pipelined, several mails in one packet', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    const one = (n: number) => `MAIL FROM:<a@x.test>\r\nRCPT TO:<${ADA}>\r\nDATA\r\nSubject: ${n}\r\n\r\nx\r\n.\r\n`;
    wire.write(one(1) + one(2) + one(3));
    const codes: number[] = [];
    for (let n = 0; n < 12; n += 1) codes.push((await wire.reply()).code);
    expect(codes).toEqual([250, 250, 354, 250, 250, 250, 354, 250, 250, 250, 354, 250]);
    expect(bodiesOf(rig.got).map((raw) => raw.split('\r\n')[0])).toEqual(['Subject: 1', 'Subject: 2', 'Subject: 3']);
  });

  it('may come one at a time', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    await wire.envelope('a@x.test', [ADA]);
    await wire.say('DATA');
    for (const byte of '..\r\n..a\r\n...\r\n\r\n.\r\n') {
      await new Promise<void>((resolve) => wire.socket.write(byte, () => resolve()));
    }
    expect((await wire.reply()).code).toBe(250);
    expect(bodiesOf(rig.got)).toEqual(['.\r\n.a\r\n..\r\n\r\n']);
  });
});

describe('the end of the listener', () => {
  it('comes also while somebody has just connected and was not greeted yet', async () => {
    const rig = await listenerRig();
    const socket = connect(rig.port, '127.0.0.1');
    const ended = once(socket.resume(), 'close');
    await once(socket, 'connect');
    // Where the other side takes it up, which is a turn of the loop later than here.
    await new Promise((resolve) => setImmediate(resolve));
    await rig.close();
    await ended;
  });
});

describe('an envelope sender that no library would write', () => {
  it.each([
    '"a b"@x.test',
    '"a);dmarc=pass header.from=owner.test;x=(b"@evil.test',
    '"a>b"@x.test',
    'a..b@x.test',
    'user.@x.test',
    'a@b@x.test',
    'root',
    'a b@x.test',
    `${'v'.repeat(300)}@x.test`,
  ])('is taken as it stands, with its parameters, and judged: %s', async (sender) => {
    const rig = await rigWith({ listener: { trusted_relays: [{ ip: '127.0.0.1', authserv_id: 'mx.test' }] } });
    const wire = await wireTo(rig);
    await wire.hello();
    expect((await wire.say(`MAIL FROM:<${sender}> SIZE=100`)).code).toBe(250);
    expect((await wire.say(`RCPT TO:<${ADA}>`)).code).toBe(250);
    expect((await wire.data(MAIL)).code).toBe(250);
    expect(rig.got[0]?.envelope.returnPath).toBe(sender);
    expect(rig.got[0]?.arrival).toMatchObject({ door: 'relay', mailFrom: sender });
  });

  it.each([
    ['MAIL FROM:<"a\u0001b"@x.test>'],
    ['MAIL FROM:<a\u200bb c@x.test>'],
    ['MAIL FROM:<"a b"@x.test'],
    ['MAIL FROM:<"a b@x.test>'],
    ['MAIL FROM:<"a b"@x.test>SIZE=1'],
    ['MAIL FROM:<"a b"@x.test> SIZE=abc'],
    ['MAIL FROM:<<a@x.test>>'],
    [`MAIL FROM:<"a b${'x'.repeat(1000)}"@x.test>`],
    ['MAIL FROM "a b"@x.test'],
    ['MAIL TO:<"a b"@x.test>'],
  ])('is refused where a line could be forged with it or nobody could say where it ends: %j', async (line) => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    wire.write(Buffer.from(`${line}\r\n`));
    expect((await wire.reply()).code).toBeGreaterThanOrEqual(500);
    expect((await wire.say('DATA')).code).toBe(503);
  });
});
