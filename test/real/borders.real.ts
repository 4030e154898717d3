import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { seededRandom } from '../../scripts/lib/soak/random.ts';
import { BORDERS } from '../corpus/borders/all.ts';
import { ATTACKS } from '../corpus/borders/attacks/all.ts';
import { concluded } from '../corpus/borders/conclude.ts';
import { type Border, bordered, fieldsOf, type Session } from '../corpus/borders/facts.ts';
import { LONG } from '../corpus/borders/honest.ts';
import { knownForgeries } from '../corpus/borders/known.ts';
import {
  honestSession,
  type Letter,
  PERSONA,
  RECORDS,
  rawOf,
  SERVICE,
  signAsOwner,
  VICTIMS,
  written,
} from '../corpus/borders/letters.ts';
import { COVERS, makeOriginals, type Original } from '../corpus/borders/originals.ts';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { NAMES, type RealBorder, startBorders } from '../lab/borders.ts';
import { DOVECOT_HOST } from '../lab/dovecot.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { freePorts } from '../lab/ports.ts';
import { mailboxOf, makeSite, PASSWORD, type Site } from '../lab/site.ts';

const [PLAIN, , REJECT, STRICT] = VICTIMS;
const SEED = 77;
const NASTIEST = 30;

/** Into a mailbox that the gateway reads, or to its listener. */
type Door = 'imap' | 'relay';
const DOORS: readonly Door[] = ['imap', 'relay'];

let lab: MailServers;
let site: Site;
let answers: Awaited<ReturnType<typeof startSmtpPeer>>;
let running: Awaited<ReturnType<typeof startBorders>>;
let originals: readonly Original[];

beforeAll(async () => {
  originals = (await makeOriginals()).filter(({ isOurs }) => !isOurs);
  answers = await startSmtpPeer();
  const users = Object.fromEntries([...NAMES, 'boss'].map((user) => [user, PASSWORD]));
  lab = await startMailServers({ users, domain: 'lab.test', relayPort: answers.port });
  const [port = 0] = await freePorts(1);
  running = await startBorders(lab, { zone: { ...RECORDS }, relay: { domain: 'agents.test', port } });
  const { borders } = running;
  site = makeSite(lab, {
    mailboxes: borders.map(({ host, user }) => mailboxOf(lab, user, { id: user, imap: { authserv_id: host } })),
    personas: { ada: { name: 'Ada', address: PERSONA, mailbox: 'rspamd' } },
    gateway: {
      domain: 'agents.test',
      smtp_listener: {
        enabled: true,
        port,
        trusted_relays: borders.map(({ from, host }) => ({ ip: from, authserv_id: host })),
      },
    },
  });
  site.workspace.write('configs/security.json', {
    owners: VICTIMS.map(({ address }) => address),
    // Rspamd's header stands below the line of its Postfix.
    gateway_auth: { trusted_received: [DOVECOT_HOST, 'mx-rspamd.lab.test'], dns_servers: [running.dns] },
    loop_guard: { max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0, max_fast_replies: 0 },
  });
  await site.start();
});
afterAll(async () => {
  await site?.close();
  await running?.stop();
  await lab?.stop();
  await answers?.stop();
});

const recipientOf = ({ user }: RealBorder, door: Door): string => (door === 'imap' ? `${user}@lab.test` : PERSONA);

/** What the gateway made of each mail that came in, oldest first. */
function seen(): { message_id: string; decision: string; code: string | null; detail: string | null }[] {
  const database = new Database(join(site.workspace.root, 'data/gateway.db'), { readonly: true });
  try {
    const query = "select message_id, decision, code, detail from seen where direction = 'in' order by id";
    return database.prepare<[], ReturnType<typeof seen>[number]>(query).all();
  } finally {
    database.close();
  }
}

const idOf = ({ head }: Letter): string =>
  /<[^>]+>/.exec(head.find((field) => /^message-id:/i.test(field)) ?? '')?.[0] ?? '';

interface Sent {
  readonly what: string;
  readonly letter: Letter;
  readonly session: Session;
}

/** What lies in a mailbox by now, by the border that put it there. */
const stored = new Map<string, Sent[]>();

async function send(border: RealBorder, door: Door, mail: Sent) {
  const reply = await border.take(rawOf(mail.letter), { ...mail.session, recipient: recipientOf(border, door) });
  if (door === 'imap' && reply.code === 250) stored.set(border.name, [...(stored.get(border.name) ?? []), mail]);
  return reply;
}

/** As an owner's own server, or one that passes his mail on, hands it over. */
async function honestMail(): Promise<readonly Sent[]> {
  const usual = { covers: COVERS.usual };
  const from = ({ address }: { address: string }) => ({ from: `The Owner <${address}>` });
  const passedOn = honestSession(SERVICE, { mailFrom: `bounces@${SERVICE}` });
  const broken = { ...(await signAsOwner(written(from(REJECT)), SERVICE)), body: 'Taken out.\r\n' };
  const signed = async (what: string, { address, domain }: { address: string; domain: string }, session: Session) => {
    return { what, letter: await signAsOwner(written(from({ address })), domain, usual), session };
  };
  return [
    await signed('signed, from home', REJECT, honestSession(REJECT.domain)),
    await signed('signed, passed on', REJECT, passedOn),
    await signed('signed, passed on, no DMARC', PLAIN, passedOn),
    { what: 'not signed, from home', letter: written(from(PLAIN)), session: honestSession(PLAIN.domain) },
    { what: 'two signatures', letter: await signAsOwner(broken, REJECT.domain, usual), session: passedOn },
    {
      what: 'long headers',
      letter: await signAsOwner(written({ ...from(STRICT), ...LONG }), STRICT.domain, { covers: COVERS.over }),
      session: passedOn,
    },
  ];
}

const NASTY = [
  'an envelope sender of results',
  'an envelope sender of results, and a signature',
  'a greeting of results',
  'an identity of results in a valid signature',
  'selectors of signs in valid signatures',
  'results that came along below lines of the house',
  'another spelling of b= in an old or foreign mail',
  'a second signature',
  'a neighbour of the domain who sends on',
  'all of it at once',
];

function simulation(name: string): Border {
  const border = BORDERS.find((each) => each.name === name);
  if (!border) throw new Error(`nobody writes as ${name}`);
  return border;
}

async function nastiest(name: string): Promise<readonly Sent[]> {
  const border = simulation(name);
  const made: Sent[] = [];
  for (let number = 0; number < NASTIEST; number += 1) {
    const what = NASTY[number % NASTY.length] ?? '';
    const way = ATTACKS[what];
    if (!way) throw new Error(`there is no attack ${what}`);
    const attack = await way(seededRandom(SEED + number), { border, originals });
    made.push({ what: `#${number} ${what}`, ...attack });
  }
  return made;
}

/** Once a border has nothing left, and the gateway has looked at all that lies in its mailbox. */
async function untilLookedAt(border: RealBorder): Promise<void> {
  await vi.waitFor(async () => expect(await border.waiting()).toBe(0), { timeout: 60_000, interval: 200 });
  const last = {
    what: 'the last',
    letter: written({ from: `The Owner <${PLAIN.address}>`, subject: 'The last' }),
    session: honestSession(PLAIN.domain),
  };
  expect(await send(border, 'imap', last)).toMatchObject({ code: 250 });
  await untilSeen([idOf(last.letter)]);
}

/** Refused, or a mail without a sender, which is nobody's word. */
const isHeld = ({ decision, code }: { decision: string; code: string | null }): boolean =>
  decision === 'refused' || (decision === 'recorded' && code === 'null_return_path');

const untilSeen = (ids: readonly string[]): Promise<unknown> =>
  vi.waitFor(() => expect(seen().map(({ message_id }) => message_id)).toEqual(expect.arrayContaining([...ids])), {
    timeout: 60_000,
    interval: 100,
  });

describe.each(['Rspamd', 'OpenDKIM and OpenDMARC', 'Exim'])('behind a real border: %s', (name) => {
  const theBorder = (): RealBorder => {
    const border = running.borders.find((each) => each.name === name);
    if (!border) throw new Error(`${name} was not started`);
    return border;
  };

  it.each(DOORS)('an owner is proven and answered, by %s', async (door) => {
    const mails = await honestMail();
    for (const mail of mails) expect(await send(theBorder(), door, mail)).toMatchObject({ code: 250 });
    const ids = mails.map(({ letter }) => idOf(letter));
    await untilSeen(ids);
    const rows = seen().filter(({ message_id }) => ids.includes(message_id));
    expect(rows.map(({ decision, code, detail }) => ({ decision, code, detail: code && detail }))).toEqual(
      ids.map(() => ({ decision: 'accepted', code: null, detail: null })),
    );
    const isAnswered = (id: string) => answers.mails.some(({ raw }) => raw.includes(`In-Reply-To: ${id}`));
    await vi.waitFor(() => expect(ids.filter((id) => !isAnswered(id))).toEqual([]), { timeout: 60_000, interval: 200 });
  });

  it('nobody is believed who is not who he says', async () => {
    const border = theBorder();
    const mails = [...(await knownForgeries(running.borders.map(({ host }) => host))), ...(await nastiest(name))];
    const before = seen().length;
    let taken = 0;
    const tries = mails.flatMap((mail) => DOORS.map((door) => ({ mail, door })));
    for (let at = 0; at < tries.length; at += border.atOnce) {
      const some = tries.slice(at, at + border.atOnce).map(({ mail, door }) => send(border, door, mail));
      taken += (await Promise.all(some)).filter(({ code }) => code === 250).length;
    }
    await untilLookedAt(border);
    const ids = mails.map(({ letter }) => idOf(letter));
    const rows = seen()
      .slice(before)
      .filter(({ message_id }) => ids.includes(message_id));
    const believed = rows.filter((row) => !isHeld(row));
    const nameOf = (id: string) => mails[ids.indexOf(id)]?.what;
    expect(believed.map(({ message_id, decision, detail }) => `${nameOf(message_id)}: ${decision}, ${detail}`)).toEqual(
      [],
    );
    // The border itself refuses some; most of them come as far as to us.
    expect(taken).toBeGreaterThan(mails.length);
    expect(rows.length).toBeGreaterThan(mails.length);
  });

  it('it writes as the conformance set does', async () => {
    const border = theBorder();
    const inHouse = (await lab.read(border.user)).map(({ raw }) => raw);
    const differences: string[] = [];
    const compared = (stored.get(name) ?? []).filter(({ what }) => !what.startsWith('#'));
    for (const mail of compared) {
      const real = inHouse.find((raw) => raw.includes(`Message-ID: ${idOf(mail.letter)}`));
      const [wrote, expected] = [real ?? Buffer.alloc(0), await simulated(border, mail)].map((raw) =>
        resultsIn(raw, border.host),
      );
      if (JSON.stringify(wrote) !== JSON.stringify(expected))
        differences.push(JSON.stringify({ what: mail.what, wrote, expected }, null, 1));
    }
    expect(compared.length).toBeGreaterThan(20);
    expect(differences).toEqual([]);
  });
});

/** The mail as the conformance set says that this border leaves it in a mailbox. */
async function simulated({ name, host }: RealBorder, { letter, session }: Sent): Promise<Buffer> {
  // It knows one name alone.
  const raw = Buffer.from(rawOf(letter).toString('latin1').replaceAll(host, 'mx.lab.test'), 'latin1');
  const facts = await concluded(raw, session, { records: RECORDS, quotes: false, cleans: false, order: 0 });
  return bordered(raw, simulation(name), facts, 'stored');
}

/** What stands where, and every result; blanks and the order of results do not count. */
function resultsIn(raw: Buffer, host: string): readonly string[] {
  const head = raw.toString('latin1', 0, raw.indexOf('\r\n\r\n') + 2);
  return fieldsOf(head).flatMap((field) => {
    const [line = ''] = [field.replace(/\s+/g, ' ').replaceAll(host, 'mx.lab.test').trim()];
    if (/^received:/i.test(line)) return [/ by (\S+)/.exec(line)?.[1] ?? line];
    if (!/^(?:authentication-results|received-spf|return-path) ?:/i.test(line)) return [];
    return [line.split(/ ?; ?/).toSorted().join('; ')];
  });
}
