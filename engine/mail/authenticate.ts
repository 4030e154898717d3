import type { AuthenticateResult, DMARCResult } from 'mailauth';
import { withDeadline } from '../lib/deadline.ts';
import { addressKey, domainOf } from './address.ts';
import { readVerdict } from './authentication-results.ts';
import { guardDns, type ResolveDns, systemDns } from './dns.ts';
import type { Arrival, Identity, ParsedMail } from './types.ts';

export interface AuthenticatorOptions {
  /** Empty: the system's. */
  readonly dnsServers: readonly string[];
  /** Names after `by` in Received lines of servers behind our border, `*` for any run (security.json `trusted_received`). */
  readonly trustedReceived: readonly string[];
  /** Our own name, for the records mailauth writes. */
  readonly hostname: string;
  readonly resolver?: ResolveDns;
}

export interface Authenticator {
  /** Never throws because of the mail or of DNS. */
  authenticate(raw: Uint8Array, mail: ParsedMail, arrival: Arrival): Promise<Identity>;
}

const DNS_DEADLINE_MS = 30_000;

/** Decides whether From is proven (design section 6). What cannot be proven is not; a name never proves anything. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const dns = options.resolver ?? systemDns(options.dnsServers);
  return {
    async authenticate(raw, mail, arrival) {
      const address = mail.from.kind === 'one' ? addressKey(mail.from.mailbox.address) : null;
      if (address === null) return unproven(null, `From is ${mail.from.kind === 'missing' ? 'missing' : 'ambiguous'}`);
      if (arrival.door === 'submission') {
        return {
          address,
          authenticated: true,
          method: 'submission',
          detail: 'sent with the submission secret',
          temporary: false,
        };
      }
      const stamped = arrival.door === 'stranger' ? null : arrival.authservId;
      if (stamped === null) return verify(raw, address, arrival, options.hostname, dns);
      const border = { authservId: stamped, trustedReceived: options.trustedReceived };
      const { passed, detail } = readVerdict(mail.headers, { domain: domainOf(address) }, border);
      if (!passed) return unproven(address, detail);
      return { address, authenticated: true, method: 'authentication-results', detail, temporary: false };
    },
  };
}

const unproven = (address: string | null, detail: string, temporary = false): Identity => ({
  address,
  authenticated: false,
  method: 'none',
  detail,
  temporary,
});

/** Our own check on the raw bytes. Over IMAP there is no peer, so SPF cannot count; an address never does. */
async function verify(
  raw: Uint8Array,
  address: string,
  arrival: Arrival,
  hostname: string,
  dns: ResolveDns,
): Promise<Identity> {
  const guarded = guardDns(dns);
  const peer = arrival.door === 'stranger' ? { ip: arrival.ip, helo: arrival.helo, sender: arrival.mailFrom } : {};
  const work = async () => {
    // Half a second of loading that most gateways need only when the first such mail comes.
    const { authenticate } = await import('mailauth');
    return authenticate(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), {
      ...peer,
      mta: hostname,
      disableBimi: true,
      rejectRsaSha1: true,
      // @ts-expect-error mailauth's own type forgets that MX answers are objects, which its code expects.
      resolver: guarded.resolve,
    });
  };
  try {
    const result = await withDeadline(work, { ms: DNS_DEADLINE_MS, code: 'timeout', what: 'checking the sender' });
    return judge(result, address, arrival.door === 'stranger', guarded.failed());
  } catch (error) {
    return unproven(address, error instanceof Error ? error.message : 'the sender could not be checked', true);
  }
}

function judge(result: AuthenticateResult, address: string, withSpf: boolean, dnsFailed: boolean): Identity {
  const domain = domainOf(address);
  const dkim = result.dkim.results.find(isWhole);
  const spf = withSpf ? spfDomain(result) : null;
  const dmarc = result.dmarc === false ? null : result.dmarc;
  const facts = [
    `dmarc=${dmarc?.status.result ?? 'none'}`,
    `dkim=${dkim ? `pass (${dkim.signingDomain})` : 'none'}`,
    `spf=${spf ? `pass (${spf})` : 'none'}`,
  ].join(' ');
  // No `dmarc` at all means more than one author to mailauth, whatever we read in From.
  if (!dmarc || dmarc.status.header?.from !== domain) {
    return unproven(address, `${facts}: no single author domain`, dnsFailed);
  }
  const ground = groundOf(dmarc, { dkim: dkim !== undefined, spf, domain });
  if (ground !== null) {
    return { address, authenticated: true, method: 'dmarc', detail: facts + ground, temporary: false };
  }
  // ARC tells what another server saw. It may explain a failure and proves nobody (RFC 8617 section 7.2).
  const arc = result.arc === false ? '' : ` arc=${result.arc.status.result}`;
  return unproven(address, facts + arc, dnsFailed || dmarc.status.result === 'temperror');
}

/** Why From is proven, as the end of a sentence; null when it is not. */
function groundOf(dmarc: DMARCResult, proof: { dkim: boolean; spf: string | null; domain: string }): string | null {
  const { dkim, spf, domain } = proof;
  const spfAligned = spf !== null && dmarc.alignment?.spf.result !== undefined;
  if (dmarc.status.result === 'pass') return dkim || spfAligned ? '' : null;
  if (dmarc.status.result !== 'none') return null;
  if (dkim) return ': no DMARC record, but an aligned DKIM signature';
  return spf === domain || spf?.endsWith(`.${domain}`) ? ': no DMARC record, but aligned SPF' : null;
}

function spfDomain({ spf }: AuthenticateResult): string | null {
  return spf !== false && spf.status.result === 'pass' ? spf.domain.toLowerCase() : null;
}

type DkimResult = AuthenticateResult['dkim']['results'][number];

/** Passed, aligned, and over the whole body: with `l=` anyone may add text below what was signed. */
function isWhole({ status, signingHeaders, signatureTimeValid }: DkimResult): boolean {
  if (status.result !== 'pass' || !status.aligned || status.testing === true) return false;
  return (
    !status.underSized && signatureTimeValid !== false && /(^|[:\s])from($|[:\s])/i.test(signingHeaders?.keys ?? '')
  );
}
