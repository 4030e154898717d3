import type { QueryPorts } from '../ports.ts';
import { targetOf } from './provider-in-use.ts';

export interface MissingKeys {
  readonly provider: string;
  /** Names of environment variables. */
  readonly keys: readonly string[];
  readonly personas: readonly string[];
}

/** Providers that personas would use now and whose keys are not set. The extensions must have been loaded. */
export function missingKeys(ports: QueryPorts): readonly MissingKeys[] {
  const { providers } = ports.currentExtensions();
  const personas = [...ports.live.personas().all()].flatMap((entry) =>
    entry.state === 'ready' ? [entry.persona] : [],
  );
  const used = Map.groupBy(personas, (persona) => targetOf(ports, persona).provider);
  return [...used].flatMap(([provider, users]) => {
    const keys = providers.get(provider)?.missingSecrets() ?? [];
    return keys.length === 0 ? [] : [{ provider, keys, personas: users.map(({ id }) => id) }];
  });
}
