import SQLite from 'better-sqlite3';
import { openStore } from '../../engine/storage/sqlite/persona/store.ts';

const TEXT =
  'The figures for the region are attached to my last mail; please compare them with the plan and tell me in two ' +
  'sentences where the difference comes from, and whether the order that moved is counted twice. I would rather ' +
  'hear it now than on Thursday.';

/**
 * A thread of earlier mails and answers, straight into the database. Returns the Message-ID to answer to. The rows
 * are a year old, as most of a long thread is.
 */
export async function seedThread(options: {
  file: string;
  messages: number;
  sender: string;
  persona: string;
}): Promise<string> {
  await openStore(options.file).close();
  const database = new SQLite(options.file);
  const start = Date.now() - 365 * 86_400_000;
  const newest = `<seed.${options.messages - 1}@member.example>`;
  database.pragma('synchronous = OFF');
  const insert = database.prepare(
    `insert into messages (id, thread_id, direction, message_id, duplicate_key, run_id, from_address, to_json, cc_json,
       reply_to, subject, references_json, date, received_at, tier, text, new_text, rendered_json)
     values (?, 'seed', ?, ?, ?, ?, ?, ?, '[]', ?, 'Figures', '[]', ?, ?, ?, ?, ?, ?)`,
  );
  const seed = database.transaction(() => {
    database
      .prepare(
        `insert into threads (id, kind, subject, message_count, created_at, updated_at) values ('seed', 'thread', 'Figures', ?, ?, ?)`,
      )
      .run(options.messages, start, start);
    database.prepare(`insert into thread_participants values ('seed', ?, 'sender')`).run(options.sender);
    for (let index = 0; index < options.messages; index += 1) insert.run(rowOf(index, options, start));
  });
  seed();
  database.close();
  const store = openStore(options.file);
  while ((await store.indexMail(1000)) > 0);
  await store.close();
  return newest;
}

/** Mails and answers in turn. */
function rowOf(index: number, options: { sender: string; persona: string }, start: number): unknown[] {
  const { sender, persona } = options;
  const run = `seed-run-${Math.floor(index / 2)}`;
  const own = [`seed-${index}`, `<seed.${index}@member.example>`];
  const at = start + index;
  if (index % 2 === 1) {
    const rendered = [{ role: 'assistant', text: TEXT, toolCalls: [] }];
    const fields = [persona, JSON.stringify([sender]), null, at, at, null, TEXT, TEXT, JSON.stringify(rendered)];
    return [own[0], 'out', own[1], null, run, ...fields];
  }
  const rendered = [{ role: 'user', content: [{ type: 'text', text: TEXT }] }];
  const fields = [sender, JSON.stringify([persona]), sender, at, at, 'member', TEXT, TEXT, JSON.stringify(rendered)];
  return [own[0], 'in', own[1], own[0], run, ...fields];
}
