import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import type { LiveConfig } from '../../config/live/live.ts';
import { PERSONA_ID, parsePersona, personaFileOf } from '../../config/persona-file.ts';
import { describeProblem } from '../../config/problems/problem.ts';
import { planChange, type Wanted } from '../../config/writing/change.ts';
import { assertUnclaimed } from './edit-persona.ts';

export interface NewPersona {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly owners: readonly string[];
  readonly allow: readonly string[];
  /** By which it writes; null: none is named. */
  readonly mailbox?: string | null;
  readonly timezone?: string | null;
}

/** Pure. What the owner says of who it is, until somebody says more. */
export const firstWordsOf = (name: string): string =>
  `You are ${name}. You answer mail briefly and say what you do not know.\n`;

/** Pure. The files of a new persona: what they say, and no more. */
function filesOfPersona(persona: NewPersona): Wanted {
  const { id, name, address, owners, allow, mailbox = null, timezone = null } = persona;
  const said = {
    name,
    address,
    ...(timezone === null ? {} : { timezone }),
    ...(mailbox === null ? {} : { mailbox }),
    ...(owners.length > 0 ? { owners } : {}),
    ...(allow.length > 0 ? { access: { allow } } : {}),
  };
  const parsed = parsePersona(id, said);
  if (parsed.state === 'bad') throw new EngineError('config_invalid', parsed.problems.map(describeProblem).join('; '));
  const file = personaFileOf(id);
  return {
    settings: Object.entries(said).map(([key, to]) => ({ file, path: [key], to })),
    texts: [{ file: `personas/${id}/PERSONA.md`, text: firstWordsOf(name) }],
  };
}

type Places = { readonly root: string; readonly live: Pick<LiveConfig, 'personas'> };

/** Throws `usage` for what can be no id, `not_empty` for a folder that is there. */
export function assertFree({ root }: Pick<Places, 'root'>, id: string): void {
  if (!PERSONA_ID.test(id))
    throw new EngineError('usage', `${JSON.stringify(id)} is no persona id; take lower-case letters, digits, - and _`);
  if (existsSync(join(root, 'personas', id)))
    throw new EngineError('not_empty', `personas/${id} exists already; choose another id`);
}

/** Throws `usage` or `config_invalid` for what would not work, `not_empty` for a folder that is there. */
export function assertCreatable({ root, live }: Places, persona: NewPersona): void {
  const { id, address } = persona;
  assertFree({ root }, id);
  filesOfPersona(persona);
  assertUnclaimed({ live }, address, null);
}

/**
 * Writes `personas/<id>/`. Throws as `assertCreatable` and `planChange` do. Owners are left out when none are given: then
 * those of security.json count, also after they change.
 */
export function createPersona(places: Places, persona: NewPersona): readonly string[] {
  assertCreatable(places, persona);
  const change = planChange(places.root, filesOfPersona(persona));
  change.write();
  return change.files;
}
