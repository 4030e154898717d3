import { describe, expect, it, vi } from 'vitest';
import { createTries } from '../../../engine/gateway/mailboxes.ts';
import type { MailResult } from '../../../engine/intake/incoming.ts';
import { result } from '../../../engine/intake/results.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { scriptedClock } from '../../fakes/scripted-clock.ts';
import { mail } from '../../lab/watched.ts';
import { ADA, broken, MINUTE, mailboxWorld, ready, TAKEN } from './mailbox-rig.ts';

const UNPROVEN = result({ decision: 'deferred', code: 'auth_failed', recipient: ADA, persona: 'ada' });
const IN_ERROR = result({ decision: 'deferred', recipient: ADA, persona: 'ada' });

const { world, closers, mailboxRig } = mailboxWorld();

describe('H4: mail whose sender cannot be checked', () => {
  it('is fetched again after a minute, then after two, four, … sixty, and not at each look', async () => {
    const rig = await mailboxRig({ mails: [{ uid: 1, raw: mail('silent') }] });
    rig.state.answer = async () => [UNPROVEN];
    const mailboxes = await rig.start();
    closers.push(() => mailboxes.stop());
    await vi.waitFor(async () => expect(await world.gateway.loadCursor('main')).toMatchObject({ uid: 1 }), 90_000);
    const fetched: number[] = [];
    for (let minute = 1; minute <= 64; minute += 1) if ((await rig.passing(MINUTE)) > 0) fetched.push(minute);
    expect(fetched).toEqual([1, 3, 7, 15, 31, 63]);
    // From then on once an hour.
    expect(await rig.passing(119 * MINUTE)).toBe(2);
  });

  it('is not fetched at once when the gateway starts again', async () => {
    const rig = await mailboxRig({ mails: [{ uid: 1, raw: mail('silent') }] });
    rig.state.answer = async () => [UNPROVEN];
    const first = await rig.start();
    await vi.waitFor(async () => expect(await world.gateway.loadCursor('main')).toMatchObject({ uid: 1 }), 90_000);
    expect(await rig.passing(2 * MINUTE)).toBe(1);
    await first.stop();
    const second = await rig.start();
    closers.push(() => second.stop());
    expect(await rig.passing(0.5 * MINUTE)).toBe(0);
    expect(await rig.passing(1.5 * MINUTE)).toBe(1);
  });

  it('does not keep mail waiting that waits for a persona alone, however much there is of it', async () => {
    const mails = Array.from({ length: 120 }, (_unused, at) => ({ uid: at + 1, raw: mail(`m${at + 1}`) }));
    const rig = await mailboxRig({ mails });
    rig.state.entry = broken;
    rig.state.answer = async ({ place }) => [place?.uid === 120 ? IN_ERROR : UNPROVEN];
    const mailboxes = await rig.start();
    closers.push(() => mailboxes.stop());
    const isRead = async () => expect(await world.gateway.loadCursor('main')).toMatchObject({ uid: 120 });
    await vi.waitFor(isRead, { timeout: 90_000 });
    await rig.passing(0.75 * MINUTE);
    const seen: (number | undefined)[] = [];
    const gate = Promise.withResolvers<readonly MailResult[]>();
    closers.push(() => gate.resolve([UNPROVEN]));
    rig.state.entry = ready;
    rig.state.answer = ({ place }) => {
      seen.push(place?.uid);
      return place?.uid === 120 ? Promise.resolve([TAKEN]) : gate.promise;
    };
    await rig.clock.advance(15_000);
    await vi.waitFor(() => expect(seen).toHaveLength(3), 90_000);
    expect(seen[0]).toBe(120);
    expect(new Set(seen).size).toBe(3);
  });
});

describe('H4: mail to a persona in error', () => {
  it('is not fetched while that lasts, and within fifteen seconds when it is over', async () => {
    const rig = await mailboxRig({ mails: [{ uid: 1, raw: mail('early') }] });
    rig.state.entry = broken;
    rig.state.answer = async () => [IN_ERROR];
    const mailboxes = await rig.start();
    closers.push(() => mailboxes.stop());
    await vi.waitFor(async () => expect(await world.gateway.loadCursor('main')).toMatchObject({ uid: 1 }), 90_000);
    expect(await rig.passing(10 * MINUTE)).toBe(0);
    rig.state.entry = ready;
    rig.state.answer = async () => [TAKEN];
    await rig.clock.advance(15_000);
    await vi.waitFor(
      async () =>
        expect(await world.gateway.seenByMessageId('<early@example.com>')).toMatchObject([{ decision: 'accepted' }]),
      30_000,
    );
    expect(await rig.passing(2 * MINUTE)).toBe(0);
  });
});

describe('H4: a mail that ends the process while it is taken in', () => {
  it('is kept as a dead letter after five times, with its bytes, and not fetched any more', async () => {
    const rig = await mailboxRig({ mails: [{ uid: 1, raw: mail('deadly') }] });
    let begun = 0;
    rig.state.answer = () => {
      begun += 1;
      return new Promise(() => {});
    };
    for (let life = 1; life <= 5; life += 1) {
      // Its process ends here: nothing of it writes any more, and nobody has said goodbye.
      await rig.start();
      await vi.waitFor(() => expect(begun).toBe(life), 90_000);
    }
    const mailboxes = await rig.start();
    await vi.waitFor(async () => expect(await world.gateway.loadCursor('main')).toMatchObject({ uid: 1 }), 90_000);
    expect(begun).toBe(5);
    const [letter] = await world.gateway.listDeadLetters({ limit: 10 });
    expect(letter).toMatchObject({ code: 'unparsable', stage: 'fetch', bytes: mail('deadly').length });
    const before = rig.fetches();
    await mailboxes.stop();
    await (await rig.start()).stop();
    expect(rig.fetches()).toBe(before);
  });

  it('is not blamed when the gateway was asked to stop', async () => {
    const place = { mailbox: 'main', uidvalidity: '7', uid: 1 };
    const parts = { gateway: world.gateway, clock: scriptedClock(), log: silentLog };
    for (let stop = 0; stop < 6; stop += 1) {
      const tries = createTries(parts);
      const entered = Promise.withResolvers<void>();
      void tries.take(place, () => {
        entered.resolve();
        return new Promise(() => {});
      });
      await entered.promise;
      await tries.forgive();
    }
    expect(await createTries(parts).take(place, async () => [TAKEN])).toEqual({ kind: 'settled', results: [TAKEN] });
  });

  it('or cannot be stored, is put behind the others after five tries, and looked at again later', async () => {
    const rig = await mailboxRig({
      mails: [
        { uid: 1, raw: mail('poison') },
        { uid: 2, raw: mail('next') },
      ],
    });
    let tries = 0;
    rig.state.answer = async ({ place }) => {
      if (place?.uid !== 1) return [TAKEN];
      tries += 1;
      throw new Error('constraint failed');
    };
    const mailboxes = await rig.start();
    closers.push(() => mailboxes.stop());
    // The connection is made anew after each fault; the waits between are the clock's.
    await vi.waitFor(
      async () => {
        await rig.clock.advance(2000);
        expect(await world.gateway.loadCursor('main')).toMatchObject({ uid: 2 });
      },
      { timeout: 90_000 },
    );
    expect(tries).toBe(5);
    expect(await world.gateway.seenByMessageId('<next@example.com>')).toHaveLength(1);
    await rig.passing(2 * MINUTE);
    expect(tries).toBe(6);
  });
});
