// Writes mail over kept-open SMTP connections and takes the answers in at a sink, all in this one process.
import type { Letter } from '../correspondent.ts';
import { letterBytes, mailBytes } from '../mail.ts';
import { openSmtpClient } from '../smtp-client.ts';
import { startSink } from '../smtp-sink.ts';

interface Sending {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  readonly connections: number;
  readonly mails: number;
  /** Wait for the answer to each mail before the next; else only for the 250. */
  readonly answers: boolean;
}
/** The same mail again and again, or given ones. */
type Task = Sending &
  (
    | { readonly letters?: never; readonly from: string; readonly to: readonly string[]; readonly steps: number }
    | { readonly letters: readonly Letter[] }
  );

const waiting = new Map<string, () => void>();
const sink = await startSink((inReplyTo) => {
  waiting.get(inReplyTo)?.();
  waiting.delete(inReplyTo);
});
let lastId = 0;

process.on('message', (task: Task) => {
  run(task).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({ sinkPort: sink.port });

async function run(task: Task): Promise<{ seconds: number; mails: number }> {
  const clients = await Promise.all(
    Array.from({ length: task.connections }, () => openSmtpClient(task.host, task.port, task.secret)),
  );
  const started = performance.now();
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (next < task.mails) {
        next += 1;
        await one(task, client, next - 1);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  for (const client of clients) client.close();
  return { seconds, mails: task.mails };
}

async function one(task: Task, client: Awaited<ReturnType<typeof openSmtpClient>>, at: number): Promise<void> {
  lastId += 1;
  const messageId = `<${process.pid}.${lastId}@member.example>`;
  const answered = task.answers ? new Promise<void>((resolve) => waiting.set(messageId, resolve)) : null;
  const { from, to, bytes } = mailOf(task, at, { messageId, serial: lastId });
  await client.send(from, to, bytes);
  await answered;
}

function mailOf(
  task: Task,
  at: number,
  { messageId, serial }: { messageId: string; serial: number },
): { from: string; to: string; bytes: string } {
  if (task.letters === undefined) {
    const { from, steps } = task;
    const to = task.to[at % task.to.length] ?? '';
    return { from, to, bytes: mailBytes({ from, to, messageId, serial, steps }) };
  }
  const letter = task.letters[at];
  if (!letter) throw new Error(`there is no letter ${at}`);
  return { from: letter.from, to: letter.to, bytes: letterBytes(letter, messageId) };
}
