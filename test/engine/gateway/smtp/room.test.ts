import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCollector, decideRoom } from '../../../../engine/gateway/smtp/listener.ts';
import { countedAs } from '../../../../engine/lib/ip-address.ts';
import { scriptedClock } from '../../../fakes/scripted-clock.ts';
import { connectWire, type Wire } from '../../../fakes/smtp-wire.ts';
import { LOGIN, listenerRig, received, result } from './listener-rig.ts';

const ADA = 'ada@agents.localhost';
const KB = 1000;
/** So many bytes of mail, in lines, without the end. */
const bytes = (count: number) => `${'x'.repeat(98)}\r\n`.repeat(count / 100);
const MINUTE = 60_000;

type Rig = Awaited<ReturnType<typeof listenerRig>>;
const open: { wires: Wire[]; rigs: Rig[] } = { wires: [], rigs: [] };
afterEach(async () => {
  for (const wire of open.wires.splice(0)) wire.close();
  for (const rig of open.rigs.splice(0)) await rig.close();
});

const RELAY = '127.0.0.9';

async function rigWith(options: Parameters<typeof listenerRig>[0] = {}) {
  const clock = scriptedClock();
  const listener = { trusted_relays: [{ ip: RELAY, authserv_id: 'mx.x.test' }] };
  const rig = await listenerRig({ clock, listener, ...options });
  open.rigs.push(rig);
  return { ...rig, clock };
}

async function inData({ port }: Pick<Rig, 'port'>, options: { from?: string; login?: typeof LOGIN } = {}) {
  const wire = await connectWire(port, options.from ? { from: options.from } : {});
  open.wires.push(wire);
  await wire.hello(options.login);
  await wire.envelope('a@x.test', [ADA]);
  expect((await wire.say('DATA')).code).toBe(354);
  return wire;
}

/** Resolves once the listener has read it all, but for four bytes that might begin the final dot. */
async function sent(rig: Rig, wire: Wire, count: number) {
  const before = rig.heldBytes();
  wire.write(bytes(count));
  await vi.waitFor(() => expect(rig.heldBytes()).toBeGreaterThanOrEqual(before + count - 4), 90_000);
}

const LIMITS = { max_message_bytes: 100 * KB };
const ROOM = {
  maxHeldBytes: 300 * KB,
  forSmallBytes: 0,
  maxHeldBytesPerAddress: 150 * KB,
  reservedBytes: 100 * KB,
  graceMs: 10_000,
  bytesPerSecond: 1e9,
};

describe('M8: a mail that does not end', () => {
  it('is cut off ten minutes after DATA, whatever trickles in', async () => {
    const rig = await rigWith({ bounds: { idleMs: 60_000 } });
    const wire = await inData(rig);
    for (let minute = 1; minute < 10; minute += 1) {
      wire.write('x');
      await rig.clock.advance(MINUTE);
    }
    await rig.clock.advance(MINUTE - 1);
    expect(wire.socket.readableEnded).toBe(false);
    await rig.clock.advance(1);
    expect((await wire.reply()).text).toBe('421 4.4.2 The mail took too long');
    await wire.ended;
    expect(rig.got).toEqual([]);
    expect(rig.logged).toEqual([]);
  });

  it('leaves no timer behind when it does end', async () => {
    const rig = await rigWith();
    const wire = await inData(rig);
    wire.write('Subject: x\r\n\r\nx\r\n.\r\n');
    expect((await wire.reply()).code).toBe(250);
    expect(rig.clock.sleeping()).toBe(0);
  });
});

describe('M8: one address', () => {
  it('holds no more than its share, and the others have their room', async () => {
    const rig = await rigWith({ limits: LIMITS, bounds: ROOM });
    const first = await inData(rig);
    await sent(rig, first, 90 * KB);
    const second = await inData(rig);
    second.write(`${bytes(90 * KB)}.\r\n`);
    expect((await second.reply()).text).toBe('452 4.3.1 Too much mail at once, try again later');
    const other = await inData(rig, { from: '127.0.0.2' });
    other.write(`${bytes(90 * KB)}.\r\n`);
    expect((await other.reply()).code).toBe(250);
    first.write('.\r\n');
    expect((await first.reply()).code).toBe(250);
  });

  it('may always send one mail of the largest size', async () => {
    const rig = await rigWith({ limits: LIMITS, bounds: { ...ROOM, maxHeldBytesPerAddress: 1 } });
    const wire = await inData(rig);
    wire.write(`${bytes(100 * KB)}.\r\n`);
    expect((await wire.reply()).code).toBe(250);
  });

  it('is a /64 with IPv6', () => {
    expect(countedAs('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(countedAs('2001:0DB8:1:2::9')).toBe('2001:db8:1:2::/64');
    expect(countedAs('2001:db8::9')).toBe('2001:db8:0:0::/64');
    expect(countedAs('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
    expect(countedAs('::1')).toBe('0:0:0:0::/64');
    expect(countedAs('::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(countedAs('192.0.2.7')).toBe('192.0.2.7');
  });

  it('has eight mails looked at side by side, and the ninth waits for one of them to be done', async () => {
    const gates: PromiseWithResolvers<void>[] = [];
    const rig = await rigWith({
      async answer() {
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        await gate.promise;
        return received(result({ decision: 'accepted' }));
      },
    });
    const wires = await Promise.all(Array.from({ length: 9 }, () => inData(rig)));
    for (const wire of wires) wire.write('Subject: x\r\n\r\nx\r\n.\r\n');
    await vi.waitFor(() => expect(gates).toHaveLength(8), 90_000);
    const other = await inData(rig, { from: '127.0.0.2' });
    other.write('Subject: other\r\n\r\nx\r\n.\r\n');
    await vi.waitFor(() => expect(gates).toHaveLength(9), 90_000);
    gates[0]?.resolve();
    await vi.waitFor(() => expect(gates).toHaveLength(10), 90_000);
    for (const gate of gates) gate.resolve();
    const answers = await Promise.all([...wires, other].map((wire) => wire.reply()));
    expect(answers.map(({ code }) => code)).toEqual(Array.from({ length: 10 }, () => 250));
  });

  it('whose mail waits too long for its turn may try again, and frees what it held', async () => {
    const gate = Promise.withResolvers<void>();
    const rig = await rigWith({
      bounds: { maxReceivingPerAddress: 1, turnMs: 1000 },
      async answer() {
        await gate.promise;
        return received(result({ decision: 'accepted' }));
      },
    });
    const [first, second] = [await inData(rig), await inData(rig)];
    first.write('Subject: x\r\n\r\nx\r\n.\r\n');
    await vi.waitFor(() => expect(rig.got).toHaveLength(1), 90_000);
    second.write('Subject: x\r\n\r\nx\r\n.\r\n');
    await vi.waitFor(() => expect(rig.clock.asked).toContain(1000), 90_000);
    await rig.clock.advance(1000);
    expect((await second.reply()).text).toBe('451 4.3.2 Too many of your mails at once, try again later');
    gate.resolve();
    expect((await first.reply()).code).toBe(250);
    await second.envelope('a@x.test', [ADA]);
    expect((await second.data('Subject: again\r\n\r\nx\r\n')).code).toBe(250);
    expect(rig.got).toHaveLength(2);
  });
});

describe('M8: a full room', () => {
  /** Three addresses hold 100 kB each, the first more slowly than the others. */
  async function filled(rig: Awaited<ReturnType<typeof rigWith>>) {
    const slow = await inData(rig, { from: '127.0.0.4' });
    await sent(rig, slow, 80 * KB);
    await rig.clock.advance(5000);
    const quick = [await inData(rig, { from: '127.0.0.5' }), await inData(rig, { from: '127.0.0.6' })];
    for (const wire of quick) await sent(rig, wire, 80 * KB);
    return { slow, quick };
  }

  it('is left by the slowest stranger, whose memory is free at once', async () => {
    const rig = await rigWith({ limits: LIMITS, bounds: ROOM });
    const { slow, quick } = await filled(rig);
    await rig.clock.advance(10_000);
    const late = await inData(rig, { from: '127.0.0.7' });
    late.write(`${bytes(80 * KB)}.\r\n`);
    expect((await late.reply()).code).toBe(250);
    // The slow one has read nothing yet.
    expect(rig.heldBytes()).toBe(200 * KB);
    expect((await slow.reply()).text).toBe(
      '421 4.3.1 Too much mail at once and yours was the slowest, try again later',
    );
    await slow.ended;
    for (const wire of quick) {
      wire.write('.\r\n');
      expect((await wire.reply()).code).toBe(250);
    }
    expect(rig.got).toHaveLength(3);
    expect(rig.logged).toEqual([]);
  });

  it('is kept by those who have only just begun: who comes then may try again', async () => {
    const rig = await rigWith({ limits: LIMITS, bounds: ROOM });
    const { slow } = await filled(rig);
    const late = await inData(rig, { from: '127.0.0.7' });
    late.write(`${bytes(80 * KB)}.\r\n`);
    expect((await late.reply()).text).toBe('452 4.3.1 Too much mail at once, try again later');
    slow.write('.\r\n');
    expect((await slow.reply()).code).toBe(250);
  });

  it('is left by nobody when that would not make room enough', async () => {
    const rig = await rigWith({ limits: LIMITS, bounds: { ...ROOM, maxHeldBytes: 130 * KB } });
    const slow = await inData(rig, { from: '127.0.0.4' });
    await sent(rig, slow, 10 * KB);
    await rig.clock.advance(10_000);
    const young = await inData(rig, { from: '127.0.0.5' });
    await sent(rig, young, 90 * KB);
    const late = await inData(rig, { from: '127.0.0.6' });
    late.write(`${bytes(90 * KB)}.\r\n`);
    expect((await late.reply()).code).toBe(452);
    slow.write('.\r\n');
    expect((await slow.reply()).code).toBe(250);
  });

  it.each([
    ['the submission', { login: LOGIN }],
    ['a trusted relay', { from: RELAY }],
  ])('has a reserve for %s, which is never the slowest', async (_name, who) => {
    const rig = await rigWith({ limits: LIMITS, bounds: ROOM });
    // Begun before all others and slower than they are.
    const trusted = await inData(rig, who);
    await sent(rig, trusted, 20 * KB);
    await rig.clock.advance(60_000);
    const { slow, quick } = await filled(rig);
    await rig.clock.advance(10_000);
    const late = await inData(rig, { from: '127.0.0.7' });
    late.write(bytes(80 * KB));
    expect((await slow.reply()).code).toBe(421);
    trusted.write(`${bytes(70 * KB)}.\r\n`);
    expect((await trusted.reply()).code).toBe(250);
    for (const wire of [...quick, late]) {
      wire.write('.\r\n');
      expect((await wire.reply()).code).toBe(250);
    }
  });

  it('is not held by what is read and dropped', async () => {
    const clock = scriptedClock();
    const bounds = { ...ROOM, maxBytes: 100 * KB, dataMs: 1000 };
    const { collect, heldBytes } = createCollector(bounds, { clock, cut: () => {} });
    const stream = new PassThrough();
    const sender = { id: 'one', address: '192.0.2.1', isTrusted: false };
    const collected = collect(stream, sender, () => Promise.resolve('used'));
    stream.write(Buffer.alloc(60 * KB));
    await vi.waitFor(() => expect(heldBytes()).toBeGreaterThan(0), 90_000);
    stream.write(Buffer.alloc(60 * KB));
    await vi.waitFor(() => expect(stream.readableLength).toBe(0), 90_000);
    await vi.waitFor(() => expect(heldBytes()).toBe(0), 90_000);
    stream.end();
    expect(await collected).toEqual({ ok: false, why: 'too_large' });
  });
});

describe('M8: all connections', () => {
  it('taken by one address leave a place for another, which gets that of the oldest', async () => {
    const rig = await rigWith({ bounds: { maxClients: 3 } });
    const crowd: Wire[] = [];
    for (let count = 0; count < 3; count += 1) crowd.push(await connectWire(rig.port, { from: '127.0.0.4' }));
    open.wires.push(...crowd);
    const other = await connectWire(rig.port);
    open.wires.push(other);
    expect((await other.hello()).code).toBe(250);
    expect((await crowd[0]?.reply())?.text).toBe('421 4.3.2 Too many connections, and most of them from your address');
    expect((await crowd[1]?.hello())?.code).toBe(250);
  });
});

describe('M8: the room for mail of strangers, with large ones in it', () => {
  const MIB = 1024 * KB;
  const bounds = {
    maxHeldBytes: 64 * MIB,
    forSmallBytes: 12 * MIB,
    maxHeldBytesPerAddress: 32 * MIB,
    reservedBytes: 64 * MIB,
    graceMs: 10_000,
  };
  const held = (address: string, bytes: number) => ({
    id: address,
    address,
    isTrusted: false,
    beganAt: 0,
    bytes,
    held: bytes,
    isArriving: true,
  });
  const large = [held('192.0.2.1', 26 * MIB), held('192.0.2.2', 26 * MIB)];

  it('has some left for letters', () => {
    const asking = held('192.0.2.3', 0);
    const ask = (more: number) => decideRoom(asking, more, { all: [...large, asking], bounds, now: 1 });
    expect(ask(MIB)).toEqual({ grant: true, leaving: [] });
    expect(ask(2 * MIB)).toEqual({ grant: false });
  });
});
