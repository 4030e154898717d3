import type { AuthenticateResult } from 'mailauth';
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

/** Checks SPF, DKIM, DMARC and ARC over the raw bytes. Rejects where mailauth does. */
export async function checkSender(
  raw: Uint8Array,
  { peer, hostname, dns }: { peer: Peer | null; hostname: string; dns: ResolveDns },
): Promise<SenderFacts> {
  const guarded = guardDns(dns);
  // Half a second of loading that most gateways need only when the first such mail comes.
  const { authenticate } = await import('mailauth');
  const result = await authenticate(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), {
    ...(peer ? { ip: peer.ip, helo: peer.helo, sender: peer.mailFrom } : {}),
    mta: hostname,
    disableBimi: true,
    rejectRsaSha1: true,
    // @ts-expect-error mailauth's own type forgets that MX answers are objects, which its code expects.
    resolver: guarded.resolve,
  });
  return factsOf(result, peer !== null, guarded.failed());
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
    passed: status.result === 'pass',
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
