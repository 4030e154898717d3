import { join } from 'node:path';
import { EngineError } from '#contract';
import { pausePersona, resumePersona } from '../../../actions/pause.ts';
import { editPersona } from '../../../actions/set-up/edit-persona.ts';
import { deletePersona, renamePersona } from '../../../actions/set-up/move-persona.ts';
import { assertCreatable, createPersona, type NewPersona } from '../../../actions/set-up/persona-folder.ts';
import { setBudget } from '../../../actions/set-up/set-budget.ts';
import { type FreeAddress, placeOf } from '../../../config/mailboxes/free-address.ts';
import { mailboxesToSendBy } from '../../../config/mailboxes/sending-mailbox.ts';
import { describeProblem } from '../../../config/problems/problem.ts';
import { say } from '../../../languages/say.ts';
import { systemZone } from '../../../lib/schedule/zone.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { listPersonas, personaShape, settingsOf, validatePersonas } from '../../../queries/gateway/personas.ts';
import type { Workspace } from '../../../workspace.ts';
import { addressIn } from '../../command/addresses.ts';
import { type Command, defineCommand, type Group } from '../../command/define.ts';
import { tryAddress } from '../../trial/address.ts';
import { today } from './today.ts';
import { tryOut } from './try-out.ts';

const edit = defineCommand({
  name: 'persona edit',
  summary: 'Change the name, the address, the mailbox, the zone, the language or the budget of a persona',
  arguments: ['<id>'],
  options: {
    name: { flags: '--name <name>', about: 'as its mail shows it' },
    address: { flags: '--address <address>', about: 'the one before stays as an alias, so that conversations go on' },
    mailbox: {
      flags: '--mailbox <id>',
      about: 'by which it writes, where it is not the one that receives its address',
    },
    timezone: { flags: '--timezone <zone>', about: 'IANA name of its zone' },
    language: { flags: '--language <code>', about: 'what it says things in where a mail does not tell, such as de' },
    budget: { flags: '--budget <usd>', about: 'what it may cost on a day, or none' },
  },
  async run({ open }, { args: [named], options: { budget, ...options } }) {
    const { address, name, timezone, language, mailbox } = options;
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, named);
    const to = address === undefined ? undefined : addressIn(address);
    const usdPerDay = budget === undefined ? undefined : usdIn(budget);
    const isEdit = Object.values(options).some((one) => one !== undefined);
    // Without either it says what can be changed.
    if (isEdit || usdPerDay === undefined) {
      editPersona(workspace, id, {
        name,
        address: to,
        timezone,
        language,
        ...(mailbox === undefined ? {} : { mailbox }),
      });
    }
    if (usdPerDay !== undefined)
      await setBudget(workspace, { persona: id, limits: { usd_per_day: usdPerDay }, by: 'cli' });
    workspace.live.sweep();
    return { persona: await personaShape(workspace, id) };
  },
  text: ({ persona: { id, name, address } }) =>
    `${id} is ${name} <${address}>. A running gateway takes it up within two seconds.`,
});

/** Pure. Null: none. Throws `usage`. */
function usdIn(text: string): number | null {
  if (text === 'none') return null;
  const usd = Number(text);
  if (text.trim() === '' || !Number.isFinite(usd) || usd < 0)
    throw new EngineError('usage', '--budget is an amount in US dollars such as 2.50, or none');
  return usd;
}

/** Where the personas that are there live, in one place as a rule; where there is none, that of this machine. */
function zoneOfOthers({ live }: Pick<Workspace, 'live'>): string | null {
  const others = [...live.personas().all()].flatMap((entry) => (entry.state === 'ready' ? [entry.persona] : []));
  const zones = others.length === 0 ? [systemZone()] : others.map(({ timezone }) => timezone);
  return zones.find((zone) => zone !== 'UTC') ?? null;
}

/** No other process may have its database open. Throws `workspace_locked`. */
async function alone<Result>({ lock: take }: Workspace, work: () => Promise<Result>): Promise<Result> {
  const lock = take();
  try {
    return await work();
  } finally {
    lock.release();
  }
}

const rename = defineCommand({
  name: 'persona rename',
  summary: 'Give a persona another id; its mail, files and memory go along. The gateway has to be stopped',
  arguments: ['<id>', ['<new-id>', 'lower-case letters, digits, - and _']],
  async run({ open }, { args: [named, to] }) {
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, named);
    await alone(workspace, () => renamePersona(workspace, { from: id, to }));
    workspace.live.sweep();
    return { persona: await personaShape(workspace, to), from: id };
  },
  text: ({ persona: { id, address }, from }, { hint }) =>
    hint(
      `${from} is ${id} now, with all that it had. Its address is still ${address}; \`epistle persona edit ${id} --address …\` changes that.`,
    ),
});

const remove = defineCommand({
  name: 'persona delete',
  summary: 'Take a persona away; the gateway has to be stopped',
  arguments: ['<id>'],
  options: {
    force: { flags: '--force', about: 'also delete its mail, files and memory, for good' },
  },
  async run({ open }, { args: [named], options: { force = false } }) {
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, named);
    const day = new Date(workspace.clock.now()).toISOString().replaceAll(/[:.]/g, '-');
    const keepIn = force ? null : join('deleted', `${id}-${day}`);
    const kept = await alone(workspace, async () => deletePersona(workspace, id, keepIn));
    return { persona: id, kept };
  },
  text: ({ persona, kept }) =>
    kept === null ? `${persona} is gone, with all that it had.` : `${persona} is gone; what it had lies in ${kept}/.`,
});

const changes: readonly Command[] = [edit, rename, remove];

const list = defineCommand({
  name: 'persona list',
  summary: 'All personas',
  run: async ({ open }) => ({ personas: await listPersonas(open({ tolerant: true })), next: null }),
  rows: ({ personas }) => personas,
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name ?? '',
    ADDRESS: ({ address }) => address ?? '',
    STATE: ({ state, error }) => (error ? `${state}: ${error}` : state),
  },
  empty: 'No personas; `epistle persona create <id>` makes one.',
});

const show = defineCommand({
  name: 'persona show',
  summary: 'One persona with its settings',
  arguments: ['<id>'],
  async run({ open }, { args: [name] }) {
    const workspace = open({ tolerant: true });
    const entry = personaNamed(workspace, name);
    return { entry, shape: await personaShape(workspace, entry.id) };
  },
  json: ({ entry, shape }) => ({
    persona: { ...shape, ...(entry.state === 'ready' ? settingsOf(entry) : { problems: entry.problems }) },
  }),
  text: ({ entry, shape }) =>
    [
      `${shape.name ?? shape.id} <${shape.address ?? 'no address'}>: ${shape.state}`,
      ...(entry.state === 'ready'
        ? [JSON.stringify(settingsOf(entry), null, 2)]
        : entry.problems.map((one) => `  ${describeProblem(one)}`)),
    ].join('\n'),
});

const create = defineCommand({
  name: 'persona create',
  summary: 'Make the folder of a new persona',
  examples: [
    ['persona create grace --name Grace --allow "*@example.com"', 'answers her owners and everybody at example.com'],
    ['persona create workshop --mailbox main', 'a second persona of the mailbox main, at agents+workshop@example.com'],
  ],
  arguments: [['<id>', 'lower-case letters, digits, - and _']],
  options: {
    name: { flags: '--name <name>', about: 'as its mail shows it (default: the id)' },
    address: {
      flags: '--address <address>',
      about: 'default: that of its mailbox, with +<id> where somebody has it; without a mailbox <id>@ the domain',
    },
    mailbox: { flags: '--mailbox <id>', about: 'by which it gets its mail, where there are several' },
    withoutTrial: { flags: '--without-trial', about: 'send no mail to its address to see that it arrives' },
    owner: {
      flags: '--owner <address>',
      about: 'instead of the owners of configs/security.json; may be repeated',
      many: true,
    },
    allow: {
      flags: '--allow <pattern>',
      about: 'who else may write, such as *@example.com; may be repeated',
      many: true,
    },
  },
  async run({ open, note }, { args: [id], options }) {
    const workspace = open();
    const { live } = workspace;
    const { gateway } = live.current();
    const address = options.address === undefined ? undefined : addressIn(options.address);
    const place = placeOf(gateway, live.personas(), { id, address, mailbox: options.mailbox });
    const sends = mailboxesToSendBy(gateway.mailboxes, { address: place.address, aliases: [], mailbox: null });
    if (sends.length > 1 && options.mailbox === undefined)
      throw new EngineError('usage', `say by which mailbox it writes, with --mailbox: ${sends.join(' or ')}`);
    const persona: NewPersona = {
      id,
      name: options.name ?? id.charAt(0).toUpperCase() + id.slice(1),
      address: place.address,
      owners: (options.owner ?? []).map(addressIn),
      allow: options.allow ?? [],
      mailbox: sends.length === 1 && sends[0] === (options.mailbox ?? sends[0]) ? null : (options.mailbox ?? null),
      timezone: zoneOfOthers(workspace),
    };
    assertCreatable(workspace, persona);
    const arrived = options.withoutTrial ? null : await arrives(workspace, place, note);
    const created = createPersona(workspace, persona);
    live.sweep();
    return { persona: await personaShape(workspace, id), created, trial: arrived };
  },
  text: ({ persona: { name, address }, created, trial }) =>
    [
      ...(trial ? [`A mail to ${address} arrived in the mailbox ${trial.mailbox}.`] : []),
      `Made ${name} <${address}>:`,
      ...created.map((path) => `  ${path}`),
      '',
      'Say who it is in PERSONA.md. A running gateway takes its mail within two seconds.',
    ].join('\n'),
});

const TRIAL_MS = 90_000;

/**
 * Whether mail to this address comes: nothing is written of an address that nobody receives. Null where no mailbox can be
 * asked. Throws `network` with what its server says of it.
 */
async function arrives(
  { logins, ids, live }: Workspace,
  { address, mailbox }: FreeAddress,
  note: (line: string) => void,
): Promise<{ readonly mailbox: string } | null> {
  const { imap, smtp } = mailbox ?? {};
  if (!mailbox || !imap || !smtp) return null;
  note(isOnItsWay(address));
  const from = [smtp.user, imap.user].find((one) => one.includes('@')) ?? address;
  const traveller = {
    mailbox: { ...mailbox, imap, smtp },
    address,
    trusted: [],
    ms: TRIAL_MS,
    loginOf: (side: 'imap' | 'smtp') => logins.of(mailbox, side),
    exchangesOf: async () => [],
    helo: live.current().gateway.domain,
  };
  const fault = await tryAddress(traveller, from, () => ids.next());
  if (!fault) return { mailbox: mailbox.id };
  const cure = 'give an address that it takes with --address; with --without-trial none is tried';
  throw new EngineError('network', `${fault.cause}; nothing was written: ${address} could get no mail. Then ${cure}`);
}

const validate = defineCommand({
  name: 'persona validate',
  summary: 'Check one persona, or all, and all that they rest on',
  arguments: ['[id]'],
  run: ({ open }, { args: [name] }) => validatePersonas(open({ tolerant: true }), name),
  json: ({ personas, problems }) =>
    problems.length === 0
      ? { personas, problems }
      : { personas, problems, error: { code: 'config_invalid', message: counted(problems.length), problems } },
  text: ({ personas, problems }) =>
    problems.length === 0
      ? `${personas.length} ${personas.length === 1 ? 'persona is' : 'personas are'} fine.`
      : [`${counted(problems.length)}:`, ...problems.map((one) => `  ${describeProblem(one)}`)].join('\n'),
  exitCode: ({ problems }) => (problems.length === 0 ? 0 : 1),
});

const counted = (problems: number): string => `${problems} ${problems === 1 ? 'problem' : 'problems'}`;

const pause = defineCommand({
  name: 'persona pause',
  summary: 'Let its mail wait from now on',
  arguments: ['<id>'],
  async run({ open }, { args: [name] }) {
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, name);
    const became = await pausePersona(workspace, { personaId: id, by: 'cli' });
    if (became === 'stopped')
      throw new EngineError('usage', 'an owner has said STOP: its mail waits already, and none of it leaves');
    if (became === 'on') throw new EngineError('cancelled', 'somebody has let it go on meanwhile');
    return { persona: await personaShape(workspace, id) };
  },
  text: ({ persona: { id } }, { hint }) =>
    hint(`${id} is paused: its mail waits until \`epistle persona resume ${id}\`.`),
});

const resume = defineCommand({
  name: 'persona resume',
  summary: 'Answer its mail again, also what waited',
  arguments: ['<id>'],
  async run({ open }, { args: [name] }) {
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, name);
    const became = await resumePersona(workspace, { personaId: id, by: 'cli' });
    if (became === 'stopped' || became === 'paused')
      throw new EngineError('cancelled', 'somebody has put it to rest anew meanwhile: look at `epistle persona show`');
    return { persona: await personaShape(workspace, id), waited: became === 'on' ? 0 : became };
  },
  text: ({ persona: { id }, waited }) => `${id} goes on. ${say('en', 'ownerCommands.resume', { waited })}`,
});

export const persona: Group = {
  name: 'persona',
  summary: 'Who has an address here',
  commands: [list, show, today, create, tryOut, ...changes, validate, pause, resume],
};

export const isOnItsWay = (address: string): string => `A mail to ${address} is on its way, to see that it arrives.`;
