import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import { gatewaySchema } from '../../../engine/config/schemas.ts';
import type { PersonaEntry } from '../../../engine/config/types.ts';
import { createMailboxes } from '../../../engine/gateway/mailboxes.ts';
import { RECHECK_MS } from '../../../engine/gateway/rechecks.ts';
import { createTries } from '../../../engine/gateway/tries.ts';
import { setAside } from '../../../engine/intake/effects/dead-letter.ts';
import type { IncomingMail, MailResult } from '../../../engine/intake/incoming.ts';
import { recordResults, result } from '../../../engine/intake/results.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import type { Announce } from '../../../engine/record/announce.ts';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { Stores } from '../../../engine/storage/ports/store.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../engine/storage/sqlite/stores.ts';
import { type ImapScript, startImapPeer } from '../../fakes/imap-peer.ts';
import { scriptedClock } from '../../fakes/scripted-clock.ts';
import { withSecret } from '../../fakes/secret.ts';
import { mail } from '../../lab/watched.ts';

const MINUTE = 60_000;
const ADA = 'ada@agents.localhost';
const UNPROVEN = result({ decision: 'deferred', code: 'auth_failed', recipient: ADA, persona: 'ada' });
const IN_ERROR = result({ decision: 'deferred', recipient: ADA, persona: 'ada' });
const TAKEN = result({ decision: 'accepted', recipient: ADA, persona: 'ada' });

let folder: string;
let gateway: GatewayStore;
let stores: Stores;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-mailboxes-'));
  gateway = openGatewayStore(join(folder, 'gateway.db'));
  stores = createStores({ dataDir: folder, maxOpen: 1 });
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await stores.close();
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const broken: PersonaEntry = { state: 'error', id: 'ada', addresses: [ADA], problems: [] };
const persona = personaSchema.parse({ name: 'ada', address: ADA });
const ready: PersonaEntry = { state: 'ready', id: 'ada', persona: { ...persona, id: 'ada', owners: [] } };

/** One mailbox on a scripted server, and a gateway in front of it that can be started again and again. */
async function mailboxRig(script: ImapScript) {
  const peer = await startImapPeer(script);
  const clock = scriptedClock();
  const looks: number[] = [];
  const watchedClock = {
    ...clock,
    sleep(ms: number, signal?: AbortSignal) {
      if (ms === RECHECK_MS) looks.push(clock.now());
      return clock.sleep(ms, signal);
    },
  };
  const config = gatewaySchema.parse({
    mailboxes: [
      {
        id: 'main',
        imap: {
          host: '127.0.0.1',
          port: peer.port,
          tls: 'none',
          user: 'agents@lab.test',
          secret_env: 'SECRET',
          first_connect: 'all',
          processed: 'none',
        },
      },
    ],
  });
  const [mailbox] = config.mailboxes;
  if (!mailbox) throw new Error('no mailbox');
  const state = {
    entry: ready,
    /** What becomes of a mail. */
    answer: async (_incoming: IncomingMail): Promise<readonly MailResult[]> => [TAKEN],
  };
  const announce: Announce = (_persona, _at, commit) => commit();
  const parts = { gateway, clock, stores, announce, quarantineFolder: join(folder, 'quarantine') };
  const start = async () => {
    const mailboxes = createMailboxes({
      orders: () => [{ mailbox, maxMessageBytes: 1_000_000 }],
      loginOf: () => withSecret(() => 'secret'),
      intake: {
        async receive(incoming) {
          const results = await state.answer(incoming);
          const messageId = /^message-id: (\S+)/im.exec(Buffer.from(incoming.raw).toString('latin1'))?.[1] ?? '';
          await recordResults(parts, incoming.place, { messageId, subject: '', from: { kind: 'missing' } }, results);
          return { messageId, results };
        },
        setAside: (place, letter) => setAside(parts, place, letter),
      },
      findByAddress: () => state.entry,
      gateway,
      clock: watchedClock,
      log: silentLog,
      random: () => 0,
      pass: () => {},
      onRefusedOften: () => {},
    });
    await mailboxes.start(5000);
    return mailboxes;
  };
  closers.push(peer.stop);
  const fetches = () => peer.commands.filter((command) => /^UID FETCH \S+ .*BODY/.test(command)).length;
  /** Time passes until the next look for deferred mail, and all that is due then is taken up. */
  const nextLook = async () => {
    const before = looks.length;
    await clock.advance((looks.at(-1) ?? 0) + RECHECK_MS - clock.now());
    const patience = { timeout: 90_000 };
    await vi.waitFor(() => expect(looks.length).toBeGreaterThan(before), patience);
    const folder = { mailbox: 'main', uidvalidity: '7' };
    await vi.waitFor(async () => {
      expect(await gateway.dueUids(folder, clock.now(), 10)).toEqual([]);
      // A try that has begun is not due, and ends by the clock that stands still meanwhile.
      expect(await gateway.brokenUids(folder, 1)).toEqual([]);
    }, patience);
  };
  /** How often a body is fetched while so many looks go by. */
  const passing = async (ms: number): Promise<number> => {
    const before = fetches();
    for (let passed = 0; passed < ms; passed += RECHECK_MS) await nextLook();
    return fetches() - before;
  };
  return { peer, clock, state, start, fetches, passing };
}

describe('H4: mail whose sender cannot be checked', () => {
  it('is fetched again after a minute, then after two, four, … sixty, and not at each look', async () => {
    const rig = await mailboxRig({ mails: [{ uid: 1, raw: mail('silent') }] });
    rig.state.answer = async () => [UNPROVEN];
    const mailboxes = await rig.start();
    closers.push(() => mailboxes.stop());
    await vi.waitFor(async () => expect(await gateway.loadCursor('main')).toMatchObject({ uid: 1 }), 90_000);
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
    await vi.waitFor(async () => expect(await gateway.loadCursor('main')).toMatchObject({ uid: 1 }), 90_000);
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
    const isRead = async () => expect(await gateway.loadCursor('main')).toMatchObject({ uid: 120 });
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
    await vi.waitFor(async () => expect(await gateway.loadCursor('main')).toMatchObject({ uid: 1 }), 90_000);
    expect(await rig.passing(10 * MINUTE)).toBe(0);
    rig.state.entry = ready;
    rig.state.answer = async () => [TAKEN];
    await rig.clock.advance(15_000);
    await vi.waitFor(
      async () =>
        expect(await gateway.seenByMessageId('<early@example.com>')).toMatchObject([{ decision: 'accepted' }]),
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
    await vi.waitFor(async () => expect(await gateway.loadCursor('main')).toMatchObject({ uid: 1 }), 90_000);
    expect(begun).toBe(5);
    const [letter] = await gateway.listDeadLetters({ limit: 10 });
    expect(letter).toMatchObject({ code: 'unparsable', stage: 'fetch', bytes: mail('deadly').length });
    const before = rig.fetches();
    await mailboxes.stop();
    await (await rig.start()).stop();
    expect(rig.fetches()).toBe(before);
  });

  it('is not blamed when the gateway was asked to stop', async () => {
    const place = { mailbox: 'main', uidvalidity: '7', uid: 1 };
    const parts = { gateway, clock: scriptedClock(), log: silentLog };
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
        expect(await gateway.loadCursor('main')).toMatchObject({ uid: 2 });
      },
      { timeout: 90_000 },
    );
    expect(tries).toBe(5);
    expect(await gateway.seenByMessageId('<next@example.com>')).toHaveLength(1);
    await rig.passing(2 * MINUTE);
    expect(tries).toBe(6);
  });
});
