import type SQLite from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/**
 * Kysely's SQLite dialect with two differences: prepared statements are kept (the stock one prepares each time,
 * which costs more than the statement), and a transaction begins IMMEDIATE (a deferred one fails with
 * SQLITE_BUSY_SNAPSHOT beside a second process, whatever busy_timeout says).
 */
export function cachingSqliteDialect(database: SQLite.Database): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new CachingDriver(database),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

const MAX_STATEMENTS = 400;
const begin = CompiledQuery.raw('begin immediate');
const commit = CompiledQuery.raw('commit');
const rollback = CompiledQuery.raw('rollback');

class CachingDriver implements Driver {
  readonly #connection: CachingConnection;
  readonly #database: SQLite.Database;

  constructor(database: SQLite.Database) {
    this.#database = database;
    this.#connection = new CachingConnection(database);
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    await this.#connection.executeQuery(begin);
  }
  async commitTransaction(): Promise<void> {
    await this.#connection.executeQuery(commit);
  }
  async rollbackTransaction(): Promise<void> {
    // A full disk makes SQLite roll back by itself; a second ROLLBACK would hide the first error.
    if (this.#database.inTransaction) await this.#connection.executeQuery(rollback);
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {
    this.#database.close();
  }
}

class CachingConnection implements DatabaseConnection {
  readonly #database: SQLite.Database;
  readonly #statements = new Map<string, SQLite.Statement<unknown[]>>();

  constructor(database: SQLite.Database) {
    this.#database = database;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#prepare(query.sql);
    if (statement.reader) return { rows: statement.all(query.parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(query.parameters);
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
  }

  // biome-ignore lint/correctness/useYield: the interface wants a generator, and nothing here streams.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('streaming is not used');
  }

  #prepare(sql: string): SQLite.Statement<unknown[]> {
    const known = this.#statements.get(sql);
    if (known) return known;
    // Lists of changing length make new texts for ever; a bound keeps that from being a leak.
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const statement = this.#database.prepare<unknown[]>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
