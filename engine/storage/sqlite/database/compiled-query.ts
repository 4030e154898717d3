import { type CompiledQuery, type Kysely, type QueryResult, type RawBuilder, sql } from 'kysely';

type Leaf = string | number | bigint | boolean | null | undefined | Uint8Array;

/** The arguments with an expression in the place of each value. */
type Placeholders<Arguments> = [Arguments] extends [Leaf]
  ? RawBuilder<Arguments>
  : { readonly [Key in keyof Arguments]: Placeholders<Arguments[Key]> };

interface Compiles<Tables, Row> {
  compile(db: Kysely<Tables>): CompiledQuery<Row>;
}

/** Lists of changing length make new shapes for ever. */
const MAX_SHAPES = 100;

interface Built<Row> {
  readonly shape: readonly string[];
  readonly query: CompiledQuery<Row>;
  /** For each parameter of the query, the index of its value in the arguments; -1 for a value of the query itself. */
  readonly places: readonly number[];
}

/**
 * A query that Kysely builds and compiles once for each shape of its arguments and that is then only run, with other
 * values: to build it takes longer than SQLite takes to run it. `build` sees no value, so it cannot decide by one; keys
 * whose value is undefined are not there.
 */
export function compiledQuery<Arguments extends object>() {
  return <Tables, Row>(build: (db: Kysely<Tables>, $: Placeholders<Arguments>) => Compiles<Tables, Row>) => {
    const built: Built<Row>[] = [];
    const buildFor = (db: Kysely<Tables>, given: Arguments): Built<Row> => {
      const query = build(db, placeholdersFor(given, { next: 0 }) as Placeholders<Arguments>).compile(db);
      const places = query.parameters.map((each) => (each instanceof Parameter ? each.index : -1));
      const one = { shape: shapeOf(given), query, places };
      if (built.length >= MAX_SHAPES) built.length = 0;
      built.push(one);
      return one;
    };
    return (db: Kysely<Tables>, given: Arguments): Promise<QueryResult<Row>> => {
      const values: unknown[] = [];
      const isOf = ({ shape }: Built<Row>): boolean => {
        values.length = 0;
        return bindValues(given, shape, 0, values) === shape.length;
      };
      let one = built.find(isOf);
      if (!one) {
        one = buildFor(db, given);
        isOf(one);
      }
      const { query, queryId, sql, parameters: own } = one.query;
      const parameters = one.places.map((place, at) => (place < 0 ? own[at] : values[place]));
      // By the executor itself: the way through `executeQuery` is one more promise for each query.
      return db.getExecutor().executeQuery<Row>({ query, queryId, sql, parameters });
    };
  };
}

class Parameter {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

const isLeaf = (value: unknown): boolean => typeof value !== 'object' || value === null || ArrayBuffer.isView(value);

const OPEN = '(';
const CLOSE = ')';
const ITEM = ',';

/** The keys of the arguments in their order, with a bracket around those of each part. */
function shapeOf(given: unknown): string[] {
  if (isLeaf(given)) return [];
  if (Array.isArray(given)) return [OPEN, ...given.flatMap((one) => [ITEM, ...shapeOf(one)]), CLOSE];
  const there = Object.entries(given as object).filter(([, value]) => value !== undefined);
  return [OPEN, ...there.flatMap(([key, value]) => [key, ...shapeOf(value)]), CLOSE];
}

/**
 * Takes the values of arguments of this shape in their order; returns where in the shape they end, -1 where they have
 * another one. It compares key by key: to put a text together for each call took as long as all the rest here.
 */
function bindValues(given: unknown, shape: readonly string[], from: number, values: unknown[]): number {
  if (isLeaf(given)) {
    values.push(given);
    return from;
  }
  if (shape[from] !== OPEN) return -1;
  const end = Array.isArray(given)
    ? bindList(given, shape, from + 1, values)
    : bindObject(given as Record<string, unknown>, shape, from + 1, values);
  return end >= 0 && shape[end] === CLOSE ? end + 1 : -1;
}

function bindObject(parts: Record<string, unknown>, shape: readonly string[], from: number, values: unknown[]): number {
  let at = from;
  for (const key in parts) {
    const value = parts[key];
    if (value === undefined) continue;
    if (shape[at] !== key) return -1;
    at = bindValues(value, shape, at + 1, values);
    if (at < 0) return -1;
  }
  return at;
}

/** By index: the keys of a list would be texts that are made for each look. */
function bindList(items: readonly unknown[], shape: readonly string[], from: number, values: unknown[]): number {
  let at = from;
  for (const item of items) {
    if (shape[at] !== ITEM) return -1;
    at = bindValues(item, shape, at + 1, values);
    if (at < 0) return -1;
  }
  return at;
}

/** In the order of `bindValues`. */
function placeholdersFor(given: unknown, parameters: { next: number }): unknown {
  if (isLeaf(given)) return sql`${new Parameter(parameters.next++)}`;
  if (Array.isArray(given)) return given.map((one) => placeholdersFor(one, parameters));
  const there = Object.entries(given as object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there.map(([key, value]) => [key, placeholdersFor(value, parameters)]));
}
