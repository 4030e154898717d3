import { type CompiledQuery, type Kysely, type QueryResult, type RawBuilder, sql } from 'kysely';

type Leaf = string | number | bigint | boolean | null | undefined | Uint8Array;

/** The arguments with an expression in the place of each value. */
export type Mirror<Arguments> = [Arguments] extends [Leaf]
  ? RawBuilder<Arguments>
  : { readonly [Key in keyof Arguments]: Mirror<Arguments[Key]> };

interface Compiles<Tables, Row> {
  compile(db: Kysely<Tables>): CompiledQuery<Row>;
}

/** Lists of changing length make new shapes for ever. */
const MAX_SHAPES = 100;

/**
 * A query that Kysely builds and compiles once for each shape of its arguments and that is then only run, with other
 * values: to build it takes longer than SQLite takes to run it. `build` sees no value, so it cannot decide by one; keys
 * whose value is undefined are not there.
 */
export function kept<Arguments extends object>() {
  return <Tables, Row>(build: (db: Kysely<Tables>, $: Mirror<Arguments>) => Compiles<Tables, Row>) => {
    const byShape = new Map<string, CompiledQuery<Row>>();
    return (db: Kysely<Tables>, given: Arguments): Promise<QueryResult<Row>> => {
      const values: unknown[] = [];
      const shape = flatten(given, values);
      let query = byShape.get(shape);
      if (!query) {
        if (byShape.size >= MAX_SHAPES) byShape.clear();
        query = build(db, mirrorOf(given, { next: 0 }) as Mirror<Arguments>).compile(db);
        byShape.set(shape, query);
      }
      const parameters = query.parameters.map((one) => (one instanceof Place ? values[one.index] : one));
      return db.executeQuery({ ...query, parameters });
    };
  };
}

class Place {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

const isLeaf = (value: unknown): boolean => typeof value !== 'object' || value === null || ArrayBuffer.isView(value);

/** Puts the values in order and returns what is left of the arguments without them. */
function flatten(given: unknown, values: unknown[]): string {
  if (isLeaf(given)) {
    values.push(given);
    return '';
  }
  let shape = '(';
  const parts = given as Record<string, unknown>;
  for (const key in parts) {
    const value = parts[key];
    if (value === undefined) continue;
    shape += key;
    if (isLeaf(value)) values.push(value);
    else shape += flatten(value, values);
    shape += ',';
  }
  return `${shape})`;
}

/** In the order of `flatten`. */
function mirrorOf(given: unknown, places: { next: number }): unknown {
  if (isLeaf(given)) return sql`${new Place(places.next++)}`;
  if (Array.isArray(given)) return given.map((one) => mirrorOf(one, places));
  const there = Object.entries(given as object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there.map(([key, value]) => [key, mirrorOf(value, places)]));
}
