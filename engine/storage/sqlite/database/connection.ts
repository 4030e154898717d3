import type SQLite from 'better-sqlite3';
import {
  type CompiledQuery,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  Transaction,
} from 'kysely';
import { SqliteCompiler } from '../../dialect.ts';

const MAX_STATEMENTS = 400;

export interface Connection<Tables> {
  /** Statements outside transactions; each waits while a transaction is open. */
  readonly db: Kysely<Tables>;
  /**
   * Runs `work` between BEGIN IMMEDIATE and COMMIT, one at a time. A deferred BEGIN would fail with
   * SQLITE_BUSY_SNAPSHOT beside a second process, whatever busy_timeout says.
   */
  transaction(work: (trx: Transaction<Tables>) => Promise<void>): Promise<WrittenRows>;
}

export interface WrittenRows {
  readonly ms: CommitMs;
  /** Whether it may have changed any row. */
  readonly anything: boolean;
}

/** Time that COMMIT took, in ms, with the whole process standing still. */
export type CommitMs = number;

/**
 * Kysely builds and compiles the queries; they are run here. Its own way from a query to better-sqlite3, which never
 * waits for anything, takes eight promises, a mutex and a new statement each time: more than SQLite itself needs.
 * `onWrite`: called after each commit that may have changed a row, before anybody else hears of it.
 */
export function connect<Tables>(database: SQLite.Database, onWrite: () => void = () => {}): Connection<Tables> {
  const { run, hasWritten } = createRunner(database);
  let open: Promise<void> | null = null;

  const outside = new Executor(async (query) => {
    while (open !== null) await open;
    const result = run<never>(query);
    if (hasWritten()) onWrite();
    return result;
  });
  let isOver = true;
  const inside = new Executor(async (query) => {
    // A transaction that was kept beyond its end, or that the database has rolled back: each statement would commit by
    // itself.
    if (isOver) throw new Error('the transaction is over');
    try {
      return run(query);
    } catch (error) {
      isOver = !database.inTransaction;
      throw error;
    }
  });
  const dialect = dialectOf();
  const props = { config: { dialect }, driver: new DummyDriver(), dialect };
  const trx = new Transaction<Tables>({ ...props, executor: inside });

  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');

  const bracket = async (work: (trx: Transaction<Tables>) => Promise<void>): Promise<WrittenRows> => {
    begin.run();
    isOver = false;
    hasWritten();
    try {
      await work(trx);
      isOver = true;
      const began = performance.now();
      commit.run();
      const ms = performance.now() - began;
      const anything = hasWritten();
      if (anything) onWrite();
      return { ms, anything };
    } catch (error) {
      isOver = true;
      // A full disk makes SQLite roll back by itself; a second ROLLBACK would hide the first error.
      if (database.inTransaction) database.exec('rollback');
      throw error;
    }
  };

  return {
    db: new Kysely<Tables>({ ...props, executor: outside }),
    async transaction(work) {
      while (open !== null) await open;
      const ended = Promise.withResolvers<void>();
      open = ended.promise;
      try {
        return await bracket(work);
      } finally {
        open = null;
        ended.resolve();
      }
    },
  };
}

interface Prepared {
  readonly statement: SQLite.Statement<unknown[]>;
  readonly isReader: boolean;
  readonly isReadonly: boolean;
}

/** Keeps statements prepared: preparing costs more than running them. */
function createRunner(database: SQLite.Database) {
  const statements = new Map<string, Prepared>();
  let wrote = false;
  const prepare = (sql: string): Prepared => {
    const known = statements.get(sql);
    if (known) return known;
    // Lists of changing length make new texts for ever; a bound keeps that from being a leak.
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const statement = database.prepare<unknown[]>(sql);
    const prepared = { statement, isReader: statement.reader, isReadonly: statement.readonly };
    statements.set(sql, prepared);
    return prepared;
  };
  return {
    run<Row>(query: CompiledQuery): QueryResult<Row> {
      const { statement, isReader, isReadonly } = prepare(query.sql);
      wrote ||= !isReadonly;
      if (isReader) return { rows: statement.all(query.parameters) as Row[] };
      const { changes } = statement.run(query.parameters);
      return { numAffectedRows: BigInt(changes), rows: [] };
    },
    /** Whether a statement that writes was run since this was asked last. */
    hasWritten(): boolean {
      const since = wrote;
      wrote = false;
      return since;
    },
  };
}

type Run = <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>;

class Executor extends DefaultQueryExecutor {
  readonly #run: Run;

  constructor(run: Run) {
    super(new SqliteCompiler(), new SqliteAdapter(), {
      provideConnection: () => Promise.reject(new Error('connections are not handed out')),
    });
    this.#run = run;
  }

  override executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#run(query);
  }
}

const dialectOf = (): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteCompiler(),
});
