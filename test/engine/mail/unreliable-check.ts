import { serveJobs } from '../../../engine/lib/workers/serve.ts';
import type { CheckRequest, DnsAnswer, DnsQuestion } from '../../../engine/mail/identity/check-protocol.ts';
import type { CheckOutcome } from '../../../engine/mail/identity/sender-check.ts';

// The checking thread, but with mails that do to it what a verifier's bug would: marked in their subject.
serveJobs<CheckRequest, CheckOutcome, DnsQuestion, DnsAnswer>(async ({ raw }, ask) => {
  const mail = Buffer.from(raw).toString('latin1');
  while (mail.includes('hang at once')) Math.random();
  const answer = await ask({ name: '_dmarc.x.test', type: 'TXT' });
  while (mail.includes('hang later')) Math.random();
  return { outcome: { ok: false, detail: `asked: ${answer.ok}`, temporary: !answer.ok }, transfer: [] };
});
