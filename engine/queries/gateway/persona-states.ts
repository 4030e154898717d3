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

/** How many are in each state; a scrape comes by here for thousands. */
export async function personasByState(ports: QueryPorts, inForce: InForce): Promise<Record<string, number>> {
  const paused = await ports.gateway.pausedPersonas();
  const counts: Record<string, number> = {};
  for (const entry of ports.live.personas().all()) {
    const state = stateOf(entry, paused, inForce);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

export const addressOf = (entry: PersonaEntry): string | null =>
  entry.state === 'ready' ? entry.persona.address : (entry.addresses[0] ?? null);

const firstProblem = (entry: PersonaEntry): string | null =>
  entry.state === 'error' ? wrongIn(entry.problems[0]) : null;

const wrongIn = (first: Problem | undefined): string =>
  first === undefined ? 'its files are wrong' : first.key ? `${first.key}: ${first.message}` : first.message;
