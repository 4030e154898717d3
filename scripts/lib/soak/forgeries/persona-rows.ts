import type SQLite from 'better-sqlite3';
import type { BelievedMessage } from './judge.ts';
import { wordsOf } from './mail.ts';

export type PersonaRows = ReturnType<typeof readRows>;

interface StoredMessage {
  readonly id: string;
  readonly thread_id: string;
  readonly message_id: string;
  readonly from_address: string | null;
  readonly from_name: string;
  readonly to_json: string;
  readonly cc_json: string;
  readonly reply_to: string | null;
  readonly subject: string;
  readonly date: number | null;
  readonly tier: string | null;
  readonly text: string;
  readonly new_text: string;
  readonly quoted_text: string;
  readonly forwarded_text: string;
}

interface Mark {
  readonly seq: number;
  readonly known: ReadonlySet<string>;
}

const LATER = Date.now() + 30 * 86_400_000;

/** What a persona's database says, read and prepared as another program would. */
export function readRows(database: SQLite.Database) {
  const lastSeq = database.prepare<[], { seq: number }>('select coalesce(max(seq), 0) as seq from messages');
  const newest = database.prepare<[number], StoredMessage>(
    "select * from messages where seq > ? and direction = 'in' order by seq desc limit 1",
  );
  const inThread = database.prepare<[string, string], { message_id: string }>(
    'select message_id from messages where thread_id = ? and id <> ?',
  );
  const knownThere = database.prepare<[string], { address: string }>(
    "select address from thread_participants where thread_id = ? and role = 'known'",
  );
  const oldKnown = database.prepare<[], { thread_id: string; address: string }>(
    "select thread_id, address from thread_participants where role = 'known'",
  );
  const filesOf = database.prepare<[string], { sha256: string; name: string }>(
    'select sha256, name from attachments where message = ?',
  );
  const decided = database.prepare<[], { message_id: string }>(
    "select n.message_id from approvals a join approval_notices n on n.id = a.notice_id where a.state in ('approved', 'executing', 'executed')",
  );

  /** The run of that mail waits for an answer to the notice of this Message-ID. */
  function ask(messageId: string, notice: string): void {
    const run = database
      .prepare<[string], { id: string; thread_id: string }>('select id, thread_id from runs where message_id = ?')
      .get(messageId);
    if (!run) throw new Error(`there is no run of ${messageId}`);
    database.prepare("update runs set status = 'waiting_approval' where id = ?").run(run.id);
    database
      .prepare('insert into approval_notices (id, token_sha256, message_id, created_at) values (?, ?, ?, ?)')
      .run(notice, notice, notice, Date.now());
    database
      .prepare(
        `insert into approvals (id, run_id, thread_id, call_id, tool, arguments_json, arguments_hash, fingerprint, risk,
          state, number, notice_id, expires_at, created_at, updated_at)
         values (?, ?, ?, 'c1', 'edit_file', '{}', '', '', 'update', 'pending', 1, ?, ?, 0, 0)`,
      )
      .run(notice, run.id, run.thread_id, notice, LATER);
    // Whatever an answer holds beside its words is compared with the mail that asked.
    const raw = ['Subject: A question', `Message-ID: ${notice}`, '', 'May I change the file?', ''].join('\r\n');
    database
      .prepare(
        `insert into outbox (id, run_id, purpose, ordinal, thread_id, message_id, kind, envelope_from, raw, state,
          next_attempt_at, created_at, updated_at)
         values (?, ?, 'notice', 0, ?, ?, 'approval_request', '', ?, 'sent', ?, 0, 0)`,
      )
      .run(notice, run.id, run.thread_id, notice, Buffer.from(raw), LATER);
  }

  return {
    ask,
    /** After a yes, or a STOP, which ends what waits. */
    askAgain() {
      database.prepare("update approvals set state = 'pending', decided_by = null, decided_at = null").run();
      database.prepare("update runs set status = 'waiting_approval' where id in (select run_id from approvals)").run();
    },
    /** The notices whose question was answered. */
    approved: (): string[] => decided.all().map(({ message_id }) => message_id),
    mark: (): Mark => ({
      seq: lastSeq.get()?.seq ?? 0,
      known: new Set(oldKnown.all().map(({ thread_id, address }) => `${thread_id} ${address}`)),
    }),
    /** The mail that came since, with its tier. */
    newMessage({ seq, known }: Mark): { tier: string | null; message: BelievedMessage } | null {
      const row = newest.get(seq);
      if (!row) return null;
      const files = filesOf.all(row.id);
      const message: BelievedMessage = {
        messageId: row.message_id,
        from: row.from_address,
        recipients: [...addresses(row.to_json), ...addresses(row.cc_json)],
        replyTo: row.reply_to,
        subject: wordsOf(row.subject),
        newText: wordsOf(row.new_text),
        text: [row.text, row.quoted_text, row.forwarded_text, row.from_name, ...files.map(({ name }) => name)].join(
          ' ',
        ),
        date: row.date,
        files: files.map(({ sha256 }) => sha256),
        joined: inThread.all(row.thread_id, row.id).map(({ message_id }) => message_id),
        known: knownThere
          .all(row.thread_id)
          .map(({ address }) => address)
          .filter((address) => !known.has(`${row.thread_id} ${address}`)),
      };
      return { tier: row.tier, message };
    },
  };
}

const addresses = (json: string): string[] => (JSON.parse(json) as string[]).map((address) => address.toLowerCase());
