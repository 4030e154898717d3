import type { PersonaEntry, Problem } from '../../config/types.ts';
import type { QueryPorts } from '../ports.ts';

export interface PersonaState {
  readonly id: string;
  readonly address: string | null;
  readonly state: 'ready' | 'paused' | 'error';
  readonly error: string | null;
}

/** One line per persona. `inForce`: ids that a running gateway goes on with although their files are wrong now. */
export async function personaStates(
  { live, gateway }: QueryPorts,
  inForce: (id: string) => boolean = () => false,
): Promise<PersonaState[]> {
  const states: PersonaState[] = [];
  for (const entry of live.personas().all()) {
    const isWrong = entry.state === 'error' && !inForce(entry.id);
    const state = isWrong ? 'error' : (await gateway.isPaused(entry.id)) ? 'paused' : 'ready';
    states.push({ id: entry.id, address: addressOf(entry), state, error: isWrong ? firstProblem(entry) : null });
  }
  return states;
}

export const addressOf = (entry: PersonaEntry): string | null =>
  entry.state === 'ready' ? entry.persona.address : (entry.addresses[0] ?? null);

const firstProblem = (entry: PersonaEntry): string | null =>
  entry.state === 'error' ? wrongIn(entry.problems[0]) : null;

const wrongIn = (first: Problem | undefined): string =>
  first === undefined ? 'its files are wrong' : first.key ? `${first.key}: ${first.message}` : first.message;
