import { serveJobs } from '../../lib/workers/serve.ts';
import type { CheckRequest, DnsAnswer, DnsQuestion } from './check-protocol.ts';
import { dnsError, type ResolveDns } from './dns.ts';
import { type CheckOutcome, checkSender } from './sender-check.ts';

serveJobs<CheckRequest, CheckOutcome, DnsQuestion, DnsAnswer>((request, ask) => {
  const { peer, hostname } = request;
  const checked = checkSender(takeRaw(request), { peer, hostname, dns: askMainThread(ask) });
  return checked.then((outcome) => ({ outcome, transfer: [] }));
});

function takeRaw(request: CheckRequest): Buffer {
  const { raw } = request;
  request.raw = new Uint8Array();
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
}

function askMainThread(ask: (question: DnsQuestion) => Promise<DnsAnswer>): ResolveDns {
  return async (name, type) => {
    const answer = await ask({ name, type });
    if (!answer.ok) throw dnsError(answer.code, answer.message);
    return answer.records;
  };
}
