import { pausePersona, resumePersona } from '../../actions/pause.ts';
import { createPersona } from '../../actions/set-up/persona-folder.ts';
import { describeProblem } from '../../config/problem.ts';
import type { PersonaEntry, Problem } from '../../config/types.ts';
import { personaNamed } from '../../queries/find-across.ts';
import { type PersonaState, personaStates } from '../../queries/gateway/persona-states.ts';
import { OWNER_COMMANDS } from '../../wording/owner-commands.ts';
import type { Workspace } from '../../workspace.ts';
import { addressIn } from '../addresses.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { table } from '../text/table.ts';

interface CreateOptions {
  readonly name?: string;
  readonly address?: string;
  readonly owner?: readonly string[];
  readonly allow?: readonly string[];
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

export const personaCommand: Register = (program, act) => {
  const persona = program.command('persona').description('Who has an address here');
  persona.command('list').description('All personas').action(act(list));
  persona.command('show').description('One persona with its settings').argument('<id>').action(act(show));
  persona
    .command('create')
    .description('Make the folder of a new persona')
    .argument('<id>', 'lower-case letters, digits, - and _')
    .option('--name <name>', 'as its mail shows it (default: the id)')
    .option('--address <address>', 'default: <id>@ the domain of configs/gateway.json')
    .option('--owner <address>', 'instead of the owners of configs/security.json; may be repeated', collect)
    .option('--allow <pattern>', 'who else may write, such as *@example.com; may be repeated', collect)
    .action(act(create));
  persona
    .command('validate')
    .description('Check one persona, or all, and all that they rest on')
    .argument('[id]')
    .action(act(validate));
  persona
    .command('pause')
    .description('Let its mail wait from now on')
    .argument('<id>')
    .action(act((context, id: string) => setPaused(context, id, true)));
  persona
    .command('resume')
    .description('Answer its mail again, also what waited')
    .argument('<id>')
    .action(act((context, id: string) => setPaused(context, id, false)));
};

async function list(context: CommandContext): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const personas = [];
  for (const state of await personaStates(workspace)) personas.push(shape(workspace, state));
  return {
    data: { personas, next: null },
    text: table(
      ['ID', 'NAME', 'ADDRESS', 'STATE'],
      personas.map((one) => [
        one.id,
        one.name ?? '',
        one.address ?? '',
        one.error ? `${one.state}: ${one.error}` : one.state,
      ]),
      'No personas; `epistle persona create <id>` makes one.',
    ),
  };
}

async function show(context: CommandContext, name: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const entry = personaNamed(workspace, name);
  const settings = entry.state === 'ready' ? settingsOf(entry) : { problems: entry.problems };
  const persona = { ...shape(workspace, await stateOf(workspace, entry.id)), ...settings };
  const problems = entry.state === 'error' ? entry.problems.map((one) => `  ${describeProblem(one)}`) : [];
  const text = [
    `${persona.name ?? persona.id} <${persona.address ?? 'no address'}>: ${persona.state}`,
    ...problems,
    ...(entry.state === 'ready' ? [JSON.stringify(settings, null, 2)] : []),
  ].join('\n');
  return { data: { persona }, text };
}

async function create(context: CommandContext, id: string, options: CreateOptions): Promise<Outcome> {
  const workspace = context.open();
  const { live } = workspace;
  const created = createPersona(workspace, {
    id,
    name: options.name ?? id.charAt(0).toUpperCase() + id.slice(1),
    address: options.address === undefined ? `${id}@${live.current().gateway.domain}` : addressIn(options.address),
    owners: (options.owner ?? []).map(addressIn),
    allow: options.allow ?? [],
  });
  live.sweep();
  const persona = shape(workspace, await stateOf(workspace, id));
  const text = [
    `Made ${persona.name} <${persona.address}>:`,
    ...created.map((path) => `  ${path}`),
    '',
    'Say who it is in PERSONA.md. A running gateway takes its mail within two seconds.',
  ].join('\n');
  return { data: { persona, created }, text };
}

async function validate(context: CommandContext, name: string | undefined): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  await workspace.extensions();
  const entry = name === undefined ? undefined : personaNamed(workspace, name);
  const problems = entry ? problemsOf(workspace, entry) : workspace.live.problems();
  const states = (await personaStates(workspace)).filter(({ id }) => entry === undefined || entry.id === id);
  const personas = states.map((state) => shape(workspace, state));
  if (problems.length === 0) {
    return {
      data: { personas, problems },
      text: `${personas.length} ${personas.length === 1 ? 'persona is' : 'personas are'} fine.`,
    };
  }
  const message = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  return {
    data: { personas, problems, error: { code: 'config_invalid', message, problems } },
    text: [`${message}:`, ...problems.map((one) => `  ${describeProblem(one)}`)].join('\n'),
    exitCode: 1,
  };
}

function problemsOf({ live }: Workspace, entry: PersonaEntry): readonly Problem[] {
  const ofTasks = live.tasksOf(entry.id).flatMap(({ problems }) => problems);
  return entry.state === 'error' ? [...entry.problems, ...ofTasks] : ofTasks;
}

async function setPaused(context: CommandContext, name: string, on: boolean): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { id } = personaNamed(workspace, name);
  const waited = on ? await pausePersona(workspace, id) : await resumePersona(workspace, id, workspace.clock.now());
  const persona = shape(workspace, await stateOf(workspace, id));
  const text = on
    ? `${id} is paused: its mail waits until \`epistle persona resume ${id}\`.`
    : `${id} goes on. ${OWNER_COMMANDS.en.resume(waited ?? 0)}`;
  return { data: { persona, ...(on ? {} : { waited }) }, text };
}

async function stateOf(workspace: Workspace, id: string): Promise<PersonaState> {
  const found = (await personaStates(workspace)).find((state) => state.id === id);
  return found ?? { id, address: null, state: 'error', error: 'its folder is gone' };
}

function shape({ live }: Workspace, state: PersonaState) {
  const entry = live.personas().get(state.id);
  const persona = entry?.state === 'ready' ? entry.persona : null;
  return {
    id: state.id,
    name: persona?.name ?? null,
    address: state.address,
    aliases: persona?.aliases ?? [],
    owners: persona?.owners ?? [],
    state: state.state,
    error: state.error,
  };
}

function settingsOf({ persona }: Extract<PersonaEntry, { state: 'ready' }>) {
  const { mailbox, timezone, access, inference, tools, reply, budget } = persona;
  return { mailbox, timezone, access, inference, tools, reply, budget };
}
