import type { Json } from '#contract';
import { jsonObject } from '../../lib/json.ts';

/** By the key of a list, what tells its entries apart: no setting has a meaning by its place in a list. */
const KNOWN_BY: Readonly<Record<string, string>> = {
  mailboxes: 'id',
  owners: 'address',
  trusted_relays: 'ip',
  providers: 'name',
  tools: 'name',
  resolvers: 'name',
  hooks: 'name',
  mcp: 'name',
};

/** Pure. The key by which entries of this list are known; null: of a list without names. */
export const knownBy = (list: string): string | null =>
  Object.hasOwn(KNOWN_BY, list) ? (KNOWN_BY[list] ?? null) : null;

/** Pure. The name of an entry of a list; an extension may stand there by its name alone. Null where it has none. */
export function identityOf(list: string, entry: Json): string | null {
  const key = knownBy(list);
  if (key === null) return null;
  const name = typeof entry === 'string' ? entry : jsonObject.safeParse(entry).data?.[key];
  return typeof name === 'string' ? name : null;
}
