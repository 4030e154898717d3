import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SUBMISSION_USER } from '../../engine/gateway/smtp/listener.ts';
import { type CorpusCase, cases } from '../corpus/cases.ts';
import { type DnsServer, startDnsServer } from '../fakes/dns-server.ts';
import { connectWire, type Reply, type Wire } from '../fakes/smtp-wire.ts';
import { SIZE } from '../size.ts';
import {
  answeredTo,
  asBrought,
  BORDER,
  MEMBER,
  normalMail,
  OWNER,
  ROUTES,
  type Route,
  returnPathOf,
  verdictOf,
  zoneOf,
} from './corpus-doors.ts';
import { epistle, launchGateway, type Program, readOutgoing } from './gateway.ts';
import { openPersonaDb, type RunView, runsEnded } from './persona-db.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const NORMAL_EVERY = 6;
const OFF = { max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0, max_fast_replies: 0 };

interface Sent {
  readonly route: Route;
  /** Null: a normal mail. */
  readonly nasty: CorpusCase | null;
  readonly id: string | null;
  readonly reply: Reply;
}

interface Seen {
  readonly message_id: string;
  readonly persona_id: string;
  readonly decision: string;
  readonly code: string | null;
  readonly run_id: string | null;
}

const persona = (name: string) => ({
  name,
  address: `${name.toLowerCase()}@agents.localhost`,
  owners: [OWNER],
  access: { allow: ['*@example.com', '*@xn--bcher-kva.example', '*@member.test'] },
});

let workspace: TestWorkspace;
let gateway: Program;
let dns: DnsServer;
let secret: string;
const sent: Sent[] = [];

/** Each mail through one of the doors in turn; at full size each through all of them. */
const casesFor = (route: Route) =>
  SIZE >= 20 ? cases : cases.filter((_, index) => index % ROUTES.length === ROUTES.indexOf(route));

/** As mail servers do, it comes again where it is told to: a busy machine may have no time to check a sender. */
async function deliver(wire: Wire, from: string, to: readonly string[], raw: Buffer): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    await wire.envelope(from, to);
    const reply = await wire.data(raw);
    if (reply.code !== 451 || tries === 5) return reply;
  }
}

/** The whole corpus through one door on one connection, a normal mail after every few. */
async function sendAll(route: Route): Promise<void> {
  const wire = await connectWire(gateway.ready.smtp.port, { from: route.peer });
  await wire.hello(route.door === 'submission' ? { user: SUBMISSION_USER, password: secret } : undefined);
  const to = [`${route.persona}@agents.localhost`];
  for (const [index, nasty] of casesFor(route).entries()) {
    sent.push({
      route,
      nasty,
      id: null,
      reply: await deliver(wire, returnPathOf(nasty), to, asBrought(nasty, route.door)),
    });
    if (index % NORMAL_EVERY !== 0) continue;
    const { id, raw } = await normalMail(route.door, index);
    sent.push({ route, nasty: null, id, reply: await deliver(wire, MEMBER, to, raw) });
  }
  await wire.say('QUIT');
  wire.close();
}

function seenBy(personaId: string): Seen[] {
  const database = new SQLite(join(workspace.root, 'data/gateway.db'), { readonly: true });
  try {
    return database
      .prepare<[string], Seen>(
        "select * from seen where direction = 'in' and persona_id = ? and decision <> 'deferred' order by id",
      )
      .all(personaId);
  } finally {
    database.close();
  }
}

/** The runs of a persona, and of those whose mail was answered together with another one the run that answered it. */
function endsOf(personaId: string) {
  const db = openPersonaDb(workspace.root, personaId);
  try {
    const runs = db.runs();
    const elsewhere = runs
      .filter(({ outcome }) => outcome === 'silent:answered_together')
      .map(({ id }) => [id, db.events(id).find(({ type }) => type === 'run_ended')?.data.by] as const);
    return {
      ended: new Map<string | null, RunView>(runs.map((run) => [run.id, run])),
      elsewhere: new Map<string | null, string>(elsewhere),
    };
  } finally {
    db.close();
  }
}

const outgoing = async () => {
  const folder = join(workspace.root, 'data/outgoing');
  return Promise.all(readdirSync(folder).map((name) => readOutgoing(join(folder, name))));
};

describe('every mail of the corpus, through every door, with normal mail in between', () => {
  beforeAll(async () => {
    dns = await startDnsServer(zoneOf(cases));
    workspace = makeWorkspace({
      'configs/gateway.json': {
        smtp_listener: { port: 0, trusted_relays: [{ ip: '127.0.0.3', authserv_id: BORDER }] },
      },
      'configs/security.json': { gateway_auth: { dns_servers: [dns.address] }, loop_guard: OFF },
      'personas/ada/persona.json': persona('Ada'),
      'personas/ben/persona.json': persona('Ben'),
      'personas/cleo/persona.json': persona('Cleo'),
    });
    gateway = await launchGateway(workspace.root).ready;
    secret = readFileSync(join(workspace.root, 'data/submission.secret'), 'utf8').trim();
    await Promise.all(ROUTES.map(sendAll));
    for (const route of ROUTES) {
      const accepted = seenBy(route.persona).filter(({ decision }) => decision === 'accepted');
      await runsEnded(workspace.root, route.persona, accepted.length);
    }
    await outboxesEmpty();
    // A third of this where the machine has nothing else to do.
  });
  afterAll(async () => {
    await gateway?.kill();
    dns?.stop();
    workspace?.remove();
  });

  it('leaves the gateway running, with nothing to complain about', () => {
    expect(gateway.process.exitCode).toBeNull();
    expect(() => process.kill(gateway.ready.pid, 0)).not.toThrow();
    expect(gateway.log()).toBe('');
  });

  it.each(ROUTES)('decides each one as the design says: $door', (route) => {
    const mine = sent.filter((one) => one.route === route);
    const rows = seenBy(route.persona);
    expect(rows).toHaveLength(mine.length);
    const wrong = mine.flatMap(({ nasty, reply }, index) => {
      const row = rows[index];
      const wanted = nasty ? verdictOf(nasty, route.door) : { decision: 'accepted', code: null };
      const was = { decision: row?.decision, code: row?.code };
      const answer = wanted.decision === 'refused' ? /^55[02] / : /^250 /;
      const right =
        was.decision === wanted.decision &&
        was.code === wanted.code &&
        answer.test(reply.text) &&
        reply.text.length < 300;
      return right ? [] : [{ mail: nasty?.name ?? 'normal', wanted, was, said: reply.text }];
    });
    expect(wrong).toEqual([]);
  });

  it('knows each one under the Message-ID that its sender gave it', () => {
    const [route] = ROUTES;
    const rows = seenBy(route?.persona ?? '');
    const mine = sent.filter((one) => one.route === route);
    const renamed = mine.flatMap(({ nasty }, index) => {
      const own = nasty ? `<${nasty.name}@corpus.example.com>` : null;
      const has = own !== null && nasty?.raw.subarray(0, 4000).includes(`Message-ID: ${own}`);
      return has && rows[index]?.message_id !== own ? [own] : [];
    });
    expect(renamed).toEqual([]);
  });

  it('tells strangers nothing but that', () => {
    const refusals = sent.filter(({ reply }) => reply.code >= 400).map(({ reply }) => reply.text);
    expect(new Set(refusals)).toEqual(new Set(['550 5.7.1 Not accepted', '552 5.3.4 Too many attachments']));
  });

  it('answers each accepted mail exactly once, by itself or with one of its thread and sender, and nobody else', async () => {
    const replies = (await outgoing()).filter(({ mail }) => mail.headers.get('x-epistle-kind') === 'reply');
    const wanted = ROUTES.flatMap((route) => {
      const rows = seenBy(route.persona);
      const { ended, elsewhere } = endsOf(route.persona);
      const due = sent
        .filter((one) => one.route === route)
        .flatMap(({ nasty }, index) => {
          const row = rows[index];
          const to = nasty ? answeredTo(nasty) : MEMBER;
          return row?.decision === 'accepted' && to !== null ? [{ row, to }] : [];
        });
      const toOf = (runId: string | null) => due.find(({ row }) => row.run_id === runId)?.to;
      const [together, alone] = [true, false].map((is) => due.filter(({ row }) => elsewhere.has(row.run_id) === is));
      for (const { row, to } of together ?? []) {
        const [mine, by] = [row.run_id, elsewhere.get(row.run_id)].map((id) => ended.get(id ?? null));
        expect(by).toMatchObject({ outcome: 'final', thread_id: mine?.thread_id });
        expect([row.message_id, toOf(by?.id ?? null)]).toEqual([row.message_id, to]);
        expect(mine?.reply_message_id).toBeNull();
      }
      return (alone ?? []).map(({ row, to }) => `${route.persona} ${row.message_id} ${to}`);
    });
    const written = replies.map(
      ({ envelopeFrom, envelopeTo, mail }) => `${envelopeFrom.split('@')[0]} ${mail.inReplyTo} ${envelopeTo}`,
    );
    expect(written.toSorted()).toEqual(wanted.toSorted());
    const normal = sent.filter(({ nasty }) => nasty === null);
    expect(normal.length).toBeGreaterThan(cases.length / 10);
    for (const { id } of normal) expect(written.filter((line) => line.includes(id ?? '?'))).toHaveLength(1);
  });

  it('writes to the owner about dead letters, once for all of the hour, to a proven sender once, and about nothing else', async () => {
    const others = (await outgoing()).filter(({ mail }) => mail.headers.get('x-epistle-kind') !== 'reply');
    const [notices = [], notes = []] = [true, false].map((isOwners) =>
      others.filter(({ envelopeTo }) => (envelopeTo === OWNER) === isOwners),
    );
    const letters = ROUTES.flatMap(({ persona: id }) => seenBy(id)).filter(
      ({ decision }) => decision === 'dead_letter',
    );
    expect(letters.length).toBeGreaterThan(0);
    expect(new Set(letters.map(({ persona_id }) => persona_id))).toEqual(new Set(['ben']));
    expect(notices.map(({ mail }) => mail.subject)).toEqual(['[Ben] A mail could not be taken in']);
    expect(notes.map(({ mail }) => mail.subject)).toEqual(['Re: A question']);
  });

  it('can say of each code why, by Message-ID', async () => {
    const byCode = new Map<string, Seen>();
    for (const { persona: id } of ROUTES) for (const row of seenBy(id)) byCode.set(row.code ?? row.decision, row);
    expect(byCode.size).toBeGreaterThan(15);
    for (const batch of pairs([...byCode.values()])) {
      await Promise.all(
        batch.map(async (row) => {
          const why = await epistle(workspace.root, ['why', row.message_id]);
          const entry = why.json.entries.find((one: { persona: string }) => one.persona === row.persona_id);
          expect(entry).toMatchObject({ decision: row.decision, code: row.code, direction: 'in' });
          expect(entry.run === null).toBe(row.run_id === null);
        }),
      );
    }
  });

  it('prints what became of them', () => {
    process.stdout.write(`${table()}\n`);
    const brought = sent.flatMap(({ nasty }) => nasty?.name ?? []);
    expect(new Set(brought).size).toBe(cases.length);
    expect(brought).toHaveLength(ROUTES.reduce((sum, route) => sum + casesFor(route).length, 0));
  });
});

const pairs = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / 2) }, (_, n) => items.slice(2 * n, 2 * n + 2));

/** Code by door, and how often. */
function table(): string {
  const counts = new Map<string, number[]>();
  for (const [column, { persona: id }] of ROUTES.entries()) {
    for (const { decision, code } of seenBy(id)) {
      const key = code === null ? decision : `${decision}:${code}`;
      const row = counts.get(key) ?? ROUTES.map(() => 0);
      row[column] = (row[column] ?? 0) + 1;
      counts.set(key, row);
    }
  }
  const line = (key: string, cells: readonly (string | number)[]) =>
    `${key.padEnd(34)}${cells.map((cell) => String(cell).padStart(12)).join('')}`;
  return [
    line(
      `${cases.length} nasty mails, ${casesFor(ROUTES[0] as Route).length} through the first door`,
      ROUTES.map(({ door }) => door),
    ),
    ...[...counts].toSorted(([a], [b]) => a.localeCompare(b)).map(([key, cells]) => line(key, cells)),
  ].join('\n');
}

async function outboxesEmpty(): Promise<void> {
  const open = () =>
    ROUTES.some(({ persona: id }) => {
      const database = new SQLite(join(workspace.root, 'data/personas', id, 'persona.db'), { readonly: true });
      try {
        const { count } = database
          .prepare<[number], { count: number }>(
            `select (select count(*) from outbox where state <> 'sent')
              + (select count(*) from jobs where due_at <= ?) as count`,
          )
          // The notice about the rest of the hour waits for its end.
          .get(Date.now()) ?? { count: 1 };
        return count > 0;
      } finally {
        database.close();
      }
    });
  await vi.waitFor(() => expect(open()).toBe(false), { timeout: 90_000, interval: 100 });
}
