import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../scripts/lib/soak/random.ts';
import { BORDERS } from '../corpus/borders/all.ts';
import { ATTACKS } from '../corpus/borders/attacks/all.ts';
import { concluded, isDelegated } from '../corpus/borders/conclude.ts';
import { type Border, bordered, type Facts, type Session } from '../corpus/borders/facts.ts';
import { HONEST } from '../corpus/borders/honest.ts';
import { type Letter, PERSONA, RECORDS, rawOf, VICTIMS } from '../corpus/borders/letters.ts';
import { makeOriginals, type Original } from '../corpus/borders/originals.ts';
import { startDnsServer } from '../fakes/dns-server.ts';
import { connectWire } from '../fakes/smtp-wire.ts';
import { SIZE } from '../size.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const SEED = 4711;
const OF_EACH_BORDER = 5 * SIZE;
/** Rspamd writes below its own line, and would have the others' own lines trusted: it has a gateway in `test/real`. */
const RELAYS = BORDERS.filter(({ name }) => name !== 'Rspamd').map((border, at) => ({
  border,
  ip: `127.0.0.${30 + at}`,
}));
/** What a border leaves in that bears its own name is its own affair; `border-forgeries.test.ts` has all of them. */
const NAMES = Object.keys(ATTACKS).filter(
  (name) => !name.startsWith('results that came along') && !name.includes('all of it'),
);

let workspace: TestWorkspace;
let gateway: Gateway;
let dns: Awaited<ReturnType<typeof startDnsServer>>;
let originals: readonly Original[];

beforeAll(async () => {
  dns = await startDnsServer({ ...RECORDS });
  originals = (await makeOriginals()).filter(({ isOurs }) => !isOurs);
  workspace = makeWorkspace({
    'configs/gateway.json': {
      domain: 'agents.test',
      smtp_listener: {
        port: 0,
        trusted_relays: RELAYS.map(({ border, ip }) => ({ ip, authserv_id: border.authservId })),
      },
    },
    'configs/security.json': {
      owners: VICTIMS.map(({ address }) => address),
      gateway_auth: {
        trusted_received: [...new Set(RELAYS.flatMap(({ border }) => border.trustedReceived))],
        dns_servers: [dns.address],
      },
      loop_guard: { max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0, max_fast_replies: 0 },
    },
    'personas/ada/persona.json': { name: 'Ada', address: PERSONA },
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.test' },
  });
  gateway = await startGateway(workspace.root);
});
afterAll(async () => {
  await gateway.stop();
  dns.stop();
  workspace.remove();
});

interface Given {
  readonly letter: Letter;
  readonly session: Session;
}

const seenOf = ({ letter, session }: Given): Promise<Facts> =>
  concluded(rawOf(letter), session, { records: RECORDS, quotes: false, cleans: true, order: 0 });

/** Through the border, and from it to the listener as it would hand it on; the last reply. */
async function through(border: Border, ip: string, { letter, session }: Given, facts: Facts) {
  const raw = rawOf(letter);
  const wire = await connectWire(gateway.ready.smtp.port, { from: ip });
  try {
    await wire.hello();
    const sender = Buffer.from(session.mailFrom, 'utf8').toString('latin1');
    const refused = (await wire.envelope(sender, [PERSONA])).find(({ code }) => code !== 250);
    return refused ?? (await wire.data(bordered(raw, border, facts, 'handed on')));
  } finally {
    wire.close();
  }
}

const looked = { last: 0 };

/** What became of what came since this was asked last. */
function decisions(): string[] {
  const database = new SQLite(join(workspace.root, 'data/gateway.db'), { readonly: true });
  try {
    const query = "select id, decision, code from seen where id > ? and direction = 'in' order by id";
    const rows = database
      .prepare<[number], { id: number; decision: string; code: string | null }>(query)
      .all(looked.last);
    looked.last = rows.at(-1)?.id ?? looked.last;
    return rows.map(({ decision, code }) => (code === null ? decision : `${decision} ${code}`));
  } finally {
    database.close();
  }
}

describe.each(RELAYS)('behind $border.name, up to what a run is made of', ({ border, ip }) => {
  it('an owner is let in', async () => {
    const kinds = Object.values(HONEST).slice(0, 3);
    for (const [at, kind] of kinds.entries()) {
      const victim = VICTIMS[2 + (at % 3)];
      if (!victim) throw new Error('there is no such victim');
      const mail = await kind(victim);
      expect(await through(border, ip, mail, await seenOf(mail))).toMatchObject({ code: 250 });
      expect(decisions()).toEqual(['accepted']);
    }
  });

  it(`a forger is not: ${OF_EACH_BORDER}`, async () => {
    const begin = SEED + 1000 * RELAYS.findIndex((relay) => relay.border === border);
    const fates: string[] = [];
    for (let number = begin; number < begin + OF_EACH_BORDER; number += 1) {
      const name = NAMES[number % NAMES.length] ?? '';
      const attack = await ATTACKS[name]?.(seededRandom(number), { border, originals });
      if (!attack) throw new Error(`there is no attack ${name}`);
      const facts = await seenOf(attack);
      if (isDelegated(facts, border)) continue;
      const { code } = await through(border, ip, attack, facts);
      fates.push(...decisions().map((decision) => `#${number} ${name}: ${code} ${decision}`));
    }
    // Without a sender a mail is nobody's word; it is kept, and not answered.
    const held = /: 5\d\d refused |: 250 recorded null_return_path$/;
    expect(fates.filter((fate) => !held.test(fate))).toEqual([]);
    expect(fates.length).toBeGreaterThan(0);
  });
});
