import { Readable } from 'node:stream';
import { type AuthenticateResult, authenticate } from 'mailauth';
import { readHeaders } from '../mime/headers.ts';
import { guardDns, type ResolveDns } from './dns.ts';

/** The connection that a mail came over; null where there was none to look at, as in a mailbox. */
export interface ServerOfMail {
  readonly ip: string;
  readonly helo: string;
  /** MAIL FROM; empty for `<>`. */
  readonly mailFrom: string;
}

/** One DKIM signature that was looked at. */
export interface SignatureFacts {
  /** It verifies over headers and body. */
  readonly passed: boolean;
  /** `d=` belongs to the domain of From. */
  readonly aligned: boolean;
  /** The key's record says that its domain is only testing (`t=y`). */
  readonly testing: boolean;
  /** `l=` leaves a part of the body out. */
  readonly partial: boolean;
  /** `x=` is over, or `t=` lies in the future. */
  readonly outOfTime: boolean;
  readonly domain: string;
  /** Lower-case names of the headers that are there and that it covers, with repeats. */
  readonly covered: readonly string[];
  /** SHA-256 of the signature's bytes. */
  readonly sha256: string;
  /** `t=` in ms; null without one. */
  readonly signedAt: number | null;
}

/** What the check of a mail's bytes brought, before anybody judges it. Plain data: it may come from another thread. */
export interface SenderFacts {
  readonly signatures: readonly SignatureFacts[];
  /** The domain that SPF passes for, in lower case; null without one. */
  readonly spf: string | null;
  /** Null where no single author domain was found. */
  readonly dmarc: { readonly domain: string; readonly result: string; readonly spfAligned: boolean } | null;
  /** ARC's result; null without a chain. */
  readonly arc: string | null;
  /** Whether a DNS question stayed without an answer for now. */
  readonly dnsFailed: boolean;
}

export type CheckOutcome =
  | { readonly ok: true; readonly facts: SenderFacts }
  /** The mail cannot be checked, and so proves nobody. `temporary`: because DNS does not answer for now. */
  | { readonly ok: false; readonly detail: string; readonly temporary: boolean };

export interface CheckContext {
  readonly peer: ServerOfMail | null;
  /** Our own name, for the records mailauth writes. */
  readonly hostname: string;
  readonly dns: ResolveDns;
}

/**
 * Checks SPF, DKIM, DMARC and ARC over a mail's bytes, once they are within the caps of `bytesToCheck`. Never rejects. It
 * computes over what a stranger chose, so it runs in a thread of its own (`check-worker.ts`).
 *
 * Not async, and the bytes go on as a stream: a check waits for DNS for seconds, and its frame would keep them.
 */
export function checkSender(raw: Buffer, context: CheckContext): Promise<CheckOutcome> {
  const given = bytesToCheck(raw);
  if (!given.ok) return Promise.resolve({ ok: false, detail: given.detail, temporary: false });
  return checkStream(inOnePiece(given.bytes), context);
}

async function checkStream(mail: Readable, { peer, hostname, dns }: CheckContext): Promise<CheckOutcome> {
  const guarded = guardDns(dns);
  try {
    const result = await authenticate(mail, {
      ...(peer ? { ip: peer.ip, helo: peer.helo, sender: peer.mailFrom } : {}),
      mta: hostname,
      disableBimi: true,
      rejectRsaSha1: true,
      // @ts-expect-error mailauth's own type forgets that MX answers are objects, which its code expects.
      resolver: guarded.resolve,
    });
    return { ok: true, facts: factsOf(result, peer !== null, guarded.failed()) };
  } catch (error) {
    // The same bytes would bring the same error again, unless it came of DNS.
    return { ok: false, detail: `not checked: ${String(error).slice(0, 500)}`, temporary: guarded.failed() };
  }
}

/** mailauth copies the beginning of a line again for each piece: 25 MB without a line break took it many seconds. */
function inOnePiece(raw: Buffer): Readable {
  let bytes: Buffer | null = raw;
  return new Readable({
    read() {
      this.push(bytes);
      if (bytes !== null) this.push(null);
      bytes = null;
    },
  });
}

function factsOf(result: AuthenticateResult, withSpf: boolean, dnsFailed: boolean): SenderFacts {
  const { dkim, spf, dmarc, arc } = result;
  return {
    signatures: dkim.results.map(signatureFacts),
    spf: withSpf && spf !== false && spf.status.result === 'pass' ? spf.domain.toLowerCase() : null,
    // No `dmarc` at all means more than one author to mailauth, whatever we read in From.
    dmarc:
      dmarc === false || !dmarc?.status.header?.from
        ? null
        : {
            domain: dmarc.status.header.from,
            result: dmarc.status.result,
            spfAligned: dmarc.alignment?.spf.result !== undefined,
          },
    arc: arc === false ? null : arc.status.result,
    dnsFailed,
  };
}

type DkimResult = AuthenticateResult['dkim']['results'][number];

function signatureFacts(result: DkimResult): SignatureFacts {
  const { status, signingHeaders, signatureTimeValid, signingDomain, id, signTime } = result;
  return {
    // A signature for somebody outside of its domain is none, which mailauth only warns of (RFC 6376 section 6.1.1).
    passed: status.result === 'pass' && !status.warnings?.includes('identity-domain'),
    aligned: Boolean(status.aligned),
    testing: status.testing === true,
    partial: Boolean(status.underSized),
    outOfTime: signatureTimeValid === false,
    domain: signingDomain ?? '',
    covered: (signingHeaders?.keys ?? '')
      .split(':')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
    sha256: id ?? '',
    signedAt: signTime ? Date.parse(signTime) : null,
  };
}

/** The bytes that a verifier may have, or why it gets none. */
type Checkable = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly detail: string };

// Each of these made one small mail stop a verifier for seconds to minutes; no honest mail comes near.
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_HEADER_LINES = 1000;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_SIGNATURES = 10;
const MAX_SIGNED_NAMES = 100;
const MAX_ARC_SETS = 10;

const LF = 0x0a;
const CR = 0x0d;
const FIELD = /^([!-9;-~]+)[ \t]*:/;
const ARC = new Set(['arc-seal', 'arc-message-signature', 'arc-authentication-results']);

/** One header with its folds, by offsets into the mail; `end` is behind its last line break. */
interface Field {
  readonly name: string;
  readonly start: number;
  end: number;
}

/**
 * What the verifier checks: the headers as we read them, one blank line, and what we take as the body. So both split a
 * mail at the same place, whatever it looks like. Line breaks become CRLF, which verifiers do anyway, but slowly.
 */
export function bytesToCheck(raw: Buffer): Checkable {
  const { bodyStart } = readHeaders(raw);
  if (bodyStart > MAX_HEADER_BYTES) return refused(`its header is larger than ${MAX_HEADER_BYTES / 1024} KiB`);
  const fields = fieldsOf(raw, bodyStart);
  if (typeof fields === 'string') return refused(fields);
  const tags = new Map(fields.filter(isSignature).map((field) => [field, tagsOf(raw, field)]));
  // What covers only a part of the body proves nothing, and each length would be another pass over the whole body.
  const kept = fields.filter((field) => !(field.name === 'dkim-signature' && tags.get(field)?.has('l')));
  const tooMany = overCap(kept, tags);
  if (tooMany !== null) return refused(tooMany);
  // Without a signature nobody asks for the body.
  const body = kept.some(isSignature) ? raw.subarray(bodyStart) : raw.subarray(0, 0);
  return { ok: true, bytes: joined([...kept.map(({ start, end }) => raw.subarray(start, end)), body]) };
}

const refused = (what: string): Checkable => ({ ok: false, detail: `not checked: ${what}` });

const isSignature = ({ name }: Field): boolean => name === 'dkim-signature' || name === 'arc-message-signature';

function fieldsOf(raw: Buffer, bodyStart: number): Field[] | string {
  const fields: Field[] = [];
  let lines = 0;
  for (let start = 0, end = 0; start < bodyStart; start = end) {
    const newline = raw.indexOf(LF, start);
    end = newline < 0 ? bodyStart : Math.min(newline + 1, bodyStart);
    const line = raw.toString('latin1', start, end).replace(/\r?\n$/, '');
    if (line === '') break;
    lines += 1;
    if (lines > MAX_HEADER_LINES) return `its header has more than ${MAX_HEADER_LINES} lines`;
    const last = fields.at(-1);
    const name = FIELD.exec(line)?.[1]?.toLowerCase();
    if (last && /^[ \t]/.test(line)) last.end = end;
    else if (name !== undefined) fields.push({ name, start, end });
    // Verifiers count such a line to the header above it, other readers do not.
    else return 'a line of its header is no header';
  }
  return fields;
}

/** Tags of a signature by lower-case name, as lenient verifiers read them; of one that stands twice, the longest. */
function tagsOf(raw: Buffer, { start, end }: Field): Map<string, string> {
  const text = raw.toString('utf8', start, end);
  const tags = new Map<string, string>();
  for (const part of text.slice(text.indexOf(':') + 1).split(';')) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const name = part.slice(0, equals).trim().toLowerCase();
    const value = part.slice(equals + 1);
    if (value.length >= (tags.get(name)?.length ?? 0)) tags.set(name, value);
  }
  return tags;
}

function overCap(fields: readonly Field[], tags: ReadonlyMap<Field, ReadonlyMap<string, string>>): string | null {
  // One Received of nothing but comments took the check seconds.
  const long = fields.find(({ start, end }) => end - start > MAX_FIELD_BYTES);
  if (long) return `its ${long.name} is larger than ${MAX_FIELD_BYTES / 1024} KiB`;
  const countOf = (name: string) => fields.filter((field) => field.name === name).length;
  if (countOf('dkim-signature') > MAX_SIGNATURES) return `it has more than ${MAX_SIGNATURES} DKIM signatures`;
  if ([...ARC].some((name) => countOf(name) > MAX_ARC_SETS)) return `it has more than ${MAX_ARC_SETS} ARC sets`;
  const names = fields.map((field) => tags.get(field)?.get('h')?.split(':').length ?? 0);
  return names.some((count) => count > MAX_SIGNED_NAMES)
    ? `a signature of it names more than ${MAX_SIGNED_NAMES} headers`
    : null;
}

/** Headers and, as the last piece, the body, with a blank line between them and every line break as CRLF. */
function joined(pieces: readonly Buffer[]): Buffer {
  const room = pieces.reduce((sum, piece) => sum + piece.length + bareBreaks(piece) + 4, 0);
  const bytes = Buffer.allocUnsafeSlow(room);
  let at = 0;
  pieces.forEach((piece, index) => {
    const isBody = index === pieces.length - 1;
    if (isBody) at = writeBreak(bytes, at);
    at = writeLines(bytes, at, piece);
    if (!isBody && piece.at(-1) !== LF) at = writeBreak(bytes, at);
  });
  return bytes.subarray(0, at);
}

function writeBreak(bytes: Buffer, at: number): number {
  bytes[at] = CR;
  bytes[at + 1] = LF;
  return at + 2;
}

function writeLines(bytes: Buffer, start: number, piece: Buffer): number {
  if (bareBreaks(piece) === 0) return start + piece.copy(bytes, start);
  let at = start;
  let before = 0;
  for (const byte of piece) {
    if (byte === LF && before !== CR) bytes[at++] = CR;
    bytes[at++] = byte;
    before = byte;
  }
  return at;
}

function bareBreaks(piece: Buffer): number {
  let count = 0;
  for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, at + 1)) if (piece[at - 1] !== CR) count += 1;
  return count;
}
