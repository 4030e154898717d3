// One file: a generator of steps is read with what each step may change.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editPersona } from '../../../../engine/actions/set-up/edit-persona.ts';
import { deletePersona, renamePersona } from '../../../../engine/actions/set-up/move-persona.ts';
import { createPersona } from '../../../../engine/actions/set-up/persona-folder.ts';
import { removeMailbox } from '../../../../engine/actions/set-up/remove-mailbox.ts';
import { wantedOfMailbox } from '../../../../engine/cli/commands/setup/add-mailbox.ts';
import { freeId, type SetupAnswers, secretNameOf } from '../../../../engine/cli/commands/setup/answers.ts';
import type { Prompts } from '../../../../engine/cli/commands/setup/ask.ts';
import { wantedOf } from '../../../../engine/cli/commands/setup/folder.ts';
import { AUTOMATIC, modelGiven } from '../../../../engine/cli/commands/setup/model/given.ts';
import { mailboxIn, type Present, presentIn } from '../../../../engine/cli/commands/setup/present.ts';
import {
  askAddresses,
  askPersona,
  askServers,
  type SetupUnderWay,
} from '../../../../engine/cli/commands/setup/steps.ts';
import { finishChange } from '../../../../engine/config/journal/journal.ts';
import { createLiveConfig, type LiveConfig } from '../../../../engine/config/live/live.ts';
import { loadConfigs } from '../../../../engine/config/load.ts';
import { mailboxToSendBy, receiving } from '../../../../engine/config/mailboxes/sending-mailbox.ts';
import type { MailboxConfig } from '../../../../engine/config/types.ts';
import { planChange, type Wanted } from '../../../../engine/config/writing/change.ts';
import { systemClock } from '../../../../engine/lib/clock.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { differing, leavesIn } from '../../../flow/settings-leaves.ts';
import { SIZE } from '../../../size.ts';

const OWNERS = ['olga@lab.test', 'bob@lab.test'];
const side = (user: string, env: string) => ({ host: 'mail.lab.test', user, secret_env: env });

/** It works: two owners, two mailboxes, a relay, a zone, a model, written as people write. */
const WORKING: Readonly<Record<string, string>> = {
  'configs/gateway.json': `{
    "$schema": "./.schemas/gateway.json",
    "mailboxes": [ { "save_sent": false, "id": "support", "imap": ${JSON.stringify(side('support@other.test', 'OTHER'))},
        "smtp": ${JSON.stringify(side('support@other.test', 'OTHER'))} },
      { "id": "main", "smtp": ${JSON.stringify(side('agent@lab.test', 'MAIN_MAILBOX_PASSWORD'))},
        "imap": { "authserv_id": "mx.lab.test", "processed": "keyword:done", "host": "mail.lab.test",
          "user": "agent@lab.test", "secret_env": "MAIN_MAILBOX_PASSWORD" } } ],
    "domain": "lab.test",
    "smtp_listener": { "trusted_relays": [ { "ip": "10.0.0.5", "authserv_id": "mx.lab.test" } ], "port": 2525 }
}
`,
  'configs/security.json': JSON.stringify({ loop_guard: { max_fast_replies: 7 }, owners: OWNERS }, null, '\t'),
  'configs/inference.json': '{"model":"m-1","provider":"offline"}',
  'configs/system.json': '{\n  "log": { "level": "warn" }\n}\n',
  'extensions/extensions.json': '{ "providers": ["offline", {"name": "openai", "config": {"a": 1}}] }\n',
  'personas/ada/persona.json': `${JSON.stringify({ timezone: 'Pacific/Auckland', name: 'Ada', address: 'agent@lab.test', budget: { usd_per_day: 3 } }, null, 2)}\n`,
  'personas/ada/PERSONA.md': 'Mine.\n',
  'personas/ben/persona.json': JSON.stringify({
    address: 'ben@elsewhere.test',
    name: 'Ben',
    mailbox: 'support',
    owners: ['bob@lab.test'],
  }),
  '.env': '# the passwords\nMAIN_MAILBOX_PASSWORD=secret\nOTHER=other\n',
};

/** What a person does. `n` chooses among what is there. */
type Step =
  | { readonly kind: 'setup'; readonly byPrompts: boolean; readonly n: number; readonly say: readonly string[] }
  | { readonly kind: 'add' | 'remove' | 'create' | 'edit' | 'rename' | 'delete' | 'set' | 'hand'; readonly n: number };

const n = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('setup' as const),
      byPrompts: fc.boolean(),
      n,
      say: fc.subarray(['owner', 'mailbox', 'model', 'provider', 'name', 'timezone', 'imap', 'secret', 'border']),
    }),
  },
  ...(['add', 'remove', 'create', 'edit', 'rename', 'delete', 'set', 'hand'] as const).map((kind) => ({
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant(kind), n }),
  })),
);

let root: string;
let shelf: string;
let live: LiveConfig;
beforeAll(() => {
  shelf = mkdtempSync(join(tmpdir(), 'epistle-walks-'));
});
afterAll(() => rmSync(shelf, { recursive: true, force: true }));

const one = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(1, items.length)];
const boxes = () => live.current().gateway.mailboxes;
const personas = () => [...live.personas().all()].flatMap((entry) => (entry.state === 'ready' ? [entry.persona] : []));

/** Takes it to its end, and looks what would be there had its process been killed at each write. */
function write(wanted: Wanted): void {
  const before = leavesIn(root);
  const killed: string[] = [];
  planChange(root, wanted, () => {
    const copy = join(shelf, `killed-${killed.length}`);
    rmSync(copy, { recursive: true, force: true });
    cpSync(root, copy, { recursive: true });
    killed.push(copy);
  }).write();
  const after = leavesIn(root);
  for (const copy of killed) {
    finishChange(copy);
    for (const half of readdirSync(join(copy, 'configs')))
      if (half.endsWith('.tmp')) rmSync(join(copy, 'configs', half));
    const found = leavesIn(copy);
    expect(Math.min(differing(before, found).length, differing(after, found).length)).toBe(0);
  }
}

/** Prompts at which Enter keeps what is shown, and something is typed where it is said. */
const typed = (said: ReadonlyMap<string, string>): Prompts => {
  const line = (key: string, shown: string | undefined) => said.get(key) ?? shown ?? `new-${key}@lab.test`;
  return {
    folder: async (shown) => shown,
    owner: async (shown) => line('owner', shown),
    mailbox: async (shown) => line('mailbox', shown),
    server: async (protocol, shown) => line(protocol, shown ?? `${protocol}.lab.test:993:implicit`),
    whichOf: async (given) => given,
    caFile: async () => 'ca.pem',
    secret: async () => said.get('secret') ?? null,
    clientId: async () => 'x',
    // Asked of the services themselves, elsewhere.
    provider: async (_choices, initial) => initial,
    modelAddress: async (shown) => shown,
    modelOf: async (_models, shown) => shown ?? 'm',
    modelName: async (shown) => shown ?? 'm',
    price: async () => null,
    budget: async (_persona, shown) => shown,
    persona: async (shown) => said.get('name') ?? shown ?? 'Ada',
    mayWrite: async () => true,
    mayEnd: async () => false,
    mayTrust: async () => false,
    trustWord: async () => '',
  };
};

const VALUES: Readonly<Record<string, readonly string[]>> = {
  owner: ['olga@lab.test', 'carol@lab.test', 'dave@lab.test'],
  mailbox: ['agent@lab.test', 'support@other.test', 'third@new.test'],
  model: ['m-1', 'm-2'],
  provider: ['offline', 'openai', 'ollama'],
  name: ['Ada', 'Ben', 'Zoe', 'Mia'],
  timezone: ['Europe/Berlin', 'Asia/Tokyo'],
  imap: ['imap.lab.test:993:implicit'],
  secret: ['new secret'],
};

const saidBy = (say: readonly string[], at: number) =>
  new Map(say.flatMap((key): [string, string][] => (VALUES[key] ? [[key, one(VALUES[key], at) ?? '']] : [])));

function flagsOf(said: ReadonlyMap<string, string>, byPrompts: boolean): Map<string, string> {
  const ofPrompts = ['owner', 'mailbox', 'name', 'secret'];
  const flags = new Map([...said].filter(([key]) => !byPrompts || !ofPrompts.includes(key)));
  if (byPrompts) return flags;
  if (boxes().length !== 1 && !flags.has('mailbox')) flags.set('mailbox', 'agent@lab.test');
  if (!flags.has('name')) flags.set('name', 'Ada');
  return flags;
}

/** Setup without its servers. Returns what it may change, as beginnings of keys. */
async function setUp({ byPrompts, n: at, say }: Extract<Step, { kind: 'setup' }>): Promise<readonly string[]> {
  const said = saidBy(say, at);
  const present = presentIn(root);
  const flags = flagsOf(said, byPrompts);
  const isNew = (address: string) => !boxes().some(({ imap }) => imap?.user === address);
  const asking: SetupUnderWay = {
    context: {} as never,
    root,
    present,
    saved: () => ({}),
    keep: () => {},
    say: () => {},
    prompts: byPrompts ? typed(said) : null,
    flag: (name) => flags.get(name),
  };
  const { owner, mailbox } = await askAddresses(asking);
  // Those of a new one are not looked for on the net.
  if (isNew(mailbox)) for (const key of ['imap', 'smtp']) flags.set(key, `${key}.new.test:993:implicit`);
  const box = mailboxIn(present, mailbox, undefined);
  const id = box?.id ?? freeId(mailbox, boxes());
  const connection = await askServers(asking, { id, mailbox, present: box });
  const model = modelGiven(root, asking.flag) ?? AUTOMATIC;
  const answers: SetupAnswers = { ...connection, owner, model, persona: await askPersona(asking, connection) };
  const secret = box === null ? 'first' : said.get('secret');
  const names = box ? [box.imap?.secret_env ?? ''] : [secretNameOf({ id })];
  const border = say.includes('border')
    ? { authservId: 'learned.lab.test', trustedReceived: ['hop.lab.test'] }
    : { authservId: null, trustedReceived: [] };
  write(
    wantedOf(answers, {
      border,
      present,
      secrets: secret === undefined ? {} : Object.fromEntries(names.map((name) => [name, secret])),
    }),
  );
  return allowedOf({ answers, present, flags, box, say, secrets: secret === undefined ? [] : names });
}

interface Said {
  readonly answers: SetupAnswers;
  readonly present: Present;
  readonly flags: ReadonlyMap<string, string>;
  readonly box: MailboxConfig | null;
  readonly say: readonly string[];
  readonly secrets: readonly string[];
}

const SENDS = 'sends: ';

const allowedOf = (said: Said): readonly string[] => [
  ...ofPersona(said),
  ...ofMailbox(said),
  ...(said.flags.has('model') || said.flags.has('provider') ? ['configs/inference.json/model'] : []),
  ...(said.flags.has('provider') ? ['configs/inference.json/provider'] : []),
  ...said.secrets.map((name) => `.env/${name}`),
];

function ofPersona({ answers: { persona, owner }, present, flags }: Said): readonly string[] {
  const file = `personas/${persona.id}/persona.json`;
  const before = present.personas.find((each) => each.id === persona.id)?.file;
  if (before === undefined) return [`personas/${persona.id}/`, `configs/security.json/owners/${owner}`];
  const isMoved = before.address !== persona.address;
  return [
    `configs/security.json/owners/${owner}`,
    ...(before.owners ? [`${file}/owners/${owner}`] : []),
    ...(flags.has('timezone') ? [`${file}/timezone`] : []),
    ...(isMoved ? [`${file}/address`, `${file}/aliases/`] : []),
    // Who names a persona and a mailbox says by which it sends.
    ...(isMoved || before.mailbox ? [`${file}/mailbox`, `${SENDS}${persona.id}`] : []),
  ];
}

function ofMailbox({ answers: { id }, box, say }: Said): readonly string[] {
  const mailbox = `configs/gateway.json/mailboxes/${id}`;
  const learned = say.includes('border') ? ['configs/security.json/gateway_auth/trusted_received/'] : [];
  if (box === null) {
    const senders = personas().map((each) => `personas/${each.id}/persona.json/mailbox`);
    return [`${mailbox}/`, ...senders, ...learned];
  }
  const server = say.includes('imap') ? ['host', 'port', 'tls'].map((key) => `${mailbox}/imap/${key}`) : [];
  return [...server, ...(say.includes('border') ? [`${mailbox}/imap/authserv_id`] : []), ...learned];
}

const HAND: readonly (readonly [string, (text: string) => string])[] = [
  ['configs/system.json', (text) => JSON.stringify({ ...JSON.parse(text), admin_contact: 'me@lab.test' }, null, 3)],
  ['configs/gateway.json', (text) => JSON.stringify({ ...JSON.parse(text), limits: { max_attachments: 7 } })],
  [
    'configs/gateway.json',
    (text) => {
      const gateway = JSON.parse(text);
      return JSON.stringify({ ...gateway, mailboxes: gateway.mailboxes?.toReversed() }, null, 2);
    },
  ],
  ['.env', (text) => `FIRST=1\n${text}`],
];

const SETTINGS: readonly (readonly [string, readonly string[], unknown])[] = [
  ['configs/security.json', ['approvals', 'ttl_hours'], 12],
  ['configs/gateway.json', ['smtp_listener', 'trusted_relays', '10.0.0.5', 'authserv_id'], 'mx2.lab.test'],
  ['extensions/extensions.json', ['providers', 'openai', 'config', 'a'], 2],
  ['configs/gateway.json', ['delivery'], undefined],
];

type Made = (at: number) => readonly string[] | Promise<readonly string[]>;

const persona = (at: number) => one(personas(), at);
const unmoved = { name: undefined, address: undefined, timezone: undefined, language: undefined };
const freeName = () => ['mia', 'lea', 'tom'].find((id) => !live.personas().get(id)) ?? 'pia';
const senders = () => personas().map((each) => `personas/${each.id}/persona.json/mailbox`);

/** Each does one thing, and returns what it may change, as beginnings of keys. */
const WALKS: Readonly<Record<Exclude<Step['kind'], 'setup'>, Made>> = {
  add(at) {
    const mailbox = `box${at}@more${at % 3}.test`;
    const id = freeId(mailbox, boxes());
    const server = { host: 'h.test', port: 993, tls: 'implicit' as const };
    const connection = { id, mailbox, user: mailbox, imap: server, smtp: server, caFile: null, oauth: null };
    const named = at % 2 === 0 ? (persona(at)?.id ?? null) : null;
    const added = {
      connection: { ...connection, filesSent: false, present: null },
      border: { authservId: null, trustedReceived: [] },
      present: presentIn(root),
      persona: named,
      secrets: { [secretNameOf({ id })]: 'p' },
    };
    const own = named ? ['address', 'aliases/'].map((key) => `personas/${named}/persona.json/${key}`) : [];
    write(wantedOfMailbox({ root, live }, added));
    return [`configs/gateway.json/mailboxes/${id}/`, `.env/${secretNameOf({ id })}`, ...own, ...senders()];
  },
  remove(at) {
    const box = one(boxes(), at);
    if (!box) return [];
    const named = personas().filter(({ mailbox }) => mailbox === box.id);
    const allowed = [`configs/gateway.json/mailboxes/${box.id}/`, ...senders()];
    removeMailbox(
      { root, live },
      box.id,
      named.map(({ id }) => id),
    );
    return allowed;
  },
  create() {
    const id = freeName();
    createPersona({ root, live }, { id, name: id, address: `agent+${id}@lab.test`, owners: [], allow: [] });
    return [`personas/${id}/`];
  },
  edit(at) {
    const { id } = persona(at) ?? {};
    if (id === undefined) return [];
    const wanted = at % 2 === 0 ? { name: `Name ${at}` } : { address: `moved${at}@lab.test` };
    editPersona({ root, live }, id, { ...unmoved, ...wanted });
    const keys = at % 2 === 0 ? ['name'] : ['address', 'aliases/', 'mailbox'];
    return keys.map((key) => `personas/${id}/persona.json/${key}`);
  },
  async rename(at) {
    const { id } = persona(at) ?? {};
    if (id === undefined) return [];
    const to = freeName();
    const places = { root, dataDir: join(root, 'data'), gateway: { renamePersona: async () => {} } };
    await renamePersona(places, { from: id, to });
    return [`personas/${id}/`, `personas/${to}/`];
  },
  delete(at) {
    const { id } = persona(at) ?? {};
    if (id === undefined) return [];
    deletePersona({ root, dataDir: join(root, 'data') }, id, null);
    return [`personas/${id}/`];
  },
  set(at) {
    const [file = '', path = [], to] = one(SETTINGS, at) ?? [];
    write({ settings: [{ file, path, to: to as never }] });
    return [`${file}/${path.join('/')}`];
  },
  hand(at) {
    const [file = '', edit] = one(HAND, at) ?? [];
    const path = join(root, file);
    if (edit) writeFileSync(path, edit(readFileSync(path, 'utf8')));
    return [file];
  },
};

const walk = async (given: Step): Promise<readonly string[]> =>
  given.kind === 'setup' ? setUp(given) : WALKS[given.kind](given.n);

const sendersOf = () => new Map(personas().map((each) => [each.id, { ...each, by: mailboxToSendBy(boxes(), each) }]));

/** Nobody sends by another mailbox of whom nothing was said, unless theirs is gone or the new one has their address. */
function assertSenders(before: ReturnType<typeof sendersOf>, named: readonly string[]): void {
  for (const [id, { by }] of sendersOf()) {
    const was = before.get(id);
    const isNamed = named.some(
      (key) => key.startsWith(`personas/${id}/persona.json/a`) || key === `personas/${id}/` || key === `${SENDS}${id}`,
    );
    if (!was || isNamed || by === was.by || !boxes().some((box) => box.id === was.by)) continue;
    const box = boxes().find((each) => each.id === by);
    expect([id, was.by, by, box && ['exact', 'tag'].includes(receiving(box, was.address))]).toEqual([
      id,
      was.by,
      by,
      true,
    ]);
  }
}

function begin(): void {
  root = mkdtempSync(join(shelf, 'walk-'));
  for (const [file, text] of Object.entries(WORKING)) {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: file === '.env' ? 0o600 : 0o644 });
  }
  live = createLiveConfig({ workspace: root, log: silentLog, clock: systemClock() });
}

describe('a walk over everything that changes settings', () => {
  it('changes nothing that was not named, and is whole or not there wherever its process is killed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        begin();
        try {
          for (const given of steps) {
            live.sweep();
            const [before, sent] = [leavesIn(root), sendersOf()];
            const named = await walk(given).catch((error: unknown): string[] => {
              // Refused: nothing of it is written.
              if (error instanceof Error && 'code' in error) return [];
              throw error;
            });
            live.sweep();
            const strange = differing(before, leavesIn(root)).filter(
              (key) => !named.some((allowed) => key.startsWith(allowed)),
            );
            expect([given, strange]).toEqual([given, []]);
            expect([given, loadConfigs(root).problems, live.problems()]).toEqual([given, [], []]);
            expect(existsSync(join(root, 'configs/.change.json'))).toBe(false);
            expect(statSync(join(root, '.env')).mode & 0o777).toBe(0o600);
            if (given.kind !== 'hand') assertSenders(sent, named);
          }
        } finally {
          live.stop();
          rmSync(root, { recursive: true, force: true });
        }
      }),
      { numRuns: 20 * SIZE, seed: Number(process.env.EPISTLE_TEST_SEED ?? 2116473362) },
    );
  }, 600_000);
});
