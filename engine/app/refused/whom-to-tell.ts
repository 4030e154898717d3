import type { Persona, SecurityConfig } from '../../config/types.ts';
import { standingOf } from '../../mail/access.ts';
import type { NewlyRefused } from '../../storage/types/gateway.ts';

/** What one owner is told of: by one of the personas that are theirs. */
export interface RefusedDigest {
  readonly owner: string;
  readonly by: Persona;
  /** Whether they own it, so that their answer counts; else they are told as the administrator. */
  readonly isAnswerable: boolean;
  /** Proven, and let in by nobody. */
  readonly unlisted: readonly NewlyRefused[];
  /** A rule lets them in, and nothing proves that it was them. */
  readonly unproven: readonly NewlyRefused[];
}

/**
 * One digest for each owner of whose personas mail was refused that may be a person's. Lists, machines and bounces are
 * recorded and not refused; what claims to be from nobody whom a rule names, and proves nothing, is left out, since any
 * spam does. Pure.
 */
export function whomToTell(
  rows: readonly NewlyRefused[],
  { personas, access, admin }: Given,
): readonly RefusedDigest[] {
  const byId = new Map(personas.map((persona) => [persona.id, persona]));
  const told = rows.flatMap((row) => {
    const persona = byId.get(row.persona_id);
    if (!persona) return [];
    const standing = standingOf(row.from_address, persona, access);
    const isMeant =
      row.code === 'sender_not_allowed' ? standing === null : standing === 'owner' || standing === 'member';
    return isMeant ? ownersOf(persona, admin).map((owner) => ({ owner, persona, row })) : [];
  });
  return [...Map.groupBy(told, ({ owner }) => owner)].flatMap(([owner, found]) => {
    const personas = found.map(({ persona }) => persona).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const owned = personas.find(({ owners }) => owners.includes(owner));
    const by = owned ?? personas[0];
    if (!by) return [];
    const isAnswerable = owned !== undefined;
    const rowsOf = (code: NewlyRefused['code']) => found.flatMap(({ row }) => (row.code === code ? [row] : []));
    return [{ owner, by, isAnswerable, unlisted: rowsOf('sender_not_allowed'), unproven: rowsOf('auth_failed') }];
  });
}

interface Given {
  readonly personas: readonly Persona[];
  readonly access: Pick<SecurityConfig['gateway_access'], 'allow' | 'deny'>;
  /** Who hears of personas without an owner. */
  readonly admin: string | null;
}

const ownersOf = ({ owners }: Persona, admin: string | null): readonly string[] =>
  owners.length > 0 || admin === null ? [...new Set(owners)] : [admin];
