import { extname } from 'node:path';
import type { GatewayConfig } from '../config/types.ts';
import { createParseLane } from './parse-lane.ts';
import type { ParseOutcome } from './types.ts';

export interface MailParserOptions {
  /** Asked for each mail. */
  readonly limits: GatewayConfig['limits'];
  /** How long one mail may take once the thread has it. */
  readonly deadlineMs?: number;
  readonly heapMb?: number;
  readonly workers?: number;
  /** Another worker than our own; tests bring one that hangs. */
  readonly entry?: URL;
}

export interface MailParserPool {
  /**
   * Never rejects because of the mail: hostile mail gives `ok: false`, and mail that hung or exhausted the full
   * reader is read once more with only headers and first text. Rejects with `unavailable` when no thread can start and
   * with `cancelled` after `close`. `raw` is copied and stays the caller's.
   */
  parse(raw: Uint8Array): Promise<ParseOutcome>;
  /** Ends the threads; what they were reading rejects. */
  close(): Promise<void>;
}

// From source the worker is a .ts file, from the published package a .js one.
const ENTRY = new URL(`./parse-worker${extname(import.meta.url)}`, import.meta.url);

/** Reads mail in threads of their own, started at the first mail and kept, so that no mail can stop the gateway. */
export function createMailParser(options: MailParserOptions): MailParserPool {
  const lanes = Array.from({ length: options.workers ?? 1 }, () =>
    createParseLane({
      get limits() {
        return options.limits;
      },
      deadlineMs: options.deadlineMs ?? 10_000,
      heapMb: options.heapMb ?? 512,
      entry: options.entry ?? ENTRY,
    }),
  );
  return {
    parse(raw) {
      const [first, ...rest] = lanes;
      const lane = rest.reduce((best, each) => (best && best.load() <= each.load() ? best : each), first);
      if (!lane) return Promise.reject(new RangeError('a mail parser needs at least one worker'));
      return lane.parse(raw);
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}
