import { withDeadline } from '../lib/deadline.ts';
import { addressKey, domainOf } from './address.ts';
import { readVerdict } from './authentication-results.ts';
import { type ResolveDns, systemDns } from './dns.ts';
import { judgeSender, unproven } from './judge-sender.ts';
import { checkSender, type Peer } from './sender-check.ts';
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
      if (stamped === null) {
        // Over IMAP there is no peer, so SPF cannot count; an address never does.
        const peer = arrival.door === 'stranger' ? arrival : null;
        return verify(raw, address, { peer, hostname: options.hostname, dns });
      }
      const border = { authservId: stamped, trustedReceived: options.trustedReceived };
      const { passed, detail } = readVerdict(mail.headers, { domain: domainOf(address) }, border);
      if (!passed) return unproven(address, detail);
      return { address, authenticated: true, method: 'authentication-results', detail, temporary: false };
    },
  };
}

/** Our own check on the raw bytes. */
async function verify(
  raw: Uint8Array,
  address: string,
  how: { peer: Peer | null; hostname: string; dns: ResolveDns },
): Promise<Identity> {
  const work = () => checkSender(raw, how);
  try {
    const facts = await withDeadline(work, { ms: DNS_DEADLINE_MS, code: 'timeout', what: 'checking the sender' });
    return judgeSender(facts, address);
  } catch (error) {
    return unproven(address, error instanceof Error ? error.message : 'the sender could not be checked', true);
  }
}
