import { extname } from 'node:path';
import { EngineError } from '#contract';
import { createPool, type Peer, type Pool } from '../lib/workers/pool.ts';
import { createSlowPeers } from '../lib/workers/slow-peers.ts';
import { DOCUMENT_DEADLINE_MS, DOCUMENT_HEAP_MB, DOCUMENT_LIMITS } from './limits.ts';
import { type Packed, packed } from './packed.ts';
import { type DocumentSource, isPlain, readDocument } from './read.ts';
import { Refused } from './refused.ts';
import type { RefusalCode } from './types.ts';

/** Reads documents in threads of their own, so that none can stop the gateway or hold up a mail. */
export interface DocumentReader {
  /**
   * Never rejects because of the document. Rejects with `unavailable` when no thread can start and with `cancelled`
   * after `close`. The bytes are copied when a thread is free for them. `peer`: on whose account it is read.
   */
  read(source: DocumentSource, peer: Peer): Promise<Packed>;
  /** Ends the threads; what they were reading rejects. */
  close(): Promise<void>;
}

// From source the worker is a .ts file, from the published package a .js one.
const ENTRY = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
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
  let pool: Pool<DocumentSource, Packed> | null = null;
  let working = 0;
  let closed = false;
  let idle: NodeJS.Timeout | undefined;

  const open = () =>
    createPool<DocumentSource, Packed>({
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

  return {
    async read(source, peer) {
      const { bytes } = source;
      if (bytes.length > DOCUMENT_LIMITS.maxBytes) {
        return refused('too_large', `${bytes.length} bytes, ${DOCUMENT_LIMITS.maxBytes} are read`);
      }
      if (bytes.length <= SMALL_BYTES && isPlain(source)) {
        const read = await readDocument(source);
        return read.ok ? packed(read.document) : read;
      }
      clearTimeout(idle);
      if (closed) throw new EngineError('cancelled', 'the document reader is closed');
      pool ??= open();
      working += 1;
      try {
        return await pool.run({
          peer,
          bytes: bytes.length,
          deadlineMs,
          make() {
            const copy = new Uint8Array(bytes);
            return { request: { ...source, bytes: copy }, transfer: [copy.buffer] };
          },
          answer: () => new Promise<never>(() => {}),
          failed: (reason) =>
            reason.includes('memory')
              ? refused('too_large', 'reading it took too much memory')
              : refused('timeout', `reading it took more than ${deadlineMs / 1000} seconds`),
        });
      } finally {
        working -= 1;
        if (working === 0 && !closed) idle = setTimeout(() => void endThreads(), idleMs).unref();
      }
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      await endThreads();
    },
  };
}

const refused = (code: RefusalCode, why: string): Packed => ({ ok: false, refusal: new Refused(code, why).refusal });
