import { withDeadline } from '../lib/deadline.ts';
import { addressKey, domainOf } from './address.ts';
import { readVerdict } from './authentication-results.ts';
import { type ResolveDns, systemDns } from './dns.ts';
import { judgeSender, type Letter, unproven } from './judge-sender.ts';
import { judgeStamp } from './judge-stamp.ts';
import { checkSender, type Peer } from './sender-check.ts';
import type { Arrival, Identity, ParsedMail } from './types.ts';

export interface AuthenticatorOptions {
  /** Empty: the system's. */
  readonly dnsServers: readonly string[];
  /** Names after `by` in Received lines of servers behind our border, `*` for any run (security.json `trusted_received`). */
  readonly trustedReceived: readonly string[];
  /** Our own name, for the records mailauth writes. */
  readonly hostname: string;
  /** How old a signature may be (security.json `signature_max_age_days`). */
  readonly signatureMaxAgeDays: number;
  readonly resolver?: ResolveDns;
}

export interface Authenticator {
  /** `arrivedAt` in ms: when the mail reached us, or its mailbox. Never throws because of the mail or of DNS. */
  authenticate(raw: Uint8Array, mail: ParsedMail, arrival: Arrival, arrivedAt: number): Promise<Identity>;
}

const DNS_DEADLINE_MS = 30_000;
const DAY_MS = 24 * 3_600_000;

/** Decides whether From is proven (design section 6). What cannot be proven is not; a name never proves anything. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const dns = options.resolver ?? systemDns(options.dnsServers);
  return {
    async authenticate(raw, mail, arrival, arrivedAt) {
      const address = mail.from.kind === 'one' ? addressKey(mail.from.mailbox.address) : null;
      if (address === null) return unproven(null, `From is ${mail.from.kind === 'missing' ? 'missing' : 'ambiguous'}`);
      if (arrival.door === 'submission') return submitted(address);
      const { provable, date, headers } = mail;
      if (provable.fault !== null) return unproven(address, provable.fault);
      const letter = { address, provable, date, arrivedAt, maxAgeMs: options.signatureMaxAgeDays * DAY_MS };
      const stamped = arrival.door === 'stranger' ? null : arrival.authservId;
      if (stamped === null) {
        // Over IMAP there is no peer, so SPF cannot count; an address never does.
        const peer = arrival.door === 'stranger' ? arrival : null;
        return verify(raw, letter, { peer, hostname: options.hostname, dns });
      }
      const border = { authservId: stamped, trustedReceived: options.trustedReceived };
      return judgeStamp(readVerdict(headers, { domain: domainOf(address) }, border), headers, letter);
    },
  };
}

/** Whoever has the secret vouches for the whole of what he hands over. */
const submitted = (address: string): Identity => ({
  address,
  authenticated: true,
  method: 'submission',
  covers: null,
  signatures: [],
  detail: 'sent with the submission secret',
  temporary: false,
});

/** Our own check on the raw bytes. */
async function verify(
  raw: Uint8Array,
  letter: Letter,
  how: { peer: Peer | null; hostname: string; dns: ResolveDns },
): Promise<Identity> {
  const work = () => checkSender(raw, how);
  try {
    const facts = await withDeadline(work, { ms: DNS_DEADLINE_MS, code: 'timeout', what: 'checking the sender' });
    return judgeSender(facts, letter);
  } catch (error) {
    return unproven(letter.address, error instanceof Error ? error.message : 'the sender could not be checked', true);
  }
}
