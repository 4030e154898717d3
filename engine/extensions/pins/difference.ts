import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import type { ListedTool } from '../mcp/listing.ts';

/** One tool of a server as its owner has seen it. The hashes count; the texts are for people. */
export interface Pin {
  readonly description_sha256: string;
  readonly schema_sha256: string;
  /** What the server said of its risk, which a setting may believe. */
  readonly only_reads: boolean;
  readonly destroys: boolean;
  readonly description: string;
  readonly schema: string;
}

/** The pinned tools of one server, by the server's own names. */
export type ServerPins = ReadonlyMap<string, Pin>;

/** Why a tool of a server that is listed, or was, cannot be used. */
export type Away = 'new' | 'changed' | 'removed' | 'lock';

/** One part of a tool, before and now; null: it is not there. */
interface Both<Part> {
  readonly before: Part | null;
  readonly now: Part | null;
}

export interface ToolChange {
  /** As the server calls it. */
  readonly name: string;
  readonly change: 'added' | 'changed' | 'removed';
  readonly description: Both<string>;
  /** JSON. */
  readonly schema: Both<string>;
  readonly only_reads: Both<boolean>;
  readonly destroys: Both<boolean>;
}

/** What is kept for people of a text: more than a model is ever shown of it. Every letter of it is in the hash. */
const MAX_DESCRIPTION = 4000;
const MAX_SCHEMA = 64 * 1024;

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()} [${text.length - most} characters more]`;

/** One for each listed tool: each run asks for it, and each call once more. */
const known = new WeakMap<ListedTool, Pin>();

/** What of a tool an owner is shown and answers for. */
export function pinOf(tool: ListedTool): Pin {
  const pin = known.get(tool) ?? makePin(tool);
  known.set(tool, pin);
  return pin;
}

function makePin({ description, inputSchema, onlyReads, destroys }: ListedTool): Pin {
  const schema = canonicalJson(inputSchema);
  return {
    description_sha256: sha256(canonicalJson(description)),
    schema_sha256: sha256(schema),
    only_reads: onlyReads,
    destroys,
    description: cut(description, MAX_DESCRIPTION),
    schema: cut(schema, MAX_SCHEMA),
  };
}

export const pinsOf = (listed: readonly ListedTool[]): ServerPins =>
  new Map(listed.map((tool) => [tool.name, pinOf(tool)]));

const isSame = (one: Pin, other: Pin): boolean =>
  one.description_sha256 === other.description_sha256 &&
  one.schema_sha256 === other.schema_sha256 &&
  one.only_reads === other.only_reads &&
  one.destroys === other.destroys;

/** Null: it is what its owner has seen. */
export function awayOf(name: string, now: Pin, pins: ServerPins | null): Extract<Away, 'new' | 'changed'> | null {
  const before = pins?.get(name);
  if (before === undefined) return 'new';
  return isSame(before, now) ? null : 'changed';
}

/** What is otherwise than it was pinned, by name; empty: nothing is. Pure. */
export function differenceOf(now: ServerPins, pinned: ServerPins | null): readonly ToolChange[] {
  const before: ServerPins = pinned ?? new Map();
  const names = [...new Set([...now.keys(), ...before.keys()])].sort();
  return names.flatMap((name): ToolChange[] => {
    const [was, is] = [before.get(name) ?? null, now.get(name) ?? null];
    if (was !== null && is !== null && isSame(was, is)) return [];
    const both = <Key extends keyof Pin>(key: Key): Both<Pin[Key]> => ({
      before: was?.[key] ?? null,
      now: is?.[key] ?? null,
    });
    return [
      {
        name,
        change: was === null ? 'added' : is === null ? 'removed' : 'changed',
        description: both('description'),
        schema: both('schema'),
        only_reads: both('only_reads'),
        destroys: both('destroys'),
      },
    ];
  });
}

/** Tells one list of tools from another, by what counts of each alone. */
export const hashOfPins = (pins: ServerPins): string =>
  sha256(
    canonicalJson(
      [...pins]
        .map(([name, { description_sha256, schema_sha256, only_reads, destroys }]) => [
          ...[name, description_sha256, schema_sha256, only_reads, destroys],
        ])
        .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
    ),
  );
