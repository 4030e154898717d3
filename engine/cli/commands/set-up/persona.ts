import { pausePersona, resumePersona } from '../../../actions/pause.ts';
import { createPersona } from '../../../actions/set-up/persona-folder.ts';
import { describeProblem } from '../../../config/problems/problem.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { listPersonas, personaShape, settingsOf, validatePersonas } from '../../../queries/gateway/personas.ts';
import { OWNER_COMMANDS } from '../../../wording/to-owners/owner-commands.ts';
import { addressIn } from '../../command/addresses.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { changes } from './change-persona.ts';

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
  ],
  arguments: [['<id>', 'lower-case letters, digits, - and _']],
  options: {
    name: { flags: '--name <name>', about: 'as its mail shows it (default: the id)' },
    address: { flags: '--address <address>', about: 'default: <id>@ the domain of configs/gateway.json' },
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
  async run({ open }, { args: [id], options }) {
    const workspace = open();
    const { live } = workspace;
    const created = createPersona(workspace, {
      id,
      name: options.name ?? id.charAt(0).toUpperCase() + id.slice(1),
      address: options.address === undefined ? `${id}@${live.current().gateway.domain}` : addressIn(options.address),
      owners: (options.owner ?? []).map(addressIn),
      allow: options.allow ?? [],
    });
    live.sweep();
    return { persona: await personaShape(workspace, id), created };
  },
  text: ({ persona: { name, address }, created }) =>
    [
      `Made ${name} <${address}>:`,
      ...created.map((path) => `  ${path}`),
      '',
      'Say who it is in PERSONA.md. A running gateway takes its mail within two seconds.',
    ].join('\n'),
});

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
    await pausePersona(workspace, id);
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
    const waited = await resumePersona(workspace, id, workspace.clock.now());
    return { persona: await personaShape(workspace, id), waited };
  },
  text: ({ persona: { id }, waited }) => `${id} goes on. ${OWNER_COMMANDS.en.resume(waited)}`,
});

export const persona: Group = {
  name: 'persona',
  summary: 'Who has an address here',
  commands: [list, show, create, ...changes, validate, pause, resume],
};
