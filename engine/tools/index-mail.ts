import type { PassCrashPoint } from '../lib/crash-points.ts';
import { compactIndex, indexMail, mergeIndex } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { FileToIndex } from '../storage/types/mail.ts';
import { createLibrary, type Library } from './documents/library.ts';
import type { ToolDeps } from './for-run.ts';

/** Messages in one transaction; about 50 ms. */
const PIECE = 100;
const PIECES = 20;
/** Messages whose files are read, one after the other; most of them have been read for the run about them. */
const WITH_FILES = 10;
/** Then whatever else waits for this persona's jobs has its turn. */
const PAUSE_MS = 200;
const MAX_TEXT = 200_000;

/**
 * Takes into the search index what a search does not: mail that was there before the index, newest first, and then the
 * text of attachments. Cut off anywhere it goes on where it was.
 */
export function createMailIndexer(
  deps: Pick<ToolDeps, 'filesOf' | 'documents' | 'clock'> & { readonly pass: PassCrashPoint },
): JobHandler {
  const { clock, documents, filesOf, pass } = deps;
  return handleJobs(indexMail, async (persona, job, store, signal) => {
    const { artifacts } = filesOf(persona.id);
    const account = `${persona.id} index`;
    const library = createLibrary({ store, artifacts, reader: documents, account, now: clock.now });
    const isDone = (await indexMessages(store, signal)) && (await indexFiles({ store, library, signal, pass }));
    if (isDone) await store.endJob(job.id);
    else await store.delayJob(job.id, clock.now() + PAUSE_MS);
  });
}

/** Leaves no word in the index that was deleted of it. Cut off anywhere it begins anew. */
export function createIndexCompactor(): JobHandler {
  return handleJobs(compactIndex, async (_persona, job, store, signal) => {
    for (let isFirst = true; await store.compactIndex(isFirst); isFirst = false) {
      if (signal.aborted) return;
      await new Promise(setImmediate);
    }
    await store.zeroFreePages();
    await store.endJob(job.id);
  });
}

/** Makes one of the parts of the index, in each of which a word is looked up. Cut off anywhere it goes on where it was. */
export function createIndexMerger(): JobHandler {
  return handleJobs(mergeIndex, async (_persona, job, store, signal) => {
    for (let isFirst = true; await store.mergeIndex(isFirst); isFirst = false) {
      if (signal.aborted) return;
      await new Promise(setImmediate);
    }
    await store.endJob(job.id);
  });
}

/** Whether none is left. */
async function indexMessages(store: Store, signal: AbortSignal): Promise<boolean> {
  for (let piece = 0; piece < PIECES && !signal.aborted; piece += 1) {
    if ((await store.indexMail(PIECE)) < PIECE) return true;
    // A mail that comes meanwhile is not to wait for all of it.
    await new Promise(setImmediate);
  }
  return false;
}

async function indexFiles({
  store,
  library,
  signal,
  pass,
}: {
  readonly store: Store;
  readonly library: Library;
  readonly signal: AbortSignal;
  readonly pass: PassCrashPoint;
}): Promise<boolean> {
  const waiting = await store.filesToIndex(WITH_FILES);
  for (const { seq, files } of waiting) {
    if (signal.aborted) return false;
    const texts: string[] = [];
    for (const file of files) texts.push(await textOf(file, library));
    pass('index.files_read');
    await store.indexFiles(seq, texts);
    pass('index.files_taken_in');
  }
  return waiting.length < WITH_FILES;
}

/** Empty of what cannot be read, also where its bytes are gone: then it is found by its name alone. */
async function textOf(file: FileToIndex, library: Library): Promise<string> {
  if (file.unreadable !== null) return '';
  const entry = await library.open(file).catch(() => null);
  return entry?.ok ? (await entry.text().catch(() => '')).slice(0, MAX_TEXT) : '';
}
