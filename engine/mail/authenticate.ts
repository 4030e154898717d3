import type { Peer as QueuePeer } from '../lib/workers/pool.ts';
import { addressKey, domainOf } from './address.ts';
import { readVerdict } from './authentication-results.ts';
import { type ResolveDns, systemDns } from './dns.ts';
import { judgeSender, unproven } from './judge-sender.ts';
import { createPatientDns } from './patient-dns.ts';
import type { SenderChecks } from './sender-checks.ts';
import type { Arrival, Identity, ParsedMail } from './types.ts';

export interface AuthenticatorOptions {
  /** Empty: the system's. */
  readonly dnsServers: readonly string[];
  /** Names after `by` in Received lines of servers behind our border, `*` for any run (security.json `trusted_received`). */
  readonly trustedReceived: readonly string[];
  /** Our own name, for the records mailauth writes. */
  readonly hostname: string;
  /** The threads that check; whoever made them closes them. */
  readonly checks: SenderChecks;
  readonly resolver?: ResolveDns;
}

export interface Authenticator {
  /** Never throws because of the mail or of DNS. `from` is on whose account it is checked. */
  authenticate(raw: Uint8Array, mail: ParsedMail, arrival: Arrival, from?: QueuePeer): Promise<Identity>;
}

/** Decides whether From is proven (design section 6). What cannot be proven is not; a name never proves anything. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const dns = createPatientDns({ resolve: options.resolver ?? systemDns(options.dnsServers) });
  return {
    async authenticate(raw, mail, arrival, from) {
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
        return verify(options, raw, address, { peer, hostname: options.hostname, dns: dns.forOneMail(), from });
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
  { checks }: AuthenticatorOptions,
  raw: Uint8Array,
  address: string,
  order: Parameters<SenderChecks['check']>[1],
): Promise<Identity> {
  const outcome = await checks.check(raw, order);
  // Too expensive to check is no reason to look again: it would be as expensive the next time.
  return outcome.ok ? judgeSender(outcome.facts, address) : unproven(address, outcome.detail, outcome.temporary);
}
