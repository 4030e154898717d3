import { Readable } from 'node:stream';
import { type AuthenticateResult, authenticate } from 'mailauth';
import { bytesToCheck } from './bytes-to-check.ts';
import { guardDns, type ResolveDns } from './dns.ts';

/** The connection that a mail came over; null where there was none to look at, as in a mailbox. */
export interface Peer {
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
  readonly peer: Peer | null;
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
