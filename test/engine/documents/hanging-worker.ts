import type { ReaderJob, ReaderOutcome } from '../../../engine/documents/reader.ts';
import { serveJobs } from '../../../engine/lib/workers/serve.ts';

/** Does what its file is called. */
serveJobs<ReaderJob, ReaderOutcome>(async (job) => {
  const name = job.kind === 'document' ? job.source.name : '';
  const held: unknown[] = [];
  while (name === 'hangs' || name === 'eats') if (name === 'eats') held.push(new Array(10_000).fill(held.length));
  return {
    outcome: { kind: 'document', read: { ok: false, refusal: { code: 'unsupported', message: name } } },
    transfer: [],
  };
});
