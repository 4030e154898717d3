// A gateway whose disk loses its power at each promise that it makes. Arguments: an empty folder for what is left.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after, setImmediate as turn } from 'node:timers/promises';
import { watchDisk } from './disk.ts';

const MAILS = 4;
const COPIES = 8;
const BETWEEN_MS = 5;
const SENDER = 'mia@member.example';
/** Too much for a row. */
const LONG = 'A long story.\r\n'.repeat(6000);
const NOTHING = { files: [], raw: null };

/** What has to be found on the disk that was cut. */
export interface Cut {
  /** Of the persona. */
  readonly folder: string;
  /** Of a run, for `intended`; else of a mail. */
  readonly id: string;
  readonly promise: 'accepted' | 'intended' | 'answered';
  readonly files: readonly string[];
  /** Of the mail's bytes, which are a file of that name or a row; null where none are promised. */
  readonly raw: string | null;
}

const [target = ''] = process.argv.slice(2);
const { makeBenchWorkspace, addressOf, personaId } = await import('../../../scripts/benchmark/bench-workspace.ts');
const { startPeer } = await import('../../../scripts/benchmark/peer.ts');
const { startSink } = await import('../../../scripts/benchmark/smtp-sink.ts');
const { sinkMailbox } = await import('../../../scripts/benchmark/correspondent.ts');

const model = await startPeer<{ url: string }>('model-server');
const cuts: Cut[] = [];
const sink = await startSink((messageId) => cutAt('answered', messageId));
const workspace = makeBenchWorkspace({
  personas: 2,
  modelUrl: model.hello.url,
  mailboxes: [sinkMailbox(sink.port)],
});
// Called when the run has written down what it is about to do.
writeFileSync(
  join(workspace.root, 'extensions/tools/note/index.mjs'),
  `export default {
    description: 'Reads a note.', risk: 'read', scope: 'files:read',
    input: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
    run: async ({ number }, { runId }) => { globalThis.noteRead(runId); return { number }; },
  };`,
);
const disk = watchDisk(join(workspace.root, 'data'));

function cutAt(promise: Cut['promise'], id: string, { files, raw }: Pick<Cut, 'files' | 'raw'> = NOTHING): void {
  const folder = join(target, String(cuts.length));
  disk.cut(folder);
  cuts.push({ folder: join(folder, 'personas', personaId(0)), id, promise, files, raw });
}
Object.assign(globalThis, { noteRead: (runId: string) => cutAt('intended', runId) });

const { openWorker } = await import('../../../scripts/benchmark/open-worker.ts');
const { workspace: opened, worker } = await openWorker(workspace.root, true);
let last = 0;

/** Copies of one mail at once; each of them is promised something. */
async function deliver(steps: number, copies: number, more = ''): Promise<void> {
  last += 1;
  const messageId = `<cut.${last}@member.example>`;
  const attachment = `What is attached to ${messageId}.\r\n`;
  const raw = Buffer.from(mailOf({ messageId, attachment, text: `Hello.\r\nsteps=${steps}\r\n${more}` }));
  const files = [`artifacts/${sha256(Buffer.from(attachment))}`];
  const one = async (place: number): Promise<string> => {
    // Some come while the first is committed and not flushed yet.
    await after(place * BETWEEN_MS);
    const { results } = await worker.receive({
      raw,
      arrival: { door: 'submission' },
      envelope: { returnPath: SENDER, recipients: [addressOf(0)] },
      place: null,
    });
    cutAt('accepted', messageId, { files, raw: sha256(raw) });
    return results[0]?.decision ?? 'lost';
  };
  const decisions = await Promise.all(Array.from({ length: copies }, (_, place) => one(place)));
  const expected = ['accepted', ...Array<string>(copies - 1).fill('duplicate')];
  if (decisions.toSorted().join() !== expected.join()) throw new Error(`the mail was ${decisions.join()}`);
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const mailOf = (mail: { messageId: string; text: string; attachment: string }): string =>
  [
    `From: Mia <${SENDER}>`,
    `To: ${addressOf(0)}`,
    'Subject: Power',
    `Message-ID: ${mail.messageId}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    mail.text,
    '--b',
    'Content-Type: text/plain; name=notes.txt',
    'Content-Disposition: attachment; filename=notes.txt',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(mail.attachment).toString('base64'),
    '--b--',
    '',
  ].join('\r\n');

// One at a time: each flush is made at once. Then all together: they share flushes on another thread.
for (let mail = 0; mail < MAILS; mail += 1) {
  await deliver(2, 1, mail % 2 === 0 ? '' : LONG);
  await worker.dispatcher.idle();
}
disk.slowDown('persona.db-wal', 60);
await Promise.all(Array.from({ length: MAILS }, () => deliver(2, COPIES)));
disk.slowDown('persona.db-wal', 0);
await worker.dispatcher.idle();
while (cuts.filter(({ promise }) => promise === 'answered').length < 2 * MAILS) await turn();

await worker.stop(2000);
await opened.close();
await model.stop();
workspace.remove();
process.stdout.write(JSON.stringify(cuts));
process.exit(0);
