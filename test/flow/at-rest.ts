import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import SQLite from 'better-sqlite3';

/**
 * Mail whose first try has not ended, and jobs that were due when something last happened to a run. A mail that is being
 * sent stands in no folder yet.
 */
const FIRST_TRIES = `
  select (select count(*) from outbox where state in ('queued', 'sending') and attempts = 0)
    + (select count(*) from jobs where attempts = 0 and due_at <= (select coalesce(max(at), 0) from run_events))`;

/**
 * Resolves when the gateway has tried all that follows from what has happened, since that is done a moment later; after
 * `atMostMs` in any case: some of it may have to wait for longer.
 */
export async function atRest(root: string, atMostMs = 20_000): Promise<void> {
  const late = performance.now() + atMostMs;
  while (firstTries(root) > 0 && performance.now() < late) await pause(20);
}

function firstTries(root: string): number {
  const personas = join(root, 'data/personas');
  const paths = (existsSync(personas) ? readdirSync(personas) : []).map((id) => join(personas, id, 'persona.db'));
  return paths
    .filter((path) => existsSync(path))
    .reduce((sum, path) => {
      const database = new SQLite(path, { readonly: true });
      try {
        // It is made while this looks.
        if (!database.prepare("select 1 from sqlite_schema where name = 'outbox'").get()) return sum;
        return sum + Number(database.prepare<[], number>(FIRST_TRIES).pluck().get());
      } finally {
        database.close();
      }
    }, 0);
}
