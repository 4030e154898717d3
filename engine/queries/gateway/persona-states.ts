import type { PersonaEntry, Problem } from '../../config/types.ts';
import type { QueryPorts } from '../ports.ts';

export interface PersonaState {
  readonly id: string;
  readonly address: string | null;
  readonly state: 'ready' | 'paused' | 'error';
  readonly error: string | null;
}

/** One line per persona. `inForce`: ids that a running gateway goes on with although their files are wrong now. */
export async function personaStates(ports: QueryPorts, inForce: InForce = () => false): Promise<PersonaState[]> {
  const paused = await ports.gateway.pausedPersonas();
  return Array.from(ports.live.personas().all(), (entry) => {
    const state = stateOf(entry, paused, inForce);
    return { id: entry.id, address: addressOf(entry), state, error: state === 'error' ? firstProblem(entry) : null };
  });
}

type InForce = (id: string) => boolean;

const stateOf = (entry: PersonaEntry, paused: ReadonlySet<string>, inForce: InForce): PersonaState['state'] =>
  entry.state === 'error' && !inForce(entry.id) ? 'error' : paused.has(entry.id) ? 'paused' : 'ready';

/** How many are in each state that some are in. A scrape comes by here, and goes only through those that are not ready. */
export async function personasByState(ports: QueryPorts, inForce: InForce): Promise<Record<string, number>> {
  const directory = ports.live.personas();
  const paused = await ports.gateway.pausedPersonas();
  const counts = { ready: directory.size, paused: 0, error: 0 };
  for (const id of new Set([...directory.inError, ...paused])) {
    const entry = directory.get(id);
    // It was paused, and its files are gone.
    if (!entry) continue;
    counts.ready -= 1;
    counts[stateOf(entry, paused, inForce)] += 1;
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

export const addressOf = (entry: PersonaEntry): string | null =>
  entry.state === 'ready' ? entry.persona.address : (entry.addresses[0] ?? null);

const firstProblem = (entry: PersonaEntry): string | null =>
  entry.state === 'error' ? wrongIn(entry.problems[0]) : null;

const wrongIn = (first: Problem | undefined): string =>
  first === undefined ? 'its files are wrong' : first.key ? `${first.key}: ${first.message}` : first.message;
