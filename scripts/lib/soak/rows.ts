import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import type { Sent } from './sender.ts';

/** Takes down a broken promise. */
export type Say = (problem: string) => void;

export const folderOf = (root: string, persona: string) => join(root, 'data/personas', persona);

function databases(root: string): string[] {
  const personas = join(root, 'data/personas');
  const found = existsSync(personas) ? readdirSync(personas).map((id) => join(personas, id, 'persona.db')) : [];
  return [join(root, 'data/gateway.db'), ...found].filter((file) => existsSync(file));
}

export function look<Result>(file: string, work: (database: SQLite.Database) => Result): Result {
  const database = new SQLite(file, { readonly: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const count = (database: SQLite.Database, query: string, ...values: unknown[]): number =>
  Number(
    database
      .prepare(query)
      .pluck()
      .get(...values),
  );

/**
 * Work that a running gateway would still do. `unknown` mail waits ten minutes, so it is counted only on demand; a
 * notice about what came within the hour waits for its end, and is never counted.
 */
export function openWork(root: string, withUnknown: boolean): number {
  const states = withUnknown ? `('queued', 'sending', 'unknown')` : `('queued', 'sending')`;
  return databases(root)
    .filter((file) => file.endsWith('persona.db'))
    .map((file) =>
      look(file, (database) =>
        count(
          database,
          `select (select count(*) from runs where status in ('queued', 'running')) +
             (select count(*) from outbox where state in ${states}) +
             (select count(*) from jobs where payload_json not like '{"gathered":%')`,
        ),
      ),
    )
    .reduce((sum, open) => sum + open, 0);
}

/** By Message-ID of a mail that the run of an earlier one answers: that one's. */
export function answeredWith(root: string, persona: string): ReadonlyMap<string, string> {
  return look(join(folderOf(root, persona), 'persona.db'), (database) => {
    const rows = database.prepare<[], { message_id: string; answered: string }>(
      `select m.message_id, r.message_id as answered from messages m join runs r on r.id = m.run_id
         where m.direction = 'in' and r.message <> m.id`,
    );
    return new Map(rows.all().map(({ message_id, answered }) => [message_id, answered]));
  });
}

/** Read-only look at every database: sound pages, no row that points nowhere. */
export function checkDatabases(root: string, say: Say): void {
  for (const file of databases(root)) {
    look(file, (database) => {
      const integrity = database.pragma('integrity_check', { simple: true });
      if (integrity !== 'ok') say(`${file}: ${integrity}`);
      const foreign = database.pragma('foreign_key_check');
      if (Array.isArray(foreign) && foreign.length > 0) say(`${file}: ${foreign.length} rows point nowhere`);
    });
  }
}

/** One run, one final, one event of each end per mail; every call has its result; nothing is left open. */
export function checkRows(root: string, sent: readonly Sent[], say: Say) {
  const partial: Record<string, number> = {};
  for (const persona of new Set(sent.flatMap(({ letter }) => letter.personas))) {
    const folder = folderOf(root, persona);
    look(join(folder, 'persona.db'), (database) => {
      const must = (what: string, query: string) => {
        const found = count(database, query);
        if (found > 0) say(`${persona}: ${found} ${what}`);
      };
      must('runs did not end', `select count(*) from runs where status not in ('done', 'failed')`);
      must('runs are not alone', 'select count(*) - count(distinct message_id) from runs');
      must(
        'runs without one final',
        `select count(*) from runs where code is not 'answered_together' and (select count(*) from outbox
           where run_id = runs.id and purpose = 'final' and in_reply_to = runs.message_id) <> 1`,
      );
      must(
        'mails that are to be answered together, and with no answer',
        `select count(*) from runs join messages on messages.id = runs.message where runs.code = 'answered_together'
           and not exists (select 1 from outbox where run_id = messages.run_id and purpose = 'final')`,
      );
      must(
        'runs without one end',
        `select count(*) from runs where (select count(*) from run_events
           where run_id = runs.id and type = 'run_ended') <> 1`,
      );
      must(
        'runs with a gap in their events',
        // But of one that was given up after six deaths at it: its end is written behind all that others may have appended. On
        // a slow machine ten kills in a row can all find the first run.
        `select count(*) from (select 1 from run_events join runs on runs.id = run_events.run_id
           where runs.code is not 'repeated_crash' or runs.status <> 'failed'
           group by run_id having max(run_events.seq) + 1 <> count(*))`,
      );
      must(
        'calls without one result',
        `select count(*) from (select 1 from thread_tool_events group by run_id, tool_call_id
           having sum(event_type = 'tool_call') <> 1 or sum(event_type = 'tool_result') <> 1)`,
      );
      must(
        'answers out of order',
        `select count(*) from (select ended_at, lag(ended_at) over (partition by thread_id order by seq) as before from runs
             where code is not 'answered_together')
           where before > ended_at`,
      );
      const reasons = database.prepare<[], { code: string; runs: number }>(
        `select code, count(*) as runs from runs where outcome = 'partial' group by code`,
      );
      for (const { code, runs } of reasons.all()) partial[code] = (partial[code] ?? 0) + runs;
      checkMails(database, folder, persona, sent, say);
    });
  }
  return { partial, duplicates: checkSeen(root, sent, say) };
}

/** The raw bytes of each acknowledged mail are kept as they came, and a conversation stayed one thread. */
function checkMails(database: SQLite.Database, folder: string, persona: string, sent: readonly Sent[], say: Say): void {
  const held = database.prepare<[number], { bytes: Buffer }>('select bytes from raw_mail where seq = ?');
  const find = database.prepare<[string], { seq: number; raw_sha256: string; thread_id: string }>(
    `select seq, raw_sha256, thread_id from messages where message_id = ? and direction = 'in'`,
  );
  const threads = new Map<string, string>();
  for (const { letter, acknowledged } of sent) {
    if (acknowledged === 0 || !letter.personas.includes(persona)) continue;
    const rows = find.all(letter.messageId);
    const [row] = rows;
    if (rows.length !== 1 || !row) {
      say(`${letter.messageId} is stored ${rows.length} times by ${persona}`);
      continue;
    }
    if (sha256(letter.raw) !== row.raw_sha256) say(`${letter.messageId} was stored with other bytes`);
    const file = join(folder, 'mail', `${row.raw_sha256}.eml`);
    const raw = held.get(row.seq)?.bytes ?? (existsSync(file) ? readFileSync(file) : null);
    if (raw === null || sha256(raw) !== row.raw_sha256) say(`${file} is missing or damaged, and is no row either`);
    const thread = threads.get(letter.from) ?? row.thread_id;
    if (thread !== row.thread_id) say(`${letter.messageId} left its thread`);
    threads.set(letter.from, thread);
  }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Each 250 has a row; at most one says `accepted`, all others `duplicate`. The number of duplicates. */
function checkSeen(root: string, sent: readonly Sent[], say: Say): number {
  return look(join(root, 'data/gateway.db'), (database) => {
    const seen = database.prepare<[string], { accepted: number; duplicate: number; other: number }>(
      `select coalesce(sum(decision = 'accepted'), 0) as accepted, coalesce(sum(decision = 'duplicate'), 0) as duplicate,
         coalesce(sum(decision not in ('accepted', 'duplicate')), 0) as other from seen where message_id = ?`,
    );
    let duplicates = 0;
    for (const { letter, acknowledged } of sent) {
      const row = seen.get(letter.messageId) ?? { accepted: 0, duplicate: 0, other: 0 };
      const personas = letter.personas.length;
      duplicates += row.duplicate;
      if (row.other > 0) say(`${letter.messageId} was seen as something else`);
      if (row.accepted > personas) say(`${letter.messageId} was accepted ${row.accepted} times`);
      if (row.accepted + row.duplicate < acknowledged * personas) say(`${letter.messageId}: a 250 has no row`);
    }
    return duplicates;
  });
}

/** A kill may leave a half-written file under a temporary name; its work was done again under the real one. */
export function temporaryFiles(root: string, say: Say): number {
  const names = readdirSync(join(root, 'data'), { recursive: true, encoding: 'utf8' });
  const temporary = names.filter((name) => name.endsWith('.tmp'));
  for (const name of temporary) {
    if (!names.includes(name.replace(/\.[0-9a-f]{8}\.tmp$/, ''))) say(`${name} was never finished`);
  }
  return temporary.length;
}
