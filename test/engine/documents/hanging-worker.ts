import type { Packed } from '../../../engine/documents/packed.ts';
import type { DocumentSource } from '../../../engine/documents/read.ts';
import { serveJobs } from '../../../engine/lib/workers/serve.ts';

/** Does what its file is called. */
serveJobs<DocumentSource, Packed>(async ({ name }) => {
  const held: unknown[] = [];
  while (name === 'hangs' || name === 'eats') if (name === 'eats') held.push(new Array(10_000).fill(held.length));
  return { outcome: { ok: false, refusal: { code: 'unsupported', message: name } }, transfer: [] };
});
