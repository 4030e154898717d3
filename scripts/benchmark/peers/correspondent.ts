// Writes mail over kept-open SMTP connections and takes the answers in at a sink, all in this one process.
import { mailBytes } from '../mail.ts';
import { openSmtpClient } from '../smtp-client.ts';
import { startSink } from '../smtp-sink.ts';

interface Task {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly connections: number;
  readonly mails: number;
  /** Wait for the answer to each mail before the next; else only for the 250. */
  readonly answers: boolean;
  readonly steps: number;
}

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
        const to = task.to[next % task.to.length] ?? '';
        next += 1;
        await one(task, client, to);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  for (const client of clients) client.close();
  return { seconds, mails: task.mails };
}

async function one(task: Task, client: Awaited<ReturnType<typeof openSmtpClient>>, to: string): Promise<void> {
  lastId += 1;
  const messageId = `<${process.pid}.${lastId}@member.example>`;
  const answered = task.answers ? new Promise<void>((resolve) => waiting.set(messageId, resolve)) : null;
  await client.send(task.from, to, mailBytes({ from: task.from, to, messageId, serial: lastId, steps: task.steps }));
  await answered;
}
