import { extname } from 'node:path';
import type { GatewayConfig } from '../../config/types.ts';
import { createPool, type Peer } from '../../lib/workers/pool.ts';
import { createSlowPeers, type SlowPeers } from '../../lib/workers/slow-peers.ts';
import type { ParsedMail, ParseOutcome, Supposed } from '../mime/types.ts';
import { readLetter } from './letter.ts';
import type { ParseRequest } from './parse-protocol.ts';

export interface MailParserOptions {
  /** Asked for each mail. */
  readonly limits: GatewayConfig['limits'];
  /** How long one mail may take once a thread has it. */
  readonly deadlineMs?: number;
  readonly heapMb?: number;
  readonly workers?: number;
  /** Shared with whatever else works on their mail. */
  readonly slowPeers?: SlowPeers;
  /** Another worker than our own, which reads every mail; tests bring one that hangs. */
  readonly entry?: URL;
}

export interface MailParserPool {
  /**
   * Never rejects because of the mail: hostile mail gives `ok: false`, and mail that hung or exhausted the full
   * reader is read once more with only headers and first text. Rejects with `unavailable` when no thread can start and
   * with `cancelled` after `close`. `raw` is copied when a thread is free for it, and stays the caller's.
   *
   * `peer` is on whose account it is read; without one it shares with nobody. `supposed`: what is read into it.
   */
  parse(raw: Uint8Array, how?: { readonly peer?: Peer; readonly supposed?: Supposed }): Promise<ParseOutcome>;
  /** Ends the threads; what they were reading rejects. */
  close(): Promise<void>;
}

// From source the worker is a .ts file, from the published package a .js one.
const ENTRY = new URL(`./parse-worker${extname(import.meta.url)}`, import.meta.url);
const DEADLINE_MS = 3000;
/** Headers and the first text alone, of a mail that has cost the other deadline already. */
const PLAIN_DEADLINE_MS = 1000;
/** Two mails of the usual limit never lie in threads at once: each takes several times its size while it is read. */
const MAX_IN_FLIGHT_BYTES = 32 * 1024 * 1024;

/**
 * Reads mail in threads of their own, started at the first mail that is more than a small plain letter and kept, so that
 * no mail can stop the gateway.
 */
export function createMailParser(options: MailParserOptions): MailParserPool {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const pool = createPool<ParseRequest, ParseOutcome>({
    name: 'the mail parser',
    entry: options.entry ?? ENTRY,
    lanes: options.workers ?? 2,
    heapMb: options.heapMb ?? 128,
    maxBytes: MAX_IN_FLIGHT_BYTES,
    slowPeers: options.slowPeers ?? createSlowPeers(),
  });
  let unnamed = 0;
  let closed = false;
  return {
    async parse(raw, { peer, supposed } = {}) {
      const letter = options.entry === undefined && !closed ? letterOf(raw, options.limits, supposed) : null;
      if (letter !== null) return { ok: true, mail: letter };
      const account = peer ?? { key: `#${++unnamed}`, first: false };
      const read = (plain: boolean) =>
        pool.run({
          peer: account,
          bytes: raw.byteLength,
          deadlineMs: plain ? Math.min(deadlineMs, PLAIN_DEADLINE_MS) : deadlineMs,
          make() {
            // The caller's bytes may lie in a shared pool and are needed again: one exact copy is handed over.
            const copy = new Uint8Array(raw);
            return {
              request: { raw: copy, limits: options.limits, plain, supposed: supposed ?? null },
              transfer: [copy.buffer],
            };
          },
          answer: neverAsked,
          failed: (message) => ({ ok: false, code: 'unparsable', message }),
        });
      const outcome = await read(false);
      return outcome.ok || outcome.code !== 'unparsable' ? outcome : read(true);
    },
    close() {
      closed = true;
      return pool.close();
    },
  };
}

/** A bug of ours in the short way is no reason to lose a mail: a thread reads it then. */
function letterOf(raw: Uint8Array, limits: MailParserOptions['limits'], supposed?: Supposed): ParsedMail | null {
  try {
    return readLetter(raw, limits, supposed);
  } catch {
    return null;
  }
}

const neverAsked = (): Promise<never> => new Promise(() => {});
