import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addressKey } from './address.ts';
import { readJsonFile } from './json-file.ts';
import { deepFreeze } from './live/freeze.ts';
import { personaSchema } from './persona-schema.ts';
import { check } from './problems/issues.ts';
import { problem } from './problems/problem.ts';
import type { PersonaFile, Problem } from './types.ts';

export const PERSONA_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const personaFileOf = (id: string): string => `personas/${id}/persona.json`;

/** What stands in one persona's folder now. */
export type PersonaRead =
  | { readonly state: 'absent' }
  | { readonly state: 'good'; readonly file: PersonaFile }
  /** `addresses`: those that could be read, so that mail to them waits instead of bouncing. */
  | { readonly state: 'bad'; readonly addresses: readonly string[]; readonly problems: readonly Problem[] };

/** One object for all personas that say nothing: 10,000 of them would hold 100,000 equal objects. */
const DEFAULTS: PersonaFile = deepFreeze(personaSchema.parse({ name: 'x', address: 'x@x.x' }));

/** A folder without persona.json is no persona, unless a PERSONA.md shows that it was meant to be one. */
export function readPersona(workspace: string, id: string): PersonaRead {
  const file = personaFileOf(id);
  const read = readJsonFile(join(workspace, file), file);
  if (read.state === 'bad') return { state: 'bad', addresses: [], problems: [read.problem] };
  if (read.state === 'absent') {
    if (!existsSync(join(workspace, 'personas', id, 'PERSONA.md'))) return { state: 'absent' };
    const missing = problem({ file, code: 'not_found', message: 'is missing beside PERSONA.md' });
    return { state: 'bad', addresses: [], problems: [missing] };
  }
  return parsePersona(id, read.value);
}

/** Pure: the value of a persona.json, checked. */
export function parsePersona(id: string, value: unknown): PersonaRead {
  const file = personaFileOf(id);
  const named = PERSONA_ID.test(id) ? [] : [idProblem(id, file)];
  const parsed = check(personaSchema, value, file);
  if (!parsed.ok) return { state: 'bad', addresses: readable(value), problems: [...named, ...parsed.problems] };
  const problems = [...named, ...addressProblems(parsed.value, file)];
  if (problems.length > 0) return { state: 'bad', addresses: readable(value), problems };
  return { state: 'good', file: withSharedDefaults(parsed.value, value) };
}

function withSharedDefaults(persona: PersonaFile, written: unknown): PersonaFile {
  const said = new Set(Object.keys(Object(written)));
  return { ...persona, ...Object.fromEntries(Object.entries(DEFAULTS).filter(([key]) => !said.has(key))) };
}

const idProblem = (id: string, file: string): Problem =>
  problem({
    file,
    code: 'invalid_value',
    message: `the folder name ${JSON.stringify(id.slice(0, 100))} is no persona id`,
    expected: 'lower-case letters, digits, - and _, at most 64, not - or _ first',
  });

function addressProblems(persona: PersonaFile, file: string): Problem[] {
  const keyed = [
    { key: 'address', address: persona.address },
    ...persona.aliases.map((address, index) => ({ key: `aliases.${index}`, address })),
  ];
  return keyed
    .filter(({ address }) => addressKey(address) === null)
    .map(({ key }) =>
      problem({ file, key, code: 'invalid_value', message: 'its domain is not one', expected: 'a domain after the @' }),
    );
}

/** The addresses that a persona.json claims although something else in it is wrong. */
function readable(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const aliases: unknown = Reflect.get(value, 'aliases');
  const claimed: unknown[] = [Reflect.get(value, 'address'), ...(Array.isArray(aliases) ? aliases.slice(0, 100) : [])];
  return claimed.filter((address): address is string => typeof address === 'string' && addressKey(address) !== null);
}
