import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresCompiler, schemaInPostgres } from '../../engine/storage/dialect.ts';
import { personaMigrations } from '../../engine/storage/schema/persona.ts';
import { gatewayMigrations } from '../../engine/storage/sqlite/gateway/migrations.ts';
import { openGatewayStore } from '../../engine/storage/sqlite/gateway/store.ts';
import { openStore } from '../../engine/storage/sqlite/persona/store.ts';
import { type Postgres, startPostgres } from '../lab/postgres.ts';
import { conformance } from '../storage/conformance.ts';
import type { StorageEngine } from '../storage/engine.ts';
import { otherOperations } from '../storage/other-operations.ts';
import { collectStatements, rawPiecesOf, writtenInStorage } from '../storage/statements.ts';

// PostgreSQL is not switched on for anybody. What is shown here is that each statement of the store is one that it takes, over
// tables that were made of the same migrations.

const { statements, begun } = collectStatements();

const folder = mkdtempSync(join(tmpdir(), 'epistle-statements-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fileOf = (name: string | undefined): string => (name === undefined ? ':memory:' : join(folder, `${name}.db`));

const sqlite: StorageEngine = {
  openStore: async (name) => openStore(fileOf(name)),
  openGateway: async (name) => openGatewayStore(fileOf(name)),
};
conformance('SQLite, whose statements are collected', sqlite);
otherOperations(sqlite);
// What takes more rows than a promise needs.
await import('../engine/delivery/gathered-notices.test.ts');
await import('../engine/dispatch/schedule/schedule.test.ts');
await import('../engine/harness/delegation/asked.test.ts');
await import('../engine/learning/refine/refine-job.test.ts');
await import('../engine/memory/forgotten-everywhere.test.ts');
await import('../engine/storage/sweep-unnamed.test.ts');

describe('every statement of the store', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
    const made = [...madeOf('persona', personaMigrations), ...madeOf('gateway', gatewayMigrations)];
    const { errors } = await postgres.script(['set client_min_messages = warning;', ...made].join('\n'));
    expect(errors).toBe('');
  });
  afterAll(() => postgres?.stop());

  const inSchemas = ['set search_path = persona, gateway;'];
  const madeOf = (name: string, migrations: readonly string[]) => [
    `create schema ${name};`,
    `set search_path = ${name};`,
    ...migrations.map(schemaInPostgres),
  ];
  const inPostgres = () => {
    const compiler = new PostgresCompiler();
    return [...statements.values()].map(({ node, queryId }) =>
      compiler.compileQuery(node, queryId).sql.replaceAll(/\s*\n\s*/g, ' '),
    );
  };

  it('was collected, wherever the code begins one and whatever it adds to it', () => {
    const { places, pieces } = writtenInStorage();
    const collected = new Set([...statements.values()].flatMap(({ node }) => rawPiecesOf(node)));
    expect({
      notBegun: places.filter((place) => !begun.has(place)),
      notAdded: pieces.filter(({ text }) => !collected.has(text)).map(({ place, text }) => `${place}: ${text}`),
    }).toEqual({ notBegun: [], notAdded: [] });
  });

  it('is prepared by a real PostgreSQL', async () => {
    const prepared = inPostgres().map((sql, at) => `prepare s${at} as ${sql};`);
    const counted = 'select count(*) from pg_prepared_statements;';
    const { printed, errors } = await postgres.script([...inSchemas, ...prepared, counted].join('\n'));
    expect({ errors, prepared: Number(printed) }).toEqual({ errors: '', prepared: statements.size });
  });

  it('gives the same columns there, and none of true or false, which SQLite has numbers for', async () => {
    const all = inPostgres();
    const described = all.map((sql, at) => `\\echo #${at}\n${sql} \\gdesc`);
    const { printed, errors } = await postgres.script([...inSchemas, ...described].join('\n'));
    expect(errors).toBe('');
    const columns: string[][][] = [];
    for (const line of printed.split('\n')) {
      if (/^#\d+$/.test(line)) columns.push([]);
      else if (line.includes('|')) columns.at(-1)?.push(line.split('|'));
    }
    const others = [...statements.keys()].flatMap((sql, at) => {
      // It has no need of it.
      if (all[at] === 'select') return [];
      const found = columns[at] ?? [];
      const names = found.map(([name]) => name);
      const isSame = JSON.stringify(names) === JSON.stringify(namesInSqlite(sql));
      return isSame && found.every(([, type]) => type !== 'boolean') ? [] : [{ sql, found }];
    });
    expect(others).toEqual([]);
  });
});

/** One database with the tables of both, of which no name is that of another. */
const database = new SQLite(':memory:');
afterAll(() => database.close());
for (const migration of [...personaMigrations, ...gatewayMigrations]) database.exec(migration);

function namesInSqlite(sql: string): string[] {
  // A table that is there for a moment.
  if (/^(insert into|drop table) .*"kept_(?!mail")/.test(sql)) return [];
  const statement = database.prepare(sql);
  return statement.reader ? statement.columns().map(({ name }) => name) : [];
}
