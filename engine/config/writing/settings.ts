import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#contract';
import { jsonObject } from '../../lib/json.ts';
import { type Box, mailboxesToSendBy, mailboxToSendBy, type WhoeverSends } from '../mailboxes/sending-mailbox.ts';
import { personaFileOf } from '../persona-file.ts';

/** Where a setting stands in its file. In lists whose entries have names, by the name: `mailboxes`, `main`, `imap`. */
export type SettingPath = readonly (string | number)[];

/** What a setting is to be. */
export interface Setting {
  /** Relative to the workspace, such as `configs/gateway.json`. */
  readonly file: string;
  readonly path: SettingPath;
  /** undefined: it is taken out, and its default is in force. */
  readonly to: Json | undefined;
}

/** One setting that becomes another; undefined: it does not stand in the file. */
export interface SettingChange extends Setting {
  readonly from: Json | undefined;
}

/** The dotted key of a change, for people: `mailboxes.main.imap.authserv_id`. */
export const keyOf = ({ path }: Pick<Setting, 'path'>): string => path.join('.');

/** Pure. Where an entry of a list stands; -1: there is none. */
const placeIn = (list: string, entries: readonly Json[], key: string | number): number =>
  typeof key === 'number' ? key : entries.findIndex((one) => identityOf(list, one) === key);

/** Pure. What stands at `path`; undefined where nothing does. */
export function settingAt(value: Json | undefined, path: SettingPath, list = ''): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined || value === undefined) return value;
  if (Array.isArray(value)) return settingAt(value[placeIn(list, value, key)], rest);
  const object = jsonObject.safeParse(value).data;
  return object && Object.hasOwn(object, key) ? settingAt(object[key], rest, String(key)) : undefined;
}

/**
 * Pure. `value` with what stands at `path` replaced, or taken out; objects on the way are made where they are missing, and
 * so are entries of lists that have names.
 */
export function withSetting(
  value: Json | undefined,
  path: SettingPath,
  to: Json | undefined,
  list = '',
): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  // Nothing is made on the way to what is taken out.
  if (value === undefined && to === undefined) return undefined;
  if (typeof key === 'number' || Array.isArray(value) || (knownBy(list) !== null && value === undefined)) {
    return withEntry(Array.isArray(value) ? value : [], { list, key, rest, to });
  }
  const object = jsonObject.safeParse(value).data ?? {};
  const inside = withSetting(Object.hasOwn(object, key) ? object[key] : undefined, rest, to, key);
  if (inside !== undefined) return { ...object, [key]: inside };
  if (!Object.hasOwn(object, key)) return value;
  return Object.fromEntries(Object.entries(object).filter(([one]) => one !== key));
}

function withEntry(
  entries: readonly Json[],
  { list, key, rest, to }: { list: string; key: string | number; rest: SettingPath; to: Json | undefined },
): Json {
  const at = placeIn(list, entries, key);
  const before = entries[at];
  if (before === undefined) {
    const name = knownBy(list);
    if (typeof key === 'number' || name === null || to === undefined) return [...entries];
    return [...entries, withSetting({ [name]: key }, rest, to) ?? null];
  }
  const name = knownBy(list);
  // An extension that stands there by its name alone gets settings.
  const whole = typeof before === 'string' && name !== null && rest.length > 0 ? { [name]: before } : before;
  const after = withSetting(whole, rest, to);
  return entries.flatMap((one, index) => (index !== at ? [one] : after === undefined ? [] : [after]));
}

/** Pure. What differs between two versions of a file, key by key; the schema that a file names is no setting. */
export function settingChanges(file: string, before: Json | undefined, after: Json): readonly SettingChange[] {
  return differences(before ?? {}, after, []).flatMap((one) =>
    one.path.length === 1 && one.path[0] === '$schema' ? [] : [{ file, ...one }],
  );
}

type Difference = Omit<SettingChange, 'file'>;

function differences(from: Json | undefined, to: Json | undefined, path: SettingPath): readonly Difference[] {
  if (isDeepStrictEqual(from, to)) return [];
  const [before, after] = [jsonObject.safeParse(from).data, jsonObject.safeParse(to).data];
  if (before && after) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const own = (object: typeof before, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined);
    return keys.flatMap((key) => differences(own(before, key), own(after, key), [...path, key]));
  }
  const list = String(path.at(-1) ?? '');
  if (Array.isArray(from) && Array.isArray(to)) {
    const [had, has] = [namesIn(list, from), namesIn(list, to)];
    const kept = (names: readonly string[], others: readonly string[]) => names.filter((one) => others.includes(one));
    // In another order it is another list: of it the whole is told.
    if (had && has && isDeepStrictEqual(kept(had, has), kept(has, had))) {
      return [...new Set([...had, ...has])].flatMap((name) =>
        differences(from[had.indexOf(name)], to[has.indexOf(name)], [...path, name]),
      );
    }
  }
  return [{ path, from, to }];
}

/** The names of all entries; null where one has none, or two have the same. */
function namesIn(list: string, entries: readonly Json[]): readonly string[] | null {
  const names = entries.flatMap((one) => identityOf(list, one) ?? []);
  return names.length === entries.length && new Set(names).size === names.length ? names : null;
}

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
const knownBy = (list: string): string | null => (Object.hasOwn(KNOWN_BY, list) ? (KNOWN_BY[list] ?? null) : null);

/** Pure. The name of an entry of a list; an extension may stand there by its name alone. Null where it has none. */
export function identityOf(list: string, entry: Json): string | null {
  const key = knownBy(list);
  if (key === null) return null;
  const name = typeof entry === 'string' ? entry : jsonObject.safeParse(entry).data?.[key];
  return typeof name === 'string' ? name : null;
}

/**
 * Pure. What has to be written down of personas when the mailboxes become others: of those for which two could be from then
 * on, the one by which they have sent so far. `before` and `after` may be the same: then it was never written down.
 */
export function senderSettings(
  personas: Iterable<{ readonly id: string; readonly file: WhoeverSends }>,
  { before, after }: { readonly before: readonly Box[]; readonly after: readonly Box[] },
): readonly Setting[] {
  return [...personas].flatMap(({ id, file }) => {
    const could = mailboxesToSendBy(after, file);
    if (could.length < 2) return [];
    const used = mailboxToSendBy(before, file);
    const to = used !== null && could.includes(used) ? used : could[0];
    return to === undefined ? [] : [{ file: personaFileOf(id), path: ['mailbox'], to }];
  });
}
