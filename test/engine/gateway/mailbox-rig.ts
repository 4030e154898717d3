import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import { gatewaySchema } from '../../../engine/config/schemas.ts';
import type { Persona, PersonaEntry } from '../../../engine/config/types.ts';
import type { Tuning } from '../../../engine/gateway/imap/tuning.ts';
import { createMailboxes, RECHECK_MS } from '../../../engine/gateway/mailboxes.ts';
import { leaveThere, setAside } from '../../../engine/intake/effects/set-aside.ts';
import type { IncomingMail, MailResult, SetAside } from '../../../engine/intake/incoming.ts';
import { recordResults, result } from '../../../engine/intake/results.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { firstHeader, readHeaders } from '../../../engine/mail/mime/headers.ts';
import { headless } from '../../../engine/mail/reading/head.ts';
import type { Announce } from '../../../engine/record/jobs/jobs.ts';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { Stores } from '../../../engine/storage/ports/store.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../engine/storage/sqlite/stores.ts';
import { type ImapScript, startImapPeer } from '../../fakes/imap-peer.ts';
import { scriptedClock } from '../../fakes/scripted-clock.ts';
import { withSecret } from '../../fakes/secret.ts';

export const MINUTE = 60_000;
export const ADA = 'ada@agents.localhost';
export const OWNER = 'boss@owner.test';
export const TAKEN = result({ decision: 'accepted', recipient: ADA, persona: 'ada' });

export const broken: PersonaEntry = { state: 'error', id: 'ada', addresses: [ADA], problems: [] };
const persona: Persona = { ...personaSchema.parse({ name: 'ada', address: ADA }), id: 'ada', owners: [OWNER] };
export const ready: PersonaEntry = { state: 'ready', id: 'ada', persona };

/** Databases in a folder for each test, and what has to be closed at its end. */
export function mailboxWorld() {
  const world: { gateway: GatewayStore; stores: Stores; folder: string } = Object.create(null);
  const closers: (() => unknown)[] = [];
  beforeEach(() => {
    world.folder = mkdtempSync(join(tmpdir(), 'epistle-mailboxes-'));
    world.gateway = openGatewayStore(join(world.folder, 'gateway.db'));
    world.stores = createStores({ dataDir: world.folder, maxOpen: 1 });
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    await world.stores.close();
    await world.gateway.close();
    rmSync(world.folder, { recursive: true, force: true });
  });
  return {
    world,
    closers,
    mailboxRig: (script: ImapScript, tuning: Partial<Tuning> = {}, firstConnect: 'all' | 'now' = 'all') =>
      mailboxRig(script, { ...world, tuning, firstConnect }, closers),
  };
}

const headOf = ({ head }: Pick<SetAside, 'head'>) => {
  if (head === null) return null;
  const { lines } = readHeaders(Buffer.from(head));
  const address = firstHeader(lines, 'from') ?? '';
  const from = { kind: 'one', mailbox: { name: '', address } } as const;
  const named = {
    messageId: firstHeader(lines, 'message-id') ?? '',
    subject: firstHeader(lines, 'subject') ?? '',
    from,
  };
  return { ...headless(head), ...named };
};

/** One mailbox on a scripted server, and a gateway in front of it that can be started again and again. */
async function mailboxRig(
  script: ImapScript,
  {
    gateway,
    stores,
    folder,
    tuning,
    firstConnect,
  }: { gateway: GatewayStore; stores: Stores; folder: string; tuning: Partial<Tuning>; firstConnect: 'all' | 'now' },
  closers: (() => unknown)[],
) {
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
          first_connect: firstConnect,
          processed: 'none',
        },
      },
    ],
  });
  const [mailbox] = config.mailboxes;
  if (!mailbox) throw new Error('no mailbox');
  const state = {
    /** What owners were asked about. */
    asked: [] as unknown[],
    entry: ready as PersonaEntry,
    /** What becomes of a mail. */
    answer: async (_incoming: IncomingMail): Promise<readonly MailResult[]> => [TAKEN],
  };
  const announce: Announce = (_persona, _at, commit) => commit();
  const quarantineFolder = join(folder, 'quarantine');
  const parts = {
    gateway,
    clock,
    stores,
    announce,
    quarantineFolder,
    writingFrom: () => [persona],
    findByAddress: () => state.entry,
  };
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
        setAside: (place, letter) => setAside(parts, place, { ...letter, known: headOf(letter) }),
        leaveThere: (place, left) => leaveThere(parts, place, { ...left, known: headOf(left) }),
      },
      findByAddress: () => state.entry,
      gateway,
      clock: watchedClock,
      log: silentLog,
      random: () => 0,
      pass: () => {},
      tuning,
      onHeld: async (_mailbox, held) => void state.asked.push(held),
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
