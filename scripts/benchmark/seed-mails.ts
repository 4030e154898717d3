import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { openGatewayStore } from '../../engine/storage/sqlite/gateway/store.ts';
import { openStore } from '../../engine/storage/sqlite/persona/store.ts';
import { addressOf, personaId } from './bench-workspace.ts';

const PEOPLE = 500;
const DAY_MS = 86_400_000;

/**
 * Gives personas mail that they have had in the last year and that began no run, straight into their databases: half of
 * it the first one, the rest the others in turn.
 */
export async function seedMails(options: {
  readonly dataDir: string;
  readonly personas: number;
  readonly mails: number;
  readonly now: number;
}): Promise<void> {
  const { dataDir, personas, mails, now } = options;
  const ofPersona = (mail: number): number => (mail % 2 === 0 ? 0 : ((mail - 1) / 2) % personas);
  const atOf = (mail: number): number => now - Math.floor(((mails - mail) * 365 * DAY_MS) / mails);
  const byPersona = Map.groupBy(
    Array.from({ length: mails }, (_, mail) => mail),
    ofPersona,
  );
  for (const [persona, own] of byPersona) {
    const folder = join(dataDir, 'personas', personaId(persona));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, 'persona.db');
    await openStore(file).close();
    seedOne(file, persona, own, atOf);
  }
  await openGatewayStore(join(dataDir, 'gateway.db')).close();
  const database = new SQLite(join(dataDir, 'gateway.db'));
  database.pragma('synchronous = OFF');
  const insert = database.prepare(
    `insert into seen (message_id, persona_id, recipient, direction, decision, from_address, tier, subject, received_at, thread_id)
     values (?, ?, ?, 'in', 'recorded', ?, 'member', ?, ?, ?)`,
  );
  database.transaction(() => {
    for (let mail = 0; mail < mails; mail += 1) {
      const persona = ofPersona(mail);
      const thread = `seed-${Math.floor(mail / 10)}`;
      insert.run(
        `<past.${mail}@member.example>`,
        personaId(persona),
        addressOf(persona),
        `m${mail % PEOPLE}@member.example`,
        `News ${mail}`,
        atOf(mail),
        thread,
      );
    }
  })();
  database.close();
}

function seedOne(file: string, persona: number, mails: readonly number[], atOf: (mail: number) => number): void {
  const database = new SQLite(file);
  database.pragma('synchronous = OFF');
  const thread = database.prepare(
    `insert or ignore into threads (id, kind, subject, message_count, created_at, updated_at) values (?, 'thread', ?, 1, ?, ?)`,
  );
  const message = database.prepare(
    `insert into messages (id, thread_id, direction, message_id, duplicate_key, from_address, to_json, cc_json, subject,
       references_json, date, received_at, tier, text, new_text)
     values (?, ?, 'in', ?, ?, ?, ?, '[]', ?, '[]', ?, ?, 'member', ?, ?)`,
  );
  database.transaction(() => {
    for (const mail of mails) {
      const at = atOf(mail);
      const id = `past-${mail}`;
      const thread_id = `seed-${Math.floor(mail / 10)}`;
      const said = `There is news of the region, number ${mail}; nobody has to answer that.`;
      thread.run(thread_id, `News ${mail}`, at, at);
      message.run(
        id,
        thread_id,
        `<past.${mail}@member.example>`,
        id,
        `m${mail % PEOPLE}@member.example`,
        JSON.stringify([addressOf(persona)]),
        `News ${mail}`,
        at,
        at,
        said,
        said,
      );
    }
  })();
  database.close();
}
