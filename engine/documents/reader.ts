import { extname } from 'node:path';
import { EngineError } from '#contract';
import type { CalendarAnswer, CalendarQuestion } from '../calendar/job.ts';
import { createPool, createSlowPeers, type Peer, type Pool } from '../lib/workers/pool.ts';
import { DOCUMENT_DEADLINE_MS, DOCUMENT_HEAP_MB, DOCUMENT_LIMITS } from './limits.ts';
import { type Packed, packed } from './packed.ts';
import type { DocumentSource } from './read.ts';
import { Refused } from './refused.ts';
import type { DocumentRefusalCode } from './types.ts';

/** A calendar file, and what is asked of it. */
export interface CalendarFile {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** As declared; null: it says by itself. */
  readonly charset: string | null;
  /** The calendar within it, of a mail for instance; empty: the file itself. */
  readonly part?: string;
  readonly question: CalendarQuestion;
}

/** What a thread is given. */
export type ReaderJob =
  | { readonly kind: 'document'; readonly source: DocumentSource }
  | { readonly kind: 'calendar'; readonly file: CalendarFile };
export type ReaderOutcome =
  | { readonly kind: 'document'; readonly read: Packed }
  | { readonly kind: 'calendar'; readonly answer: CalendarAnswer };

/** Reads documents in threads of their own, so that none can stop the gateway or hold up a mail. */
export interface DocumentReader {
  /**
   * Never rejects because of the document. Rejects with `unavailable` when no thread can start and with `cancelled`
   * after `close`. The bytes are copied when a thread is free for them. `peer`: on whose account it is read.
   */
  read(source: DocumentSource, peer: Peer): Promise<Packed>;
  /** The same of a calendar and a question about it. */
  ask(file: CalendarFile, peer: Peer): Promise<CalendarAnswer>;
  /** Ends the threads; what they were reading rejects. */
  close(): Promise<void>;
}

// From source the worker is a .ts file, from the published package a .js one.
const ENTRY = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
/** Of calendars larger than that nothing is asked. */
const MAX_CALENDAR_BYTES = 8 * 1024 * 1024;
/** Those are text, and short; what takes longer is written to. */
const CALENDAR_DEADLINE_MS = 5000;
const LANES = 2;
/** So little text takes less time than to start a thread for it. */
const SMALL_BYTES = 64 * 1024;
/** A thread that has read PDFs holds some 60 MB; with nothing to read for so long, none is kept. */
const IDLE_MS = 20_000;

export function createDocumentReader(
  options: {
    readonly deadlineMs?: number;
    readonly heapMb?: number;
    readonly idleMs?: number;
    readonly entry?: URL;
  } = {},
): DocumentReader {
  const { deadlineMs = DOCUMENT_DEADLINE_MS, heapMb = DOCUMENT_HEAP_MB, idleMs = IDLE_MS, entry = ENTRY } = options;
  const slowPeers = createSlowPeers();
  let pool: Pool<ReaderJob, ReaderOutcome> | null = null;
  let working = 0;
  let closed = false;
  let idle: NodeJS.Timeout | undefined;

  const open = () =>
    createPool<ReaderJob, ReaderOutcome>({
      name: 'the document reader',
      entry,
      lanes: LANES,
      heapMb,
      maxBytes: DOCUMENT_LIMITS.maxBytes,
      slowPeers,
    });

  async function endThreads(): Promise<void> {
    const old = pool;
    pool = null;
    await old?.close();
  }

  /** In a thread; the bytes are copied when one is free for them. */
  async function inThread(work: Work): Promise<ReaderOutcome> {
    clearTimeout(idle);
    if (closed) throw new EngineError('cancelled', 'the document reader is closed');
    pool ??= open();
    working += 1;
    const { peer, bytes, jobOf, failed } = work;
    try {
      return await pool.run({
        peer,
        bytes: bytes.length,
        deadlineMs: work.deadlineMs,
        make() {
          const copy = new Uint8Array(bytes);
          return { request: jobOf(copy), transfer: [copy.buffer] };
        },
        answer: () => new Promise<never>(() => {}),
        failed,
      });
    } finally {
      working -= 1;
      if (working === 0 && !closed) idle = setTimeout(() => void endThreads(), idleMs).unref();
    }
  }

  return {
    async read(source, peer) {
      const { bytes } = source;
      if (bytes.length > DOCUMENT_LIMITS.maxBytes) {
        return refused('too_large', `${bytes.length} bytes, ${DOCUMENT_LIMITS.maxBytes} are read`);
      }
      const small = bytes.length <= SMALL_BYTES ? await readHere(source) : null;
      if (small !== null) return small;
      const outcome = await inThread({
        peer,
        bytes,
        deadlineMs,
        jobOf: (copy) => ({ kind: 'document', source: { ...source, bytes: copy } }),
        failed: (reason) => ({
          kind: 'document',
          read: reason.includes('memory')
            ? refused('too_large', 'reading it took too much memory')
            : refused('timeout', `reading it took more than ${deadlineMs / 1000} seconds`),
        }),
      });
      return outcome.kind === 'document' ? outcome.read : refused('broken', 'it is a calendar');
    },
    async ask(file, peer) {
      const { bytes } = file;
      if (bytes.length > MAX_CALENDAR_BYTES) return unreadable('it is too large');
      const outcome = await inThread({
        peer,
        bytes,
        deadlineMs: Math.min(deadlineMs, CALENDAR_DEADLINE_MS),
        jobOf: (copy) => ({ kind: 'calendar', file: { ...file, bytes: copy } }),
        failed: (reason) => ({ kind: 'calendar', answer: unreadable(reason) }),
      });
      return outcome.kind === 'calendar' ? outcome.answer : unreadable('it is no calendar');
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      await endThreads();
    },
  };
}

/** Plain text without a thread; null: it needs one. What reads is loaded with the first document. */
async function readHere(source: DocumentSource): Promise<Packed | null> {
  const { isPlain, readDocument } = await import('./read.ts');
  if (!isPlain(source)) return null;
  const read = await readDocument(source);
  return read.ok ? packed(read.document) : read;
}

const refused = (code: DocumentRefusalCode, why: string): Packed => ({
  ok: false,
  refusal: new Refused(code, why).refusal,
});

const unreadable = (why: string): CalendarAnswer => ({ kind: 'unreadable', why });

/** One job, and what becomes of it when it took too long or its thread died of it. */
interface Work {
  readonly peer: Peer;
  readonly bytes: Uint8Array;
  readonly deadlineMs: number;
  jobOf(copy: Uint8Array): ReaderJob;
  failed(reason: string): ReaderOutcome;
}
