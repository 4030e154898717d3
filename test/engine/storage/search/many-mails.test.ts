import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { personaMigrations } from '../../../../engine/storage/schema/persona.ts';
import { termsOf } from '../../../../engine/storage/search/terms.ts';
import { type Clue, cluesOf } from '../../../../engine/storage/search/windows.ts';
import { type Connection, connect } from '../../../../engine/storage/sqlite/database/connection.ts';
import type { PersonaTables } from '../../../../engine/storage/sqlite/persona/schema/tables.ts';
import { mergeIndex } from '../../../../engine/storage/sqlite/search/compact-index.ts';
import { extentOf } from '../../../../engine/storage/sqlite/search/having-words.ts';
import { knownWords, likelyEpisodes, nothingKnown } from '../../../../engine/storage/sqlite/search/recall-mail.ts';
import { indexMessages, indexThreadAnew } from '../../../../engine/storage/sqlite/search/write-index.ts';
import type { Letter } from '../../../../scripts/lib/dialogues/dialogues.ts';
import { keepDialogues } from '../../../../scripts/lib/dialogues/keep-dialogues.ts';

const MIA = 'mia@member.example';

describe('a mailbox of 1,500 mails, most of them of others and about the same', () => {
  let database: SQLite.Database;
  let connection: Connection<PersonaTables>;
  beforeEach(async () => {
    database = new SQLite(':memory:');
    for (const sql of personaMigrations) database.exec(sql);
    database.pragma('foreign_keys = OFF');
    connection = connect<PersonaTables>(database);
    const letters = Array.from({ length: 1500 }, (_, n): Letter => {
      const address = n === 700 ? MIA : `person${n % 9}@member.example`;
      // Every third is of Falkenau, and all are of a hotel.
      const text = `The hotel ${n % 3 === 1 ? 'in Falkenau' : 'elsewhere'} has number ${n}.`;
      const told = { messageId: `<${n}@member.example>`, thread: `t${n}`, direction: 'in', subject: 'Travel' } as const;
      return { ...told, person: { name: 'Somebody', address }, text, at: n * 60_000 };
    });
    keepDialogues(database, letters);
    let taken = 1;
    while (taken > 0) {
      await connection.transaction(async (trx) => {
        taken = await indexMessages(trx, 32);
      });
    }
  });
  afterEach(() => database.close());

  const asked = (words: readonly string[], address: string | null, known = nothingKnown()) =>
    likelyEpisodes(
      connection.db,
      {
        words,
        viewer: address === null ? null : { address, threadId: null },
        exceptThread: null,
        limit: 32,
        minShare: 0.1,
      },
      known,
    );
  const parts = () => database.prepare<[], number>('select count(distinct segid) from mail_fts_idx').pluck().get();

  it('has the one mail that somebody may see found by a word that 500 have', async () => {
    const found = await asked(['hotel', 'falkenau'], MIA);
    expect(found.map(({ seq }) => seq)).toEqual([701]);
    expect(await asked(['hotel', 'falkenau'], 'nobody@member.example')).toEqual([]);
  });

  it('has what came since the last look found as well, and what others got not', async () => {
    const known = nothingKnown();
    for (const address of [MIA, 'nobody@member.example']) await asked(['hotel', 'falkenau'], address, known);
    const told = { thread: 'later', direction: 'in', subject: 'Travel', at: 1e9 } as const;
    const letters = [...Array(400).keys()].map((n): Letter => {
      const person = { name: 'Somebody', address: n === 200 ? MIA : 'person1@member.example' };
      return {
        ...told,
        messageId: `<later${n}@member.example>`,
        person,
        text: `The hotel in Falkenau, once more: ${n}.`,
      };
    });
    keepDialogues(database, letters);
    await connection.transaction(async (trx) => {
      await indexMessages(trx, 1000);
    });
    const found = await asked(['hotel', 'falkenau'], MIA, known);
    expect(found.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual([701, 1701]);
    expect(await asked(['falkenau'], 'nobody@member.example', known)).toEqual([]);
    const newest = await asked(['falkenau'], null, known);
    expect(newest).toHaveLength(32);
    expect(newest.filter(({ seq }) => seq <= 1500)).toEqual([]);
  });

  it('has what came since found by a word that few have, once each time', async () => {
    const known = nothingKnown();
    const found = async () => (await asked(['700', '9000'], null, known)).map(({ seq }) => seq).sort((a, b) => a - b);
    expect(await found()).toEqual([701]);
    const told = { thread: 'later', direction: 'in', subject: 'Travel', at: 1e9 } as const;
    const letters = [700, 9000, 9000].map((number, n): Letter => {
      const person = { name: 'Somebody', address: MIA };
      return {
        ...told,
        messageId: `<later${n}@member.example>`,
        thread: `later${n}`,
        person,
        text: `A room: ${number}.`,
      };
    });
    for (const letter of letters) {
      keepDialogues(database, [letter]);
      await connection.transaction(async (trx) => {
        await indexMessages(trx, 1000);
      });
      await found();
    }
    for (let again = 0; again < 2; again += 1) expect(await found()).toEqual([701, 1501, 1502, 1503]);
  });

  it('counts each mail once for a word that was looked for later than another', async () => {
    const known = knownWords();
    const [early, late] = ['700', '9000'].map((word) => cluesOf(termsOf(word)));
    const look = async (clues: readonly Clue[]) => known.of(connection.db, clues, await extentOf(connection.db));
    const arrive = async (n: number) => {
      const person = { name: 'Somebody', address: MIA };
      const told = { thread: `later${n}`, direction: 'in', subject: 'Travel', at: 1e9, person } as const;
      keepDialogues(database, [{ ...told, messageId: `<later${n}@member.example>`, text: 'A room: 9000.' }]);
      await connection.transaction(async (trx) => {
        await indexMessages(trx, 1000);
      });
    };
    await look(early ?? []);
    await arrive(1);
    await look(late ?? []);
    await arrive(2);
    const [word] = [...(await look([...(early ?? []), ...(late ?? [])]))].flatMap(([clue, found]) =>
      clue === late?.[0] ? [found] : [],
    );
    expect(word).toMatchObject({ mails: 2, seqs: [1502, 1501] });
  });

  it('has the mails of a thread found once it is not private any more', async () => {
    const known = nothingKnown();
    const found = async () => (await asked(['700', '900'], null, known)).map(({ seq }) => seq);
    const setPrivate = (since: number | null) =>
      connection.transaction(async (trx) => {
        await trx.updateTable('threads').set({ private_since: since }).where('id', '=', 't700').execute();
        await indexThreadAnew(trx, 't700');
      });
    await setPrivate(1);
    expect(await found()).toEqual([901]);
    await setPrivate(null);
    expect((await found()).sort((a, b) => a - b)).toEqual([701, 901]);
    await setPrivate(2);
    expect(await found()).toEqual([901]);
  });

  it('is looked through by the rarest of the words that many have', async () => {
    const found = await asked(['hotel', 'number', 'travel', 'falkenau'], null);
    expect(found).toHaveLength(32);
    expect(found.filter(({ seq }) => seq % 3 !== 2)).toEqual([]);
  });

  it('asks for one look-up a word where there were many, once it is worth it', async () => {
    expect(parts()).toBeGreaterThan(1);
    expect(database.prepare("select kind from jobs where kind = 'merge_index'").all()).toHaveLength(1);
    const merged = { more: true };
    for (let isFirst = true; merged.more; isFirst = false) {
      await connection.transaction(async (trx) => {
        merged.more = await mergeIndex(trx, isFirst);
      });
    }
    expect(parts()).toBe(1);
    expect((await asked(['falkenau'], MIA)).map(({ seq }) => seq)).toEqual([701]);
  });
});
