import type { Persona, PersonaEntry, Problem } from '../../config/types.ts';
import { personaNamed } from '../find-across.ts';
import type { QueryPorts } from '../ports.ts';
import { type PersonaState, personaStates } from './persona-states.ts';

interface PersonaShape extends PersonaState {
  readonly name: string | null;
  readonly aliases: readonly string[];
  readonly owners: readonly string[];
}

function shapeOf({ live }: QueryPorts, state: PersonaState): PersonaShape {
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

export async function listPersonas(ports: QueryPorts): Promise<readonly PersonaShape[]> {
  return (await personaStates(ports)).map((state) => shapeOf(ports, state));
}

export async function personaShape(ports: QueryPorts, id: string): Promise<PersonaShape> {
  const found = (await personaStates(ports)).find((state) => state.id === id);
  return shapeOf(ports, found ?? { id, address: null, state: 'error', error: 'its folder is gone' });
}

type PersonaSettings = Pick<Persona, 'mailbox' | 'timezone' | 'access' | 'inference' | 'tools' | 'reply' | 'budget'>;

export function settingsOf({ persona }: Extract<PersonaEntry, { state: 'ready' }>): PersonaSettings {
  const { mailbox, timezone, access, inference, tools, reply, budget } = persona;
  return { mailbox, timezone, access, inference, tools, reply, budget };
}

/** One persona, or all, with the problems of their files and of all that they rest on. Throws `not_found`. */
export async function validatePersonas(
  ports: QueryPorts,
  name: string | undefined,
): Promise<{ readonly personas: readonly PersonaShape[]; readonly problems: readonly Problem[] }> {
  await ports.extensions();
  const entry = name === undefined ? undefined : personaNamed(ports, name);
  const problems = entry ? problemsOf(ports, entry) : ports.live.problems();
  const personas = await listPersonas(ports);
  return { personas: personas.filter(({ id }) => entry === undefined || entry.id === id), problems };
}

function problemsOf({ live }: QueryPorts, entry: PersonaEntry): readonly Problem[] {
  const ofTasks = live.tasksOf(entry.id).flatMap(({ problems }) => problems);
  return entry.state === 'error' ? [...entry.problems, ...ofTasks] : ofTasks;
}
