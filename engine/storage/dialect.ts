import {
  type OperationNode,
  PostgresQueryCompiler,
  type RawBuilder,
  type RawNode,
  SqliteQueryCompiler,
  sql,
} from 'kysely';

// What SQLite and PostgreSQL write otherwise, and all of it: a statement is written once, and where the two differ it has a
// part from here, which has both texts. Full text has them in `search/full-text.ts`. SQLite is the engine that runs; a test
// prepares every statement in a real PostgreSQL, over tables that were made of the same migrations.

type Part = RawBuilder<unknown>;

const inPostgres = new WeakMap<OperationNode, OperationNode>();

/** What PostgreSQL has in the place of a part. */
export const postgresNode = (node: OperationNode): OperationNode => inPostgres.get(node) ?? node;

/** A part of a statement that has another text for PostgreSQL. */
export function byEngine<Value>(sqlite: RawBuilder<Value>, postgres: Part): RawBuilder<Value> {
  inPostgres.set(sqlite.toOperationNode(), postgres.toOperationNode());
  return sqlite;
}

/**
 * A plain `?` beside an ORDER BY, in a LIMIT or on a column of a partial index lets SQLite look at the value for a
 * better plan, and so prepare the statement anew at every execution, which takes ten times as long as to run it. Behind
 * a plus, which changes nothing else, it does not look. What a partial index is to be found by has to be a literal.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

export class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const other = postgresNode(node);
    if (other === node) super.visitRaw(node);
    else this.visitNode(other);
  }
}

/** The texts of a JSON list as rows, each with its `value` and its `key` from 0 on. */
export const eachText = (list: unknown, name: string) =>
  byEngine(
    sql`json_each(${list}) ${sql.raw(name)}`,
    sql`(select value, place - 1 as key
      from jsonb_array_elements_text(cast(${list} as jsonb)) with ordinality as listed(value, place)) ${sql.raw(name)}`,
  );

/** The same of whole numbers. */
export const eachNumber = (list: unknown, name: string) =>
  byEngine(
    sql`json_each(${list}) ${sql.raw(name)}`,
    sql`(select cast(value as bigint) as value, place - 1 as key
      from jsonb_array_elements_text(cast(${list} as jsonb)) with ordinality as listed(value, place)) ${sql.raw(name)}`,
  );

/** Between a list and what is looked up by it: SQLite then goes through the list and looks each up, whatever it knows of either. */
export const lookingUp = byEngine(sql`cross join`, sql`join`);

/** In the order of a list that was looked up so. SQLite keeps it by itself, and an order would have it read all of it. */
export const inOrderOf = (name: string) => byEngine(sql``, sql`order by ${sql.ref(`${name}.key`)}`);

/** SQLite is told which index it has to take; PostgreSQL finds it. */
export const indexedBy = (index: string) => byEngine(sql`indexed by ${sql.raw(index)}`, sql``);

/** Of two numbers that are both there. */
export const greatest = (a: unknown, b: unknown) => byEngine(sql<number>`max(${a}, ${b})`, sql`greatest(${a}, ${b})`);
export const least = (a: unknown, b: unknown) => byEngine(sql<number>`min(${a}, ${b})`, sql`least(${a}, ${b})`);

/** A condition as the number that is read: 1 or 0. */
export const asFlag = (condition: unknown) =>
  byEngine(sql<number>`${condition}`, sql`case when ${condition} then 1 else 0 end`);

/** A value of which nothing else says the type. */
export const asText = (value: unknown) => byEngine(sql<string>`${value}`, sql`cast(${value} as text) collate "C"`);
export const asNumber = (value: unknown) => byEngine(sql<number>`${value}`, sql`cast(${value} as bigint)`);
export const asReal = (value: unknown) => byEngine(sql<number>`${value}`, sql`cast(${value} as double precision)`);

export const contains = (text: unknown, part: unknown) =>
  byEngine(sql<boolean>`instr(${text}, ${part}) > 0`, sql`strpos(${text}, ${part}) > 0`);

export const endsWith = (text: unknown, end: unknown) =>
  byEngine(sql<boolean>`substr(${text}, -length(${end})) = ${end}`, sql`right(${text}, length(${end})) = ${end}`);

/** Whether letters of ASCII are small or not makes no difference. `\` takes the meaning of `%` and `_` away. */
export const isLike = (text: unknown, pattern: unknown) =>
  byEngine(sql<boolean>`${text} like ${pattern} escape '\\'`, sql`${text} ilike ${pattern} escape '\\'`);

/** Values of many rows as one text, with a comma or what is given between them. */
export const joined = (value: unknown, between: ',' | '\n' = ',') =>
  byEngine(
    between === ',' ? sql<string | null>`group_concat(${value})` : sql<string | null>`group_concat(${value}, char(10))`,
    sql`string_agg(cast(${value} as text), ${sql.lit(between)})`,
  );

export const joinedOnce = (value: unknown) =>
  byEngine(sql<string | null>`group_concat(distinct ${value})`, sql`string_agg(distinct ${value}, ',')`);

/** What stands in a JSON text, by its way from the top. */
export const jsonText = (json: unknown, ...path: readonly (string | number)[]) =>
  byEngine(
    sql<string | null>`json_extract(${json}, ${sql.lit(pathOf(path))})`,
    sql`(cast(${json} as jsonb) #>> ${sql.lit(`{${path.join(',')}}`)}) collate "C"`,
  );

export const jsonNumber = (json: unknown, ...path: readonly (string | number)[]) =>
  byEngine(
    sql<number | null>`json_extract(${json}, ${sql.lit(pathOf(path))})`,
    sql`cast(cast(${json} as jsonb) #>> ${sql.lit(`{${path.join(',')}}`)} as bigint)`,
  );

/** Whether it is `false` there; null where nothing is. */
export const jsonIsFalse = (json: unknown, ...path: readonly (string | number)[]) =>
  byEngine(
    sql<boolean>`json_extract(${json}, ${sql.lit(pathOf(path))}) = 0`,
    sql`cast(${json} as jsonb) #>> ${sql.lit(`{${path.join(',')}}`)} = 'false'`,
  );

const pathOf = (path: readonly (string | number)[]): string =>
  `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`;

/** Two values of many rows as one JSON object. */
export const jsonObjectOf = (key: unknown, value: unknown) =>
  byEngine(sql<string>`json_group_object(${key}, ${value})`, sql`cast(json_object_agg(${key}, ${value}) as text)`);

/** Rows as one JSON list of lists, in an order. */
export const jsonListsOf = (values: readonly unknown[], order: unknown) =>
  byEngine(
    sql<string>`json_group_array(json_array(${sql.join(values)}) order by ${order})`,
    sql`coalesce(cast(json_agg(json_build_array(${sql.join(values)}) order by ${order}) as text), '[]')`,
  );

/** In the place of a statement that PostgreSQL has no need of. */
export const NOTHING: Part = sql`select`;

/** From here on what is deleted is overwritten, or not any more. PostgreSQL has to vacuum for that. */
export const overwriteDeleted = (isOn: boolean) =>
  byEngine(isOn ? sql`pragma secure_delete = on` : sql`pragma secure_delete = off`, NOTHING);

export const emptyLog = byEngine(sql`pragma wal_checkpoint(truncate)`, NOTHING);

/**
 * The statements that leave of a table what has the condition. SQLite writes the table anew: its pages hold copies of rows
 * that were moved, which no deletion reaches.
 */
export function leaveOnly(name: string, condition: RawBuilder<boolean>): readonly Part[] {
  const table = sql.table(name);
  const kept = sql.table(`kept_${name}`);
  return [
    byEngine(
      sql`create temporary table ${kept} as select * from ${table} where ${condition}`,
      sql`delete from ${table} where not (${condition})`,
    ),
    byEngine(sql`delete from ${table}`, NOTHING),
    byEngine(sql`insert into ${table} select * from ${kept}`, NOTHING),
    byEngine(sql`drop table ${kept}`, NOTHING),
  ];
}

/** Another number when another process has written. */
export const dataVersion = byEngine(
  sql<number>`(select data_version from pragma_data_version)`,
  sql`txid_snapshot_xmax(txid_current_snapshot())`,
);

/** How many rows this connection has changed. */
export const changesSoFar = byEngine(sql<number>`total_changes()`, sql`0`);

/** How many pages of the file hold nothing, and how long a page is. PostgreSQL gives them back by itself. */
export const freePages = byEngine(
  sql<{ free: number; size: number }>`select (select freelist_count from pragma_freelist_count()) as free,
    (select page_size from pragma_page_size()) as size`,
  sql`select 0 as free, 8192 as size`,
);

export const zeros = (bytes: number) =>
  byEngine(sql<Uint8Array>`zeroblob(${bytes})`, sql`decode(repeat('00', cast(${bytes} as integer)), 'hex')`);

/** The types of columns: a whole number has 64 bits in both, a text is ordered by its bytes in both. */
const TYPES: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: 'bigint',
  real: 'double precision',
  blob: 'bytea',
};

/**
 * A migration for PostgreSQL. What it does with rows is left out: a new database has none, and there is no database on
 * PostgreSQL that was made by the migrations before.
 */
export function schemaInPostgres(migration: string): string {
  return statementsOf(migration)
    .filter((statement) => !/^(insert|update|delete|pragma|create (?:temp )?view|drop view)\b/.test(statement))
    .map((statement) => `${tableOf(statement) ?? triggerOf(statement) ?? columnsOf(statement)};`)
    .join('\n');
}

/** Those of a trigger stand within it. */
function statementsOf(migration: string): string[] {
  const statements: string[] = [];
  for (const part of migration.split(';')) {
    const last = statements.at(-1);
    if (last !== undefined && /^create trigger\b/.test(last) && !/\bend$/.test(last)) {
      statements.splice(-1, 1, `${last};${part.trimEnd()}`);
    } else if (part.trim() !== '') {
      statements.push(part.trim());
    }
  }
  return statements;
}

const columnsOf = (statement: string): string =>
  statement
    .replace(/\)\s*strict(, without rowid)?$/, ')')
    .replace(/\binteger primary key( autoincrement)?/g, 'bigint generated by default as identity primary key')
    .replace(
      /([(,]\s*|\badd column )(\w+) (text|integer|real|blob)\b/g,
      (_, before, name, type) => `${before}${name} ${TYPES[type]}`,
    )
    .replace(/^drop trigger (\w+)$/, 'drop function $1() cascade');

/** A full-text index: of each column its words, and those of all together. */
function tableOf(statement: string): string | undefined {
  const [, name, inside = ''] = /^create virtual table (\w+) using fts5\((.*)\)$/s.exec(statement) ?? [];
  if (name === undefined) return undefined;
  const columns = inside
    .split(',')
    .map((column) => column.trim())
    .filter((column) => /^\w+$/.test(column));
  return `create table ${name} (
  rowid bigint primary key,
  ${columns.map((column) => `${column} tsvector not null default ''`).join(',\n  ')},
  words tsvector generated always as (${columns.join(' || ')}) stored
);
create index ${name}_words on ${name} using gin(words)`;
}

function triggerOf(statement: string): string | undefined {
  const [head = '', ...rest] = statement.split(/\bbegin\b/);
  const [, name, event, condition] = /^create trigger (\w+) (after delete on \w+)\s+(?:when (.*))?$/s.exec(head) ?? [];
  if (name === undefined) return undefined;
  const body = rest.join('begin').replace(/\bend$/, '');
  const guarded = condition === undefined ? body : `if ${condition} then ${body} end if;`;
  return `create function ${name}() returns trigger language plpgsql as $$ begin ${guarded} return old; end $$;
create trigger ${name} ${event} for each row execute function ${name}()`;
}
