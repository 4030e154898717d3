import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectWire } from '../fakes/smtp-wire.ts';
import { ADA, type LaunchedAdmission, launchAdmission, MIA } from './admission-rig.ts';
import { eventually } from './eventually.ts';
import { openPersonaDb } from './persona-db.ts';

let gate: LaunchedAdmission;
beforeEach(async () => {
  gate = await launchAdmission();
});
afterEach(() => gate?.stop());

/** Above what is kept as a row at first. */
const LARGE = `${'All of it has to be on disk first.\r\n'.repeat(2500)}`;
const STORED_NOWHERE = '451 4.3.0 Could not be stored, try again later';
/** The persona's database as it is now; a mail and its run are there together or not at all. */
function stored() {
  if (!existsSync(join(gate.root, 'data/personas/ada/persona.db'))) return { messages: 0, runs: 0 };
  const database = new SQLite(join(gate.root, 'data/personas/ada/persona.db'), { readonly: true });
  const count = (table: string) =>
    database
      .prepare<[], { n: number }>(`select count(*) as n from ${table} where message_id like '%member.test>'`)
      .get()?.n;
  const counts = { messages: count('messages'), runs: count('runs') };
  database.close();
  return counts;
}
async function isAnsweredOnce(id: string) {
  expect((await gate.mail({ from: MIA, id })).code).toBe(250);
  await gate.runOf(id);
  expect(await gate.answersTo(id)).toHaveLength(1);
  const db = openPersonaDb(gate.root, 'ada');
  expect(db.runs().filter(({ message_id }) => message_id === id)).toHaveLength(1);
  db.close();
}
const inDb = (file: string, sql: string) => {
  const database = new SQLite(join(gate.root, 'data', file));
  database.pragma('busy_timeout = 5000');
  database.exec(sql);
  database.close();
};

describe('a disk that takes nothing', () => {
  it('is a 451 while the raw mail cannot be written, and no row tells of it', async () => {
    const folder = join(gate.root, 'data/personas/ada/mail');
    mkdirSync(join(gate.root, 'data/personas/ada'), { recursive: true });
    // A file where the folder should be: not even root can write below it.
    writeFileSync(folder, '');
    expect((await gate.mail({ from: MIA, id: '<full@member.test>', text: LARGE })).text).toBe(STORED_NOWHERE);
    expect(stored()).toEqual({ messages: 0, runs: 0 });
    expect(gate.seen('<full@member.test>')).toEqual([]);
    rmSync(folder);
    await isAnsweredOnce('<full@member.test>');
  });

  it('is none for small mail, whose bytes are a row until they can be a file', async () => {
    const folder = join(gate.root, 'data/personas/ada/mail');
    mkdirSync(join(gate.root, 'data/personas/ada'), { recursive: true });
    writeFileSync(folder, '');
    await isAnsweredOnce('<small@member.test>');
    const held = () => gate.inPersonaDb('select count(*) as n from raw_mail');
    expect(await held()).toEqual([{ n: 1 }]);
    rmSync(folder);
    // The next mail takes it along.
    await isAnsweredOnce('<next@member.test>');
    await eventually(held, ([row]) => (row as { n: number }).n === 0);
    expect(readdirSync(folder).filter((name) => name.endsWith('.eml'))).toHaveLength(2);
  });

  it('is a 451 for a bounce of our own mail, too, which somebody may wait for', async () => {
    await isAnsweredOnce('<asked@member.test>');
    const [answer] = await gate.answersTo('<asked@member.test>');
    const bounce = {
      from: 'mailer-daemon@member.test',
      id: '<b@member.test>',
      headers: [`X-Failed-Recipients: ${MIA}`, `In-Reply-To: ${answer?.mail.messageId}`],
    };
    await eventually(
      () => gate.inPersonaDb("select state from outbox where state = 'sent'"),
      (sent) => sent.length > 0,
    );
    const folder = join(gate.root, 'data/personas/ada/mail');
    renameSync(folder, `${folder}-aside`);
    writeFileSync(folder, '');
    expect((await gate.mail(bounce)).text).toBe(STORED_NOWHERE);
    rmSync(folder);
    renameSync(`${folder}-aside`, folder);
    expect((await gate.mail(bounce)).code).toBe(250);
    expect(gate.inPersonaDb('select code from kept_mail')).toEqual([{ code: 'bounce' }]);
  });

  it('is a 451 for mail of a member that cannot be read, until its source is kept', async () => {
    const quarantine = join(gate.root, 'data/quarantine');
    writeFileSync(quarantine, '');
    const open = Array.from({ length: 40 }, (_, n) => [
      ...[`--b${n}`, `Content-Type: multipart/mixed; boundary=b${n + 1}`, ''],
    ]);
    const raw = await gate.write({
      from: MIA,
      id: '<deep@member.test>',
      headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b0'],
      text: open.flat().join('\r\n'),
    });
    expect((await gate.send(raw)).text).toBe(STORED_NOWHERE);
    rmSync(quarantine);
    expect((await gate.send(raw)).code).toBe(250);
    expect(readdirSync(quarantine)).toHaveLength(1);
  });
});

describe('a database that refuses', () => {
  it.each([
    ['the run', 'personas/ada/persona.db', 'runs'],
    ['the mail', 'personas/ada/persona.db', 'messages'],
    ['the wakeup', 'gateway.db', 'wakeups'],
    ['what was seen', 'gateway.db', 'seen'],
  ])('is a 451 when it is %s, and one answer comes of it afterwards', async (_what, file, table) => {
    // A wakeup of the last mail would still stand; the persona's own database is not there before the first.
    if (file !== 'gateway.db') await isAnsweredOnce('<before@member.test>');
    inDb(file, `create trigger refuse before insert on ${table} begin select raise(abort, 'database is full'); end`);
    const id = '<refused@member.test>';
    expect((await gate.mail({ from: MIA, id })).text).toBe(STORED_NOWHERE);
    const { messages, runs } = stored();
    expect(messages).toBe(runs);
    inDb(file, 'drop trigger refuse');
    expect(gate.gateway.process.exitCode).toBeNull();
    await isAnsweredOnce(id);
    expect(gate.gateway.log()).toContain('a mail could not be stored');
  });

  it('is a 451 while another holds it locked for longer than anybody waits', async () => {
    await isAnsweredOnce('<before@member.test>');
    const other = new SQLite(join(gate.root, 'data/personas/ada/persona.db'));
    other.exec('begin immediate');
    try {
      expect((await gate.mail({ from: MIA, id: '<locked@member.test>' })).text).toBe(STORED_NOWHERE);
    } finally {
      other.exec('rollback');
      other.close();
    }
    await isAnsweredOnce('<locked@member.test>');
  });
});

describe('mail while the gateway stops', () => {
  it('that is in the middle of DATA is still taken, or the sender is told to come again', async () => {
    const wire = await connectWire(gate.gateway.ready.smtp.port);
    await wire.hello();
    await wire.envelope(MIA, [ADA]);
    const raw = await gate.write({ from: MIA, id: '<late@member.test>' });
    await wire.say('DATA');
    wire.write(raw.subarray(0, 200));
    const stopped = gate.gateway.stop();
    wire.write(raw.subarray(200));
    wire.write('.\r\n');
    const { code } = await wire.reply();
    wire.close();
    expect(await stopped).toBe(0);
    expect([250, 421, 451]).toContain(code);
    expect(gate.seen('<late@member.test>')).toHaveLength(code === 250 ? 1 : 0);
    expect(stored()).toEqual(code === 250 ? { messages: 1, runs: 1 } : { messages: 0, runs: 0 });
  });
});

describe('a mail far over the limit', () => {
  it('passes through without being kept in memory', async () => {
    const rss = () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${gate.gateway.ready.pid}/status`, 'utf8'))?.[1]) / 1024;
    const wire = await connectWire(gate.gateway.ready.smtp.port);
    await wire.hello();
    await wire.envelope(MIA, [ADA]);
    await wire.say('DATA');
    const before = rss();
    let highest = before;
    const piece = Buffer.from(`${'x'.repeat(1022)}\r\n`.repeat(1024));
    for (let megabytes = 0; megabytes < 250; megabytes += 1) {
      await new Promise<void>((resolve) => wire.socket.write(piece, () => resolve()));
      highest = Math.max(highest, rss());
    }
    wire.write('.\r\n');
    expect((await wire.reply()).text).toBe('552 5.3.4 Message too big');
    expect(highest - before).toBeLessThan(150);
    wire.close();
    await isAnsweredOnce('<small@member.test>');
  });
});
