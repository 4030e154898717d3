import { parentPort } from 'node:worker_threads';
import type { ParseAnswer, ParseRequest } from './parse-protocol.ts';
import { readMail } from './read-mail.ts';
import type { ParseOutcome } from './types.ts';

// One mail at a time, in order: the other side then knows which mail a thread that died was reading.
let queue = Promise.resolve();

parentPort?.on('message', (request: ParseRequest) => {
  queue = queue.then(() => answer(request));
});
send({ ready: true }, []);

async function answer({ id, raw, limits, plain }: ParseRequest): Promise<void> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const outcome = await readMail(bytes, limits, plain).catch(unexpected);
  send({ ready: false, id, outcome }, outcome.ok ? outcome.mail.attachments.map(({ content }) => content) : []);
}

/** A bug of ours in the full reader is no reason to lose a mail: the other side asks again for the plain one. */
function unexpected(error: unknown): ParseOutcome {
  return { ok: false, code: 'unparsable', message: String(error).slice(0, 500) };
}

function send(reply: ParseAnswer, contents: readonly Uint8Array[]): void {
  // Handed over, not copied. An empty array may be shared between mails and must stay.
  const buffers = new Set(contents.filter((content) => content.byteLength > 0).map((content) => content.buffer));
  parentPort?.postMessage(
    reply,
    [...buffers].filter((buffer) => buffer instanceof ArrayBuffer),
  );
}
