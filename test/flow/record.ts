import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import SQLite from 'better-sqlite3';

/** However busy a machine is: something that is under way is on record more often than this. */
export const STILL_MS = 60_000;
/** Less than a test has, so that it says what it waited for. */
const MOST_MS = 240_000;
export const LOOK_MS = 50;

/**
 * Resolves with what `look` finds, as soon as it throws no more. As long as anything happens on record of the workspace,
 * that is waited for, however slow the machine; when nothing does any more, its last error is thrown.
 */
export async function onceRecorded<Found>(root: string, look: () => Found | Promise<Found>): Promise<Found> {
  const seen = { record: '', since: performance.now() };
  const late = performance.now() + MOST_MS;
  for (;;) {
    // Before the look: what is recorded meanwhile is looked for again.
    const record = recordOf(root);
    if (record !== seen.record) Object.assign(seen, { record, since: performance.now() });
    try {
      return await look();
    } catch (error) {
      const now = performance.now();
      if (now > late || now - seen.since > STILL_MS) throw error;
    }
    await pause(LOOK_MS);
  }
}

/** In the order in which somebody would ask. */
const QUESTIONS = {
  mails: 'select count(*) from messages',
  runs: "select group_concat(status || coalesce(' ' || deferred_code, ''), ', ') from runs",
  events: 'select count(*) from run_events',
  outbox: "select group_concat(state || ' ' || attempts, ', ') from outbox",
  jobs: "select group_concat(kind || ' ' || attempts || ' due ' || due_at, ', ') from jobs",
} as const;

const QUESTIONS_TO_GATEWAY = {
  seen: 'select count(*) from seen',
  announced: 'select coalesce(sum(generation), 0) from wakeups',
  asked: 'select count(*) from sender_questions',
} as const;

/** How far the personas of a workspace have come, in a line; the same as long as nothing happens. */
export function recordOf(root: string): string {
  const folder = join(root, 'data/personas');
  const personas = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  return [
    ...personas.map((id) => `${id}: ${answersOf(join(folder, id, 'persona.db'), QUESTIONS)}`),
    `gateway: ${answersOf(join(root, 'data/gateway.db'), QUESTIONS_TO_GATEWAY)}`,
  ].join('; ');
}

function answersOf(file: string, questions: Readonly<Record<string, string>>): string {
  if (!existsSync(file)) return 'nothing';
  try {
    const database = new SQLite(file, { readonly: true });
    try {
      const answers = Object.entries(questions).map(([name, sql]) => {
        const answer = database.prepare<[], string | number | null>(sql).pluck().get();
        return `${name} ${answer ?? 'none'}`;
      });
      return answers.join(', ');
    } finally {
      database.close();
    }
  } catch (error) {
    // It is being made, or moved.
    return String(error);
  }
}
