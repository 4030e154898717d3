import { EngineError } from '#contract';
import { addressKey } from '../../config/address.ts';
import type { LiveConfig } from '../../config/live/live.ts';
import { mailboxToSendBy } from '../../config/mailboxes/sending-mailbox.ts';
import { personaFileOf, readPersona } from '../../config/persona-file.ts';
import type { PersonaFile } from '../../config/types.ts';
import { type Change, planChange } from '../../config/writing/change.ts';
import type { Setting } from '../../config/writing/settings.ts';
import { senderSettings } from '../../config/writing/settings.ts';

/** What of a persona is to become another; what is left out stays. */
interface PersonaEdit {
  readonly name: string | undefined;
  readonly address: string | undefined;
  readonly timezone: string | undefined;
  readonly language: string | undefined;
  /** By which it writes; null: none is named. */
  readonly mailbox?: string | null;
}

type Personas = { readonly live: Pick<LiveConfig, 'personas' | 'current'> };

/**
 * What of persona.json is to become another. The address before a new one stays as an alias: whoever answers an earlier mail
 * writes to it. Throws `usage` where nothing is asked for, `config_invalid` where the address is another persona's, or the
 * file is wrong.
 */
export function settingsOfEdit(
  { root, live }: Personas & { readonly root: string },
  id: string,
  wanted: PersonaEdit,
): readonly Setting[] {
  const { address } = wanted;
  if (address !== undefined) assertUnclaimed({ live }, address, id);
  if (Object.values(wanted).every((one) => one === undefined)) {
    throw new EngineError('usage', 'say what to change, such as --address');
  }
  const before = presentPersona(root, id);
  const aliases = [...new Set([...before.aliases, before.address])].filter((one) => one !== address);
  const isMoved = address !== undefined && address !== before.address;
  const { mailboxes } = live.current().gateway;
  // Where two could be from now on, the one by which it has written so far.
  const moved = isMoved ? [{ id, file: { ...before, address, aliases } }] : [];
  const used = senderSettings(moved, { before: mailboxes, after: mailboxes });
  const settled = wanted.mailbox === undefined && used.length > 0 ? mailboxToSendBy(mailboxes, before) : undefined;
  const mailbox = wanted.mailbox === undefined ? (settled ?? undefined) : wanted.mailbox;
  return Object.entries({ ...wanted, aliases: isMoved ? aliases : undefined, mailbox }).flatMap(([key, to]) =>
    to === undefined ? [] : [{ file: personaFileOf(id), path: [key], to: to === null ? undefined : to }],
  );
}

/** Writes it into persona.json. Throws as `settingsOfEdit` and `planChange` do. */
export const editPersona = (workspace: Personas & { readonly root: string }, id: string, wanted: PersonaEdit): void =>
  planChange(workspace.root, { settings: settingsOfEdit(workspace, id, wanted) }).write();

/**
 * Throws `config_invalid` where another persona has this very address. One that it gets only with a tag behind `+` is free:
 * an exact address comes first in routing.
 */
export function assertUnclaimed(
  { live }: { readonly live: Pick<LiveConfig, 'personas'> },
  address: string,
  id: string | null,
): void {
  const rival = live.personas().byAddress(address);
  if (rival === undefined || rival.id === id) return;
  const claimed = rival.state === 'ready' ? [rival.persona.address, ...rival.persona.aliases] : rival.addresses;
  const key = addressKey(address);
  if (!claimed.some((one) => addressKey(one) === key)) return;
  throw new EngineError('config_invalid', isOfAnother(address, rival.id));
}

interface AccessRule {
  readonly pattern: string;
  readonly list: 'allow' | 'deny';
}

/** Lets whoever fits the pattern write to the persona, or refuses them. Throws as `editPersona` does. */
export const setAccess = (root: string, id: string, rule: AccessRule): void => planAccess(root, id, rule).write();

/** The same, to be written by whoever has put it on record. Throws as `editPersona` does. */
export function planAccess(root: string, id: string, rule: AccessRule): Change {
  const { pattern, list } = rule;
  const other = list === 'allow' ? 'deny' : 'allow';
  const isSame = (one: string) => one.toLowerCase() === pattern.toLowerCase();
  const { access } = presentPersona(root, id);
  const file = personaFileOf(id);
  const settings: readonly Setting[] = [
    { file, path: ['access', list], to: [...access[list].filter((one) => !isSame(one)), pattern] },
    ...(access[other].some(isSame)
      ? [{ file, path: ['access', other], to: access[other].filter((one) => !isSame(one)) }]
      : []),
  ];
  return planChange(root, { settings });
}

/** On which lists of the persona such a rule stands. Throws `config_invalid`. */
export function listsWith(root: string, id: string, pattern: string): readonly ('allow' | 'deny')[] {
  const { access } = presentPersona(root, id);
  const isSame = (one: string) => one.toLowerCase() === pattern.toLowerCase();
  return (['allow', 'deny'] as const).filter((list) => access[list].some(isSame));
}

/** Takes such a rule from both lists, once it is written. Throws as `editPersona` does. */
export function planWithoutAccess(root: string, id: string, pattern: string): Change {
  const { access } = presentPersona(root, id);
  const settings = listsWith(root, id, pattern).map(
    (list): Setting => ({
      file: personaFileOf(id),
      path: ['access', list],
      to: access[list].filter((one) => one.toLowerCase() !== pattern.toLowerCase()),
    }),
  );
  return planChange(root, { settings });
}

/** The file of a persona as it stands. Throws `config_invalid` where it is wrong: nobody knows what it was to say. */
export function presentPersona(root: string, id: string): PersonaFile {
  const read = readPersona(root, id);
  if (read.state !== 'good') throw new EngineError('config_invalid', `${personaFileOf(id)} is wrong; mend it first`);
  return read.file;
}

export const isOfAnother = (address: string, persona: string): string =>
  `${address} is an address of the persona ${persona}; give another --address`;
