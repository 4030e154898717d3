import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectWire, type Wire } from '../../../fakes/smtp-wire.ts';
import { bodiesOf, listenerRig, received, result } from './listener-rig.ts';

const ADA = 'ada@agents.localhost';
const MAIL = 'Subject: after\r\n\r\nx\r\n';

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
/** A client that is ready to say what comes after 354. */
async function inData(rig: Rig): Promise<Wire> {
  const wire = await wireTo(rig);
  await wire.hello();
  await wire.envelope('a@x.test', [ADA]);
  await wire.say('DATA');
  return wire;
}
/** Somebody else, afterwards, is served. */
async function stillServes(rig: Rig): Promise<void> {
  const wire = await inData(rig);
  wire.write(`${MAIL}.\r\n`);
  expect((await wire.reply()).code).toBe(250);
  wire.close();
}
afterEach(async () => {
  for (const wire of open.wires.splice(0)) wire.close();
  for (const rig of open.rigs.splice(0)) await rig.close();
});

describe('a second mail smuggled into the first', () => {
  it.each([
    ['\\n.\\n', '\n.\n'],
    ['\\n.\\r\\n', '\n.\r\n'],
    ['\\r\\n.\\n', '\r\n.\n'],
    ['\\r.\\r', '\r.\r'],
    ['\\r\\n.\\r', '\r\n.\r'],
    ['\\r.\\r\\n', '\r.\r\n'],
    ['\\n\\n.\\r\\n', '\n\n.\r\n'],
    ['\\r\\n\\0.\\r\\n', '\r\n\0.\r\n'],
    ['\\r\\n.\\0\\r\\n', '\r\n.\0\r\n'],
  ])('stays text of the first: %s', async (_name, end) => {
    const rig = await rigWith();
    const wire = await inData(rig);
    const smuggled = `MAIL FROM:<owner@x.test>\r\nRCPT TO:<${ADA}>\r\nDATA\r\nFrom: owner@x.test\r\n\r\nevil`;
    wire.write(`Subject: first\r\n\r\nx${end}${smuggled}\r\n.\r\n`);
    expect((await wire.reply()).code).toBe(250);
    expect((await wire.say('NOOP')).code).toBe(250);
    expect(rig.got).toHaveLength(1);
    expect(bodiesOf(rig.got)[0]).toContain('evil');
  });

  it('stays text when the packets are cut between its bytes', async () => {
    const rig = await rigWith();
    const wire = await inData(rig);
    for (const piece of ['..', '\r\nMAIL FROM:<owner@x.test>\r\n', '\n', '.', '\n', 'QUIT\r\n', '\r', '\n..\r\n']) {
      await new Promise<void>((resolve) => wire.socket.write(piece, () => resolve()));
      await pause(5);
    }
    wire.write('.\r\n');
    expect((await wire.reply()).code).toBe(250);
    expect(rig.got).toHaveLength(1);
    expect(bodiesOf(rig.got)[0]).toMatch(/^\.\r\nMAIL FROM/);
  });
});

describe('a client that does not keep to the rules', () => {
  it('is sent away when it talks before the greeting', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig, { greeting: false });
    wire.write(`EHLO early.test\r\nMAIL FROM:<a@x.test>\r\nRCPT TO:<${ADA}>\r\nDATA\r\nx\r\n.\r\n`);
    expect((await wire.reply()).code).toBe(421);
    await wire.ended;
    expect(rig.got).toEqual([]);
  });

  it('is sent away for a line without an end, before it fills the memory', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    wire.write('x'.repeat(200_000));
    expect((await wire.reply()).code).toBe(421);
    await wire.ended;
    await stillServes(rig);
  });

  it('is sent away after ten words that are no commands, and gets no jokes', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    const answers: number[] = [];
    for (const word of ['WIZ', 'SHELL', 'KILL', 'TURN', 'ETRN x', 'XYZ', 'A', 'B', 'C', 'D']) {
      answers.push((await wire.say(word)).code);
    }
    expect(answers).toEqual([...Array.from({ length: 9 }, () => 500), 421]);
    await wire.ended;
  });

  it('is sent away when it speaks HTTP', async () => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    expect((await wire.say('POST / HTTP/1.1')).code).toBe(421);
    await wire.ended;
  });

  it.each([
    ['MAIL FROM:a@x.test'],
    ['MAIL FROM:<a@x.test> SIZE=abc'],
    ['MAIL FROM:<a@x.test> SIZE=-1'],
    ['MAIL FROM:<a@x.test\0>'],
    ['MAIL FROM:<a@x.test> BODY=EVIL'],
    ['RCPT TO:<ada@agents.localhost>'],
    ['DATA'],
    ['BDAT 5 LAST'],
    ['EXPN ada'],
    [`EHLO ${'x'.repeat(5000)}`],
    ['\xff\xfe\x00'],
  ])('hears an error and can go on: %j', async (line) => {
    const rig = await rigWith();
    const wire = await wireTo(rig);
    await wire.hello();
    expect((await wire.say(line)).code).toBeGreaterThanOrEqual(500);
    await wire.say('RSET');
    await wire.envelope('a@x.test', [ADA]);
    expect((await wire.data(MAIL)).code).toBe(250);
  });
});

describe('a mail over the limit', () => {
  const LIMIT = 200_000;

  it('is refused at MAIL when it says so', async () => {
    const rig = await rigWith({ limits: { max_message_bytes: LIMIT } });
    const wire = await wireTo(rig);
    expect((await wire.hello()).text).toContain(`SIZE ${LIMIT}`);
    expect((await wire.say(`MAIL FROM:<a@x.test> SIZE=${LIMIT + 1}`)).code).toBe(552);
    expect((await wire.say(`MAIL FROM:<a@x.test> SIZE=${LIMIT}`)).code).toBe(250);
  });

  it('is refused at its end when it does not', async () => {
    const rig = await rigWith({ limits: { max_message_bytes: LIMIT } });
    const wire = await inData(rig);
    const piece = Buffer.from(`${'x'.repeat(76)}\r\n`.repeat(2000));
    for (let n = 0; n < 20; n += 1) {
      await new Promise<void>((resolve) => wire.socket.write(piece, () => resolve()));
    }
    wire.write('.\r\n');
    expect((await wire.reply()).text).toBe('552 5.3.4 Message too big');
    expect(rig.got).toEqual([]);
    await wire.envelope('a@x.test', [ADA]);
    expect((await wire.data(MAIL)).code).toBe(250);
  });

  it('made of dotted lines is read at a decent pace', async () => {
    const rig = await rigWith({ limits: { max_message_bytes: 3_000_000 } });
    const wire = await inData(rig);
    wire.write('..\r\n'.repeat(500_000));
    wire.write('.\r\n');
    expect((await wire.reply()).code).toBe(250);
    expect(rig.got[0]?.raw).toHaveLength(1_500_000);
  });

  it('is taken to the last byte', async () => {
    const rig = await rigWith({ limits: { max_message_bytes: LIMIT } });
    const wire = await wireTo(rig);
    await wire.hello();
    const whole = `${'x'.repeat(LIMIT - 2)}\r\n`;
    await wire.envelope('a@x.test', [ADA]);
    expect((await wire.data(whole)).code).toBe(250);
    expect(bodiesOf(rig.got)).toEqual([whole]);
    await wire.envelope('a@x.test', [ADA]);
    expect((await wire.data(`x${whole}`)).code).toBe(552);
  });

  it('shares what there is for all: who comes when it is full may try again', async () => {
    const rig = await rigWith({
      limits: { max_message_bytes: LIMIT },
      bounds: { maxHeldBytes: 2 * LIMIT, forSmallBytes: 0 },
    });
    const holders = await Promise.all([inData(rig), inData(rig)]);
    for (const wire of holders) wire.write(`${'x'.repeat(LIMIT - 100)}\r\n`);
    // A third says what it thinks of that once the other two are in.
    await vi.waitFor(async () => {
      const third = await inData(rig);
      third.write(`${'y'.repeat(LIMIT - 100)}\r\n.\r\n`);
      expect((await third.reply()).text).toBe('452 4.3.1 Too much mail at once, try again later');
      third.close();
    }, 90_000);
    for (const wire of holders) {
      wire.write('.\r\n');
      expect((await wire.reply()).code).toBe(250);
    }
    await stillServes(rig);
    const again = await inData(rig);
    again.write(`${'y'.repeat(LIMIT - 100)}\r\n.\r\n`);
    expect((await again.reply()).code).toBe(250);
  });
});

describe('a client that goes away', () => {
  it('leaves nothing behind, in the middle of DATA or after the final dot', async () => {
    const release = Promise.withResolvers<void>();
    const rig = await rigWith({
      limits: { max_message_bytes: 300_000 },
      bounds: { maxHeldBytes: 600_000, forSmallBytes: 0 },
      async answer() {
        await release.promise;
        return received(result({ decision: 'accepted' }));
      },
    });
    for (let n = 0; n < 12; n += 1) {
      const wire = await inData(rig);
      await new Promise<void>((resolve) =>
        wire.socket.write(`Subject: ${n}\r\n\r\n${'x'.repeat(50_000)}`, () => resolve()),
      );
      wire.reset();
    }
    const done = await inData(rig);
    done.write(`${MAIL}.\r\n`);
    await vi.waitFor(() => expect(rig.got).toHaveLength(1), 90_000);
    done.reset();
    release.resolve();
    // Twelve half mails would have filled the room by far.
    await stillServes(rig);
    const big = await inData(rig);
    big.write(`${'y'.repeat(290_000)}\r\n.\r\n`);
    expect((await big.reply()).code).toBe(250);
    expect(rig.logged).toEqual([]);
  });

  it('is hung up on when it says nothing', async () => {
    const rig = await rigWith({ bounds: { idleMs: 300 } });
    const wire = await inData(rig);
    expect((await wire.reply()).code).toBe(421);
    await wire.ended;
    expect(rig.got).toEqual([]);
  });

  it('is hung up on when it says one byte now and then for too long', async () => {
    const rig = await rigWith({ bounds: { idleMs: 400, sessionMs: 1200 } });
    const wire = await inData(rig);
    const drip = setInterval(() => wire.socket.writable && wire.write('x'), 50);
    expect((await wire.reply()).code).toBe(421);
    await wire.ended;
    clearInterval(drip);
    expect(rig.got).toEqual([]);
  });
});

describe('too many connections', () => {
  it('of one address leave room for another, and for the first again when they are gone', async () => {
    const rig = await rigWith({ bounds: { maxClientsPerAddress: 3 } });
    const crowd = [await wireTo(rig), await wireTo(rig), await wireTo(rig)];
    const fourth = await connectWire(rig.port, { greeting: false });
    expect((await fourth.reply()).text).toBe('421 4.7.0 Too many connections from your address');
    const other = await wireTo(rig, { from: '127.0.0.2' });
    expect((await other.hello()).code).toBe(250);
    crowd[0]?.close();
    await vi.waitFor(async () => expect((await (await wireTo(rig)).hello()).code).toBe(250), 90_000);
  });

  it('of a trusted relay are its own affair', async () => {
    const relay = { trusted_relays: [{ ip: '127.0.0.3', authserv_id: 'mx.x.test' }] };
    const rig = await rigWith({ listener: relay, bounds: { maxClientsPerAddress: 1 } });
    for (let n = 0; n < 3; n += 1) expect((await (await wireTo(rig, { from: '127.0.0.3' })).hello()).code).toBe(250);
  });

  it('are refused altogether at the limit', async () => {
    const rig = await rigWith({ bounds: { maxClients: 2 } });
    await wireTo(rig);
    await wireTo(rig);
    const third = await connectWire(rig.port, { greeting: false });
    expect((await third.reply()).code).toBe(421);
  });
});

describe('closing', () => {
  it('lets a mail that is on its way in arrive, takes no more, and hangs up on the idle', async () => {
    const rig = await rigWith();
    const busy = await inData(rig);
    const idle = await wireTo(rig);
    const closed = rig.close();
    busy.write(`${MAIL}.\r\n`);
    expect((await busy.reply()).code).toBe(250);
    expect((await busy.say(`MAIL FROM:<a@x.test>`)).code).toBe(421);
    expect((await idle.say('NOOP')).code).toBe(421);
    await closed;
    await expect(connectWire(rig.port)).rejects.toThrow(/ECONNREFUSED/);
    expect(rig.got).toHaveLength(1);
  });
});
