import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { DOMAIN } from '../../lab/site.ts';
import {
  BOX_USERS,
  type BoxFile,
  boxesOf,
  command,
  type House,
  inTerminal,
  OWNERS,
  PASSWORD,
  type PersonaFile,
  personasOf,
  readJson,
  receiverOf,
  serverFlags,
  userOf,
  writeJson,
} from './house.ts';
import { isRelayed } from './relay.ts';

/** What a person does. `n` chooses among what is there. */
export interface Step {
  readonly kind: keyof typeof STEPS;
  readonly n: number;
}

/** What a step may change, as beginnings of keys. */
type Allowed = readonly string[];
type Take = (house: House, n: number) => Promise<Allowed>;

const one = <Item>(items: readonly Item[], at: number): Item => {
  const item = items[at % items.length];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
};
const secret = { stdin: `${PASSWORD}\n` };
const fileOf = ({ id }: PersonaFile) => `personas/${id}/persona.json`;
const plus = (user: string, tag: string) => `${user}+${tag}@${DOMAIN}`;
const freeUsers = (house: House) =>
  BOX_USERS.filter((user) => boxesOf(house).every(({ imap }) => userOf(imap.user) !== user));
const freeName = (house: House) =>
  ['Mia', 'Lea', 'Tom', 'Zoe', 'Eva', 'Max', 'Ida', 'Kai', 'Uwe', 'Pia'].find((name) =>
    personasOf(house).every((each) => each.id !== name.toLowerCase() && each.name !== name),
  ) ?? 'Leo';
/** By which the others write may have to be written down once there are more mailboxes, or fewer. */
const senders = (house: House) => personasOf(house).map((persona) => `${fileOf(persona)}/mailbox`);
const moved = (persona: PersonaFile) => ['address', 'aliases/', 'mailbox'].map((key) => `${fileOf(persona)}/${key}`);
const boxKey = ({ id }: Pick<BoxFile, 'id'>) => `configs/gateway.json/mailboxes/${id}`;
const secretsOf = ({ imap, smtp }: BoxFile) => [imap, smtp].map(({ secret_env: name }) => `.env/${name}`);

/** What setup may change of a persona that it was given, who stood there so before, or did not. */
function ofPersona(before: readonly PersonaFile[], given: { id: string; address: string }): Allowed {
  const known = before.find(({ id }) => id === given.id);
  if (!known) return [`personas/${given.id}/`];
  return known.address === given.address ? [`${fileOf(known)}/mailbox`] : moved(known);
}

const setupArgs = (n: number, said: readonly (readonly [string, string])[]) =>
  said.filter((_, at) => ((n >> at) & 1) === 1).flat();

/** Setup once more, with other answers as flags. */
async function setUp(house: House, n: number): Promise<Allowed> {
  const before = personasOf(house);
  const box = one(boxesOf(house), n);
  const owner = n % 3 === 0 ? one(OWNERS, n) : (OWNERS[0] ?? '');
  const name = n % 4 === 0 ? freeName(house) : one(before, n >> 2).name;
  const said = setupArgs(n >> 3, [
    ['--timezone', one(['Europe/Berlin', 'Asia/Tokyo'], n)],
    ['--model', one(['m-1', 'm-2'], n)],
    ['--imap', `localhost:${house.lab.imap.tlsPort}:implicit`],
  ]);
  const answers = ['--owner', owner, '--mailbox', box.imap.user, '--name', name];
  const done = await command(house, ['setup', ...answers, ...said, '--non-interactive']);
  return [
    ...ofPersona(before, done.persona),
    ...[`configs/security.json/owners/${owner}`, `personas/${done.persona.id}/persona.json/owners/${owner}`],
    ...(said.includes('--timezone') ? [`personas/${done.persona.id}/persona.json/timezone`] : []),
    ...(said.includes('--model') ? ['configs/inference.json/model'] : []),
    ...(said.includes('--imap') ? ['port', 'tls'].map((key) => `${boxKey(box)}/imap/${key}`) : []),
  ];
}

/** Setup of one more mailbox, for a new persona or one that is there. */
async function setUpAnother(house: House, n: number): Promise<Allowed> {
  const [user] = freeUsers(house);
  if (user === undefined) return setUp(house, n);
  const before = personasOf(house);
  const name = n % 2 === 0 ? freeName(house) : one(before, n >> 1).name;
  const answers = ['--owner', OWNERS[0] ?? '', '--mailbox', `${user}@${DOMAIN}`, '--name', name];
  const allowed = senders(house);
  const known = new Set(boxesOf(house).map(({ id }) => id));
  const done = await command(house, ['setup', ...serverFlags(house), ...answers, '--non-interactive'], secret);
  const added = boxesOf(house).filter(({ id }) => !known.has(id));
  return [
    ...allowed,
    ...added.flatMap((box) => [`${boxKey(box)}/`, ...secretsOf(box)]),
    ...ofPersona(before, done.persona),
    `personas/${done.persona.id}/persona.json/owners/${OWNERS[0]}`,
  ];
}

/** Setup in a terminal, where Enter keeps what is shown. */
async function setUpByPrompts(house: House, n: number): Promise<Allowed> {
  const before = personasOf(house);
  const box = one(boxesOf(house), n);
  const persona = one(before, n >> 1);
  const zone = persona.timezone === 'Europe/Paris' ? 'Europe/Rome' : 'Europe/Paris';
  const steps = [
    { wait: 'Your own mail address', keys: '\r' },
    { wait: 'The address of the mailbox', keys: `${box.imap.user}\r` },
    { wait: `The password of ${box.imap.user} (Enter keeps the one in .env)`, keys: '\r' },
    { wait: 'The name of the persona', keys: `${persona.name}\r` },
    { wait: 'Write it?', keys: '\r' },
  ];
  await inTerminal(house, steps, ['--provider', 'offline', '--timezone', zone]);
  const after = personasOf(house).find(({ id }) => id === persona.id);
  const { owners } = readJson(house.root, 'configs/security.json');
  return [
    ...ofPersona(before, { id: persona.id, address: after?.address ?? '' }),
    ...[`${fileOf(persona)}/timezone`, `${fileOf(persona)}/owners/${owners[0]}`],
  ];
}

async function addMailbox(house: House, n: number): Promise<Allowed> {
  const [user] = freeUsers(house);
  if (user === undefined) return removeMailbox(house, n);
  const address = `${user}@${DOMAIN}`;
  // Whoever had it before has it still; nobody else may be named.
  const holder = personasOf(house).find((each) => [each.address, ...(each.aliases ?? [])].includes(address));
  const persona = n % 2 === 0 ? (holder ?? one(personasOf(house), n)) : null;
  const allowed = [...senders(house), ...(persona ? moved(persona) : [])];
  const named = persona ? ['--persona', persona.id] : [];
  const added = await command(
    house,
    ['mailbox', 'add', address, ...serverFlags(house), ...named, '--non-interactive'],
    secret,
  );
  return [
    ...allowed,
    `${boxKey(added)}/`,
    ...boxesOf(house)
      .filter(({ id }) => id === added.id)
      .flatMap(secretsOf),
  ];
}

/** Whoever had it as the only way in moves to another one, as the command has said. */
async function removeMailbox(house: House, n: number): Promise<Allowed> {
  if (boxesOf(house).length < 2) return addMailbox(house, n);
  const box = one(boxesOf(house), n);
  const allowed = senders(house);
  await command(house, ['mailbox', 'remove', box.id, '--yes']);
  const left = boxesOf(house);
  const stranded = personasOf(house).filter(
    ({ address }) => !isRelayed(address) && left.every(({ imap }) => userOf(imap.user) !== receiverOf(address)),
  );
  for (const { id } of stranded) {
    const address = plus(userOf(one(left, n).imap.user), id);
    await command(house, ['persona', 'edit', id, '--address', address]);
  }
  return [...allowed, `${boxKey(box)}/`, ...stranded.flatMap(moved)];
}

async function createPersona(house: House, n: number): Promise<Allowed> {
  const id = freeName(house).toLowerCase();
  const box = one(boxesOf(house), n);
  const isKnownOtherwise = n % 3 === 0 && userOf(box.imap.user) === 'agents';
  const isFree = personasOf(house).every(({ address, aliases = [] }) => ![address, ...aliases].includes(DESK));
  const named = isKnownOtherwise && isFree ? ['--address', DESK] : [];
  await command(house, ['persona', 'create', id, '--mailbox', box.id, ...named]);
  return [`personas/${id}/`];
}

const DESK = `desk@${DOMAIN}`;

async function editPersona(house: House, n: number): Promise<Allowed> {
  const persona = one(personasOf(house), n);
  const box = one(boxesOf(house), n >> 2);
  const edits: readonly (readonly [string, string, Allowed])[] = [
    ['--name', `Name ${n}`, [`${fileOf(persona)}/name`]],
    ['--address', plus(userOf(box.imap.user), `moved${n}`), moved(persona)],
    ['--mailbox', box.id, [`${fileOf(persona)}/mailbox`]],
  ];
  const [flag, value, allowed] = one(edits, n);
  await command(house, ['persona', 'edit', persona.id, flag, value]);
  return allowed;
}

async function renamePersona(house: House, n: number): Promise<Allowed> {
  const { id } = one(personasOf(house), n);
  const to = freeName(house).toLowerCase();
  await command(house, ['stop']);
  await command(house, ['persona', 'rename', id, to]);
  await command(house, ['restart']);
  return [`personas/${id}/`, `personas/${to}/`];
}

async function deletePersona(house: House, n: number): Promise<Allowed> {
  if (personasOf(house).length < 2) return createPersona(house, n);
  const { id } = one(personasOf(house), n);
  await command(house, ['stop']);
  await command(house, ['persona', 'delete', id]);
  await command(house, ['restart']);
  return [`personas/${id}/`, `deleted/${id}-`];
}

async function setConfig(house: House, n: number): Promise<Allowed> {
  const { id } = one(personasOf(house), n);
  const box = one(boxesOf(house), n);
  const relay = ['smtp_listener', 'trusted_relays', '10.0.0.5', 'authserv_id'];
  const processed = one(['keyword:done', 'move:Done', 'none', 'seen'], n >> 1);
  const settings: readonly (readonly [string, string, string, string])[] = [
    ['security', 'approvals.ttl_hours', '12', 'configs/security.json/approvals/ttl_hours'],
    ['gateway', `mailboxes.${box.id}.imap.processed`, processed, `${boxKey(box)}/imap/processed`],
    [
      'gateway',
      JSON.stringify(relay),
      'mx2.lab.test',
      'configs/gateway.json/smtp_listener/trusted_relays/10.0.0.5/authserv_id',
    ],
    ['inference', 'max_tool_turns', '9', 'configs/inference.json/max_tool_turns'],
    [`persona/${id}`, 'timezone', 'Asia/Tokyo', `personas/${id}/persona.json/timezone`],
    ['system', 'log.level', 'debug', 'configs/system.json/log/level'],
  ];
  const [file, key, value, allowed] = one(settings, n);
  await command(house, ['config', 'set', file, key, value]);
  return [allowed];
}

/** In an editor, while the gateway runs. */
async function editByHand(house: House, n: number): Promise<Allowed> {
  const { root } = house;
  const persona = one(personasOf(house), n >> 1);
  const box = one(boxesOf(house), n >> 2);
  const change = (file: string, key: string, value: unknown, spacing: number | string) => {
    writeJson(root, file, { ...readJson(root, file), [key]: value }, spacing);
    return `${file}/${key}`;
  };
  const edits: readonly (() => string)[] = [
    () => change('configs/system.json', 'admin_contact', OWNERS[0], 3),
    () => change('configs/gateway.json', 'limits', { max_attachments: 7 }, 0),
    () => {
      const { mailboxes } = readJson(root, 'configs/gateway.json');
      change('configs/gateway.json', 'mailboxes', mailboxes.toReversed(), '\t');
      return 'nothing';
    },
    () => {
      writeFileSync(join(root, '.env'), `# mine\nFIRST=1\n${readFileSync(join(root, '.env'), 'utf8')}`);
      return '.env/FIRST';
    },
    () => change(fileOf(persona), 'name', `By hand ${n}`, 4),
    () => change(fileOf(persona), 'address', plus(userOf(box.imap.user), `hand${n}`), 2),
    () => {
      writeFileSync(join(root, `personas/${persona.id}/PERSONA.md`), `Mine, ${n}.\n`);
      return `personas/${persona.id}/PERSONA.md`;
    },
  ];
  return [one(edits, n)()];
}

/** The workspace lies elsewhere from then on. */
async function moveByBackup(house: House): Promise<Allowed> {
  const { path } = await command(house, ['backup', 'create', '--to', join(house.place, 'backups')]);
  await command(house, ['stop']);
  const to = `${house.root}-again`;
  await command(house, ['backup', 'restore', path, '--to', to]);
  house.root = to;
  await command(house, ['restart']);
  // Personas that were deleted, and what earlier versions had written, stay where they were; docs/workspace.md says what is copied.
  return ['deleted/', 'backups/'];
}

async function restart(house: House): Promise<Allowed> {
  await command(house, ['restart']);
  return [];
}

export const STEPS = {
  setup: setUp,
  setupAnother: setUpAnother,
  prompts: setUpByPrompts,
  add: addMailbox,
  remove: removeMailbox,
  create: createPersona,
  edit: editPersona,
  rename: renamePersona,
  delete: deletePersona,
  set: setConfig,
  hand: editByHand,
  backup: moveByBackup,
  restart,
} satisfies Readonly<Record<string, Take>>;

const kinds = Object.keys(STEPS).flatMap((kind) => (isKind(kind) ? [kind] : []));
function isKind(kind: string): kind is Step['kind'] {
  return Object.hasOwn(STEPS, kind);
}

/** Walks of 2 to 8 steps, the same for a seed. */
export const walksOf = (seed: number, count: number): readonly (readonly Step[])[] =>
  fc.sample(
    fc.array(fc.record({ kind: fc.constantFrom(...kinds), n: fc.nat(1000) }), {
      minLength: 2,
      maxLength: 8,
      size: 'max',
    }),
    { seed, numRuns: count },
  );
