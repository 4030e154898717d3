import { serveJobs } from '../../../engine/lib/workers/serve.ts';
import type { ParseOutcome } from '../../../engine/mail/mime/types.ts';
import type { ParseRequest } from '../../../engine/mail/reading/parse-protocol.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';

// The parsing thread, but with mails that do to it what a bug would: marked in their subject.
serveJobs<ParseRequest, ParseOutcome>(async ({ raw, limits, plain }) => {
  const bytes = Buffer.from(raw);
  misbehave(bytes.toString('latin1'), plain);
  return { outcome: await readMail(bytes, limits, { plain }), transfer: [] };
});

function misbehave(mail: string, plain: boolean): void {
  const hoard: string[] = [];
  while (mail.includes('hang always') || (mail.includes('hang once') && !plain)) hoard.length = 0;
  while (mail.includes('eat memory') && !plain) hoard.push(`${hoard.length}`.repeat(1000));
}
