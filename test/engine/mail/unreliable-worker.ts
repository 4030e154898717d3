import { parentPort } from 'node:worker_threads';
import type { ParseRequest } from '../../../engine/mail/parse-protocol.ts';
import { readMail } from '../../../engine/mail/read-mail.ts';

// The parsing thread, but with mails that do to it what a bug would: marked in their subject.
let queue = Promise.resolve();

parentPort?.on('message', (request: ParseRequest) => {
  queue = queue.then(async () => {
    const raw = Buffer.from(request.raw);
    misbehave(raw.toString('latin1'), request.plain);
    parentPort?.postMessage({
      ready: false,
      id: request.id,
      outcome: await readMail(raw, request.limits, request.plain),
    });
  });
});
parentPort?.postMessage({ ready: true });

function misbehave(mail: string, plain: boolean): void {
  const hoard: string[] = [];
  while (mail.includes('hang always') || (mail.includes('hang once') && !plain)) hoard.length = 0;
  while (mail.includes('eat memory') && !plain) hoard.push(`${hoard.length}`.repeat(1000));
}
