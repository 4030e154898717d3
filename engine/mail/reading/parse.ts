import { extname } from 'node:path';
import type { GatewayConfig } from '../../config/types.ts';
import { createPool, createSlowPeers, type Peer, type SlowPeers } from '../../lib/workers/pool.ts';
import { firstHeader, headerFault } from '../mime/headers.ts';
import { type MimePart, readStructure, type StructureLimits } from '../mime/structure.ts';
import type { ParsedMail, ParseOutcome, Supposed } from '../mime/types.ts';
import { bodyOf, plainVersion } from './body.ts';
import type { ParseRequest } from './parse-protocol.ts';
import { mailOf, readHead } from './parsed-mail.ts';
import { decodeLeaf } from './plain-reader.ts';

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

const MAX_BYTES = 16 * 1024;
/** Some lines are compared with those around them, and headers with many expressions. */
const MAX_LINES = 400;
const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const TYPE = /^text\/plain(?:;[ \t]*(?:charset="?(?:us-ascii|utf-8)"?|format="?flowed"?|delsp="?(?:yes|no)"?))*$/i;
/** A control character or a byte order mark: for the full reader. */
const UNUSUAL = /(?![\n\t])\p{Cc}|\ufeff/u;
/** The full reader takes a header for another one where its value follows the colon at once. */
const HEADER_LINE = /^(?:[!-9;-~]+: |[ \t]|\r?$)/;
const BARE_CR = /\r(?!\n)/;

/**
 * Reads a small mail of one plain text; null for any other, which a worker thread reads. The result is that of
 * `readMail`. In the caller's thread, so whatever is done here takes time in proportion to the mail, and the bounds
 * keep the worst mail at a few milliseconds: to hand a letter to another thread and back costs several times its reading.
 */
export function readLetter(raw: Uint8Array, limits: StructureLimits, supposed?: Supposed): ParsedMail | null {
  if (raw.byteLength > MAX_BYTES) return null;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (linesOf(bytes) > MAX_LINES) return null;
  const structure = readStructure(bytes, limits);
  if (!structure.ok || structure.block.lines.length === 0 || headerFault(structure.block) !== null) return null;
  if (structure.block.lines.some(({ raw: written }) => written) || bytes.includes(BYTE_ORDER_MARK)) return null;
  if (!isPlainText(structure.root) || !isWrittenPlainly(bytes.toString('latin1'), structure.root.bodyStart))
    return null;
  const { text, exact } = decodeLeaf(bytes, structure.root);
  if (!exact || UNUSUAL.test(text) || (structure.root.charset?.toLowerCase() !== 'utf-8' && /\P{ASCII}/u.test(text)))
    return null;
  const head = readHead(bytes, structure, { supposed });
  const body = bodyOf([plainVersion(text)], head.context);
  return mailOf(head, body, { attachments: [], limitations: body.limitations });
}

function linesOf(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

const isWrittenPlainly = (mail: string, bodyStart: number): boolean =>
  !BARE_CR.test(mail) &&
  mail
    .slice(0, bodyStart)
    .split('\n')
    .every((line) => HEADER_LINE.test(line));

function isPlainText({ headers, encoding }: MimePart): boolean {
  const type = firstHeader(headers, 'content-type') ?? 'text/plain';
  const written = (firstHeader(headers, 'content-transfer-encoding') ?? '').toLowerCase();
  return (
    TYPE.test(type) &&
    written === encoding &&
    ['', '7bit', '8bit', 'quoted-printable'].includes(encoding) &&
    firstHeader(headers, 'content-disposition') === null
  );
}
