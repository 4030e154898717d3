import { describe, expect, it, vi } from 'vitest';
import { sha256 } from '../../../engine/lib/ids.ts';
import type { PeerMail, Trouble } from '../../fakes/imap-peer.ts';
import { mail } from '../../lab/watched.ts';
import { MINUTE, mailboxWorld, TAKEN } from './mailbox-rig.ts';

const HOUR = 60 * MINUTE;
const KINDS: readonly Trouble[] = [
  ...(['refuse', 'drop', 'omit', 'nil', 'empty', 'headless', 'half_header', 'short', 'substitute', 'unlist'] as const),
];
const LONG = `${'Please order chairs. '.repeat(200)}\r\n`;

const { world, closers, mailboxRig } = mailboxWorld();

const idOf = (uid: number): string => `<m${uid}@example.com>`;

/** So many mails of which the server cannot say for a while what they are, and one before and behind them. */
async function busyServer(troubles: readonly Trouble[]) {
  const mails: PeerMail[] = [
    { uid: 1, raw: mail('m1', LONG) },
    ...troubles.map((trouble, at) => ({ uid: at + 2, raw: mail(`m${at + 2}`, LONG), trouble })),
    { uid: troubles.length + 2, raw: mail(`m${troubles.length + 2}`, LONG) },
  ];
  const rig = await mailboxRig({ mails }, { pollMs: 20, reconcileMs: 20 });
  const taken: string[] = [];
  rig.state.answer = async ({ raw }) => {
    taken.push(/^message-id: (\S+)/im.exec(Buffer.from(raw).toString('latin1'))?.[1] ?? 'none');
    return [TAKEN];
  };
  const mailboxes = await rig.start();
  closers.push(() => mailboxes.stop());
  return {
    ...rig,
    taken,
    mails,
    all: mails.map(({ uid }) => idOf(uid)),
    isMended() {
      for (const one of mails) one.trouble = undefined;
    },
    /** So much time passes, and whatever is due is taken up; a connection that broke is made anew meanwhile. */
    async pass(ms: number) {
      const step = ms > HOUR ? 10 * MINUTE : 15_000;
      for (let passed = 0; passed < ms; passed += step) {
        await rig.clock.advance(step);
        await vi.waitFor(
          async () => {
            await rig.clock.advance(100);
            const folder = { mailbox: 'main', uidvalidity: '7' };
            expect(await world.gateway.dueUids(folder, rig.clock.now(), 10)).toEqual([]);
            expect(await world.gateway.brokenUids(folder, 1)).toEqual([]);
          },
          { timeout: 60_000, interval: 5 },
        );
      }
    },
    /** Everything has come to an end or is on record as left for later. */
    async settled() {
      await vi.waitFor(
        async () => {
          await rig.clock.advance(5000);
          expect(await world.gateway.loadCursor('main')).toMatchObject({ uid: mails.length });
        },
        { timeout: 60_000, interval: 5 },
      );
    },
  };
}

describe('a server that cannot say for a moment', () => {
  it.each(KINDS)('what a mail is (%s): it is asked for again, and answered once', async (kind) => {
    const server = await busyServer([kind]);
    await server.settled();
    expect(server.taken.toSorted()).toEqual([idOf(1), idOf(3)]);
    server.isMended();
    await server.pass(MINUTE);
    await server.pass(MINUTE);
    expect(server.taken.toSorted()).toEqual(server.all);
    expect(await world.gateway.listDeadLetters({ limit: 10 })).toEqual([]);
    await server.pass(2 * HOUR);
    expect(server.taken).toHaveLength(3);
  });

  it('shows meanwhile what its headers say', async () => {
    const server = await busyServer(['nil']);
    await server.settled();
    const [row] = await world.gateway.seenByMessageId(idOf(2));
    expect(row).toMatchObject({
      decision: 'deferred',
      code: 'not_handed_over',
      from_address: 'you@example.com',
      subject: 'm2',
      uid: 2,
    });
    expect(row?.detail).toBe('the server lists it and sends no content');
  });

  it.each([
    ['4 s', 4000],
    ['10 min', 10 * MINUTE],
    ['6 h', 6 * HOUR],
  ])('for %s: nothing is lost of forty, nothing is taken twice, nobody is told', async (_, ms) => {
    const server = await busyServer(Array.from({ length: 40 }, (_, at) => KINDS[at % KINDS.length] ?? 'nil'));
    await server.settled();
    await server.pass(ms);
    expect(server.taken.toSorted()).toEqual([idOf(1), idOf(42)].toSorted());
    server.isMended();
    await server.pass(2 * HOUR);
    expect(server.taken.toSorted()).toEqual(server.all.toSorted());
    expect(await world.gateway.listDeadLetters({ limit: 100 })).toEqual([]);
  });

  it('for longer: its owners hear of it once, and it keeps its place', async () => {
    const server = await busyServer(['empty']);
    await server.settled();
    await server.pass(10 * HOUR);
    const [letter, ...others] = await world.gateway.listDeadLetters({ limit: 10 });
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ code: 'not_handed_over', stage: 'fetch', message_id: idOf(2), raw_path: null });
    expect(letter?.id).toBe(sha256('main/7/2').slice(0, 40));
    const row = (await world.gateway.seenByMessageId(idOf(2))).at(-1);
    expect(row).toMatchObject({ decision: 'dead_letter', mailbox: 'main', uidvalidity: '7', uid: 2 });
    const before = server.fetches();
    await server.pass(2 * HOUR);
    expect(server.fetches()).toBe(before);
  });
});
