import { serveJobs } from '../lib/workers/serve.ts';
import { type Packed, packed } from './packed.ts';
import { type DocumentSource, readDocument } from './read.ts';

serveJobs<DocumentSource, Packed>(async (source) => {
  const read = await readDocument(source);
  if (!read.ok) return { outcome: read, transfer: [] };
  const outcome = packed(read.document);
  const bytes = outcome.ok ? [outcome.text, ...(outcome.tables ? [outcome.tables] : [])] : [];
  return { outcome, transfer: bytes.map(({ buffer }) => buffer) };
});
