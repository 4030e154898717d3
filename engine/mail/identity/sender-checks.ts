import { extname } from 'node:path';
import { createPool, createSlowPeers, type Peer as QueuePeer, type SlowPeers } from '../../lib/workers/pool.ts';
import type { CheckRequest, DnsAnswer, DnsQuestion } from './check-protocol.ts';
import { dnsCode, type ResolveDns } from './dns.ts';
import type { CheckContext, CheckOutcome } from './sender-check.ts';

export interface SenderChecksOptions {
  /** How long a thread may compute for one mail; waiting for DNS is counted apart. */
  readonly deadlineMs?: number;
  /** Shared with whatever else works on their mail. */
  readonly slowPeers?: SlowPeers;
  /** Another worker than our own; tests bring one that hangs. */
  readonly entry?: URL;
}

export interface SenderChecks {
  /**
   * `checkSender` in a thread of its own, its DNS questions answered here. Never rejects because of the mail: one that
   * takes too long proves nobody, and not only for now. Rejects with `unavailable` when no thread can start and with
   * `cancelled` after `close`. `from` is on whose account it is checked.
   */
  check(raw: Uint8Array, order: CheckContext & { readonly from?: QueuePeer | undefined }): Promise<CheckOutcome>;
  close(): Promise<void>;
}

const ENTRY = new URL(`./check-worker${extname(import.meta.url)}`, import.meta.url);
const DEADLINE_MS = 3000;
const LANES = 2;
const HEAP_MB = 96;
const MAX_FLYING_BYTES = 32 * 1024 * 1024;

/** Checks who wrote a mail in threads of their own, started at the first check and kept. */
export function createSenderChecks(options: SenderChecksOptions = {}): SenderChecks {
  const pool = createPool<CheckRequest, CheckOutcome, DnsQuestion, DnsAnswer>({
    name: 'the sender check',
    entry: options.entry ?? ENTRY,
    lanes: LANES,
    heapMb: HEAP_MB,
    maxBytes: MAX_FLYING_BYTES,
    slowPeers: options.slowPeers ?? createSlowPeers(),
  });
  let unnamed = 0;
  return {
    check: (raw, { peer, hostname, dns, from }) =>
      pool.run({
        peer: from ?? { key: `#${++unnamed}`, first: false },
        bytes: raw.byteLength,
        deadlineMs: options.deadlineMs ?? DEADLINE_MS,
        make() {
          const copy = new Uint8Array(raw);
          return { request: { raw: copy, peer, hostname }, transfer: [copy.buffer] };
        },
        answer: (question) => answerOf(dns, question),
        failed: (reason) => ({ ok: false, detail: `not checked: ${reason}`, temporary: false }),
      }),
    close: pool.close,
  };
}

async function answerOf(dns: ResolveDns, { name, type }: DnsQuestion): Promise<DnsAnswer> {
  try {
    return { ok: true, records: await dns(name, type) };
  } catch (error) {
    return { ok: false, code: dnsCode(error), message: String(error).slice(0, 200) };
  }
}
