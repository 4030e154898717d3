import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import type { LiveConfig } from '../../config/live/live.ts';
import { PERSONA_ID, parsePersona } from '../../config/persona-file.ts';
import { describeProblem } from '../../config/problems/problem.ts';
import { schemaLine } from '../../config/writing/schema-line.ts';

export interface NewPersona {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly owners: readonly string[];
  readonly allow: readonly string[];
}

/**
 * Writes `personas/<id>/`. Throws `usage` or `config_invalid` for what would not work, `not_empty` for a folder that is
 * there. Owners are left out when none are given: then those of security.json count, also after they change.
 */
export function createPersona(
  { root, live }: { root: string; live: Pick<LiveConfig, 'personas'> },
  persona: NewPersona,
): string[] {
  const { id, name, address, owners, allow } = persona;
  if (!PERSONA_ID.test(id)) {
    throw new EngineError('usage', `${JSON.stringify(id)} is no persona id; take lower-case letters, digits, - and _`);
  }
  const folder = join(root, 'personas', id);
  if (existsSync(folder)) throw new EngineError('not_empty', `personas/${id} exists already; choose another id`);
  const file = {
    name,
    address,
    ...(owners.length > 0 ? { owners } : {}),
    ...(allow.length > 0 ? { access: { allow } } : {}),
  };
  const parsed = parsePersona(id, file);
  if (parsed.state === 'bad') throw new EngineError('config_invalid', parsed.problems.map(describeProblem).join('; '));
  const rival = live.personas().byAddress(address);
  if (rival)
    throw new EngineError(
      'config_invalid',
      `${address} is an address of the persona ${rival.id}; give another --address`,
    );

  const named = schemaLine(root, `personas/${id}/persona.json`);
  const personas = join(root, 'personas');
  mkdirSync(personas, { recursive: true });
  // Renamed when it is whole, so that a running gateway never sees half a persona. Hidden names are no personas.
  const staging = mkdtempSync(join(personas, '.new-'));
  try {
    writeFileSync(join(staging, 'persona.json'), `${JSON.stringify({ ...named, ...file }, null, 2)}\n`);
    writeFileSync(
      join(staging, 'PERSONA.md'),
      `You are ${name}. You answer mail briefly and say what you do not know.\n`,
    );
    renameSync(staging, folder);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw error;
  }
  return [`personas/${id}/persona.json`, `personas/${id}/PERSONA.md`];
}
