// What any durable listener has to pay: smtp-server, and one transaction with a full flush for each mail.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { SMTPServer } from 'smtp-server';

const database = new SQLite(join(process.argv[2] ?? '.', 'floor.db'));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('create table mails (id integer primary key, raw blob not null)');
const insert = database.prepare<[Buffer]>('insert into mails (raw) values (?)');

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  logger: false,
  onData(stream, _session, done) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      insert.run(Buffer.concat(chunks));
      done(null, '2.0.0 Accepted');
    });
  },
});
server.on('error', () => {});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.server.address() as AddressInfo).port });
});
