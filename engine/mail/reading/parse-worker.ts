import { serveJobs } from '../../lib/workers/serve.ts';
import type { ParseOutcome } from '../mime/types.ts';
import type { ParseRequest } from './parse-protocol.ts';
import { readMail } from './read-mail.ts';

serveJobs<ParseRequest, ParseOutcome>(async ({ raw, limits, plain, supposed }) => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const outcome = await readMail(bytes, limits, { plain, supposed }).catch(unexpected);
  return { outcome, transfer: outcome.ok ? buffersOf(outcome.mail.attachments) : [] };
});

/** A bug of ours in the full reader is no reason to lose a mail: the other side asks again for the plain one. */
function unexpected(error: unknown): ParseOutcome {
  return { ok: false, code: 'unparsable', message: String(error).slice(0, 500) };
}

function buffersOf(attachments: readonly { readonly content: Uint8Array }[]): ArrayBuffer[] {
  // An empty array may be shared between mails and must stay.
  const contents = attachments.map(({ content }) => content).filter((content) => content.byteLength > 0);
  return [...new Set(contents.map(({ buffer }) => buffer))].filter((buffer) => buffer instanceof ArrayBuffer);
}
