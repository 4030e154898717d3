import { serveJobs } from '../lib/workers/serve.ts';
import { packed } from './packed.ts';
import { readDocument } from './read.ts';
import type { ReaderJob, ReaderOutcome } from './reader.ts';

serveJobs<ReaderJob, ReaderOutcome>(async (job) => {
  if (job.kind === 'calendar') {
    // The library for calendars is loaded with the first of them.
    const { askCalendar } = await import('./ask-calendar.ts');
    return { outcome: { kind: 'calendar', answer: await askCalendar(job.file) }, transfer: [] };
  }
  const read = await readDocument(job.source);
  if (!read.ok) return { outcome: { kind: 'document', read }, transfer: [] };
  const outcome = packed(read.document);
  const bytes = outcome.ok ? [outcome.text, ...(outcome.tables ? [outcome.tables] : [])] : [];
  return { outcome: { kind: 'document', read: outcome }, transfer: bytes.map(({ buffer }) => buffer) };
});
