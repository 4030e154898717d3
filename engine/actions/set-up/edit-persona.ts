import { join } from 'node:path';
import { EngineError, type Json } from '#contract';
import { readJsonFile } from '../../config/json-file.ts';
import type { LiveConfig } from '../../config/live/live.ts';
import { parsePersona, personaFileOf } from '../../config/persona-file.ts';
import { describeProblem } from '../../config/problems/problem.ts';
import type { PersonaFile } from '../../config/types.ts';
import { withSetting, writeSettings } from '../../config/writing/settings.ts';
import { jsonObject } from '../../lib/json.ts';

/** What of a persona is to become another; what is left out stays. */
export interface PersonaEdit {
  readonly name: string | undefined;
  readonly address: string | undefined;
  readonly timezone: string | undefined;
  readonly language: string | undefined;
  /** By which it writes; null: the first that sends. */
  readonly mailbox?: string | null;
}

/**
 * Writes it into persona.json. The address before a new one stays as an alias: whoever answers an earlier mail writes to it.
 * Throws `usage` where nothing is asked for, `config_invalid` where the file, or what it would become, is wrong.
 */
export function editPersona(
  { root, live }: { readonly root: string; readonly live: Pick<LiveConfig, 'personas'> },
  id: string,
  wanted: PersonaEdit,
): void {
  const { address } = wanted;
  const rival = address === undefined ? undefined : live.personas().byAddress(address);
  if (rival && rival.id !== id) {
    throw new EngineError('config_invalid', `${address} is an address of the persona ${rival.id}`);
  }
  if (Object.values(wanted).every((one) => one === undefined)) {
    throw new EngineError('usage', 'say what to change, such as --address');
  }
  change(root, id, (before) => {
    const aliases = [...new Set([...before.aliases, before.address])].filter((one) => one !== address);
    const isMoved = address !== undefined && address !== before.address;
    return Object.entries({ ...wanted, aliases: isMoved ? aliases : undefined }).flatMap(([key, to]) =>
      to === undefined ? [] : [{ path: [key], to }],
    );
  });
}

/** Lets whoever fits the pattern write to the persona, or refuses them. Throws as `editPersona` does. */
export function setAccess(
  root: string,
  id: string,
  rule: { readonly pattern: string; readonly list: 'allow' | 'deny' },
): void {
  const { pattern, list } = rule;
  const other = list === 'allow' ? 'deny' : 'allow';
  const isSame = (one: string) => one.toLowerCase() === pattern.toLowerCase();
  change(root, id, ({ access }) => [
    { path: ['access', list], to: [...access[list].filter((one) => !isSame(one)), pattern] },
    ...(access[other].some(isSame)
      ? [{ path: ['access', other], to: access[other].filter((one) => !isSame(one)) }]
      : []),
  ]);
}

/** Nothing is written that would leave the persona with a file that is wrong. */
function change(
  root: string,
  id: string,
  changesOf: (before: PersonaFile) => readonly { readonly path: readonly string[]; readonly to: Json }[],
): void {
  const file = personaFileOf(id);
  const read = readJsonFile(join(root, file), file);
  const value = read.state === 'json' ? (jsonObject.safeParse(read.value).data ?? {}) : {};
  const before = parsePersona(id, value);
  if (before.state !== 'good') throw new EngineError('config_invalid', `${file} is wrong; mend it first`);
  const changes = changesOf(before.file).map((one) => ({ ...one, file, from: null }));
  const after = parsePersona(
    id,
    changes.reduce<Json>((json, { path, to }) => withSetting(json, path, to), value),
  );
  if (after.state === 'bad') throw new EngineError('config_invalid', after.problems.map(describeProblem).join('; '));
  writeSettings(root, changes);
}
