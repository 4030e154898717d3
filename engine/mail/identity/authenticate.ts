import { DAY_MS } from '../../lib/time.ts';
import type { Peer as QueuePeer } from '../../lib/workers/pool.ts';
import { addressKey } from '../mime/address.ts';
import type { Arrival, Identity, ParsedMail } from '../mime/types.ts';
import { BORDER_SAYS, OWN_CHECK } from './border/authentication-results.ts';
import { type ByBorder, byBorder, type ToCheck } from './border/by-border.ts';
import { type ResolveDns, systemDns } from './dns.ts';
import { judgeSender, type MailToJudge, unproven } from './judge-sender.ts';
import { byLogin, isProvenByLogin, type LoginLine, loginHint, loginLine, trustedServers } from './login-line.ts';
import { createPatientDns } from './patient-dns.ts';
import type { SenderChecks } from './sender-checks.ts';

interface AuthenticatorOptions {
  /** Empty: the system's. */
  readonly dnsServers: readonly string[];
  /**
   * Names after `by` in Received lines of servers behind our border, `*` for any run, and servers that are believed about
   * logins (security.json `trusted_received`).
   */
  readonly trustedReceived: readonly string[];
  /** Names of all borders that are configured: below a line of such a one anything may stand, in every mailbox. */
  readonly borders?: readonly string[];
  /** Our own name, for the records mailauth writes. */
  readonly hostname: string;
  /** How old a signature may be (security.json `signature_max_age_days`). */
  readonly signatureMaxAgeDays: number;
  /** The threads that check; whoever made them closes them. */
  readonly checks: SenderChecks;
  readonly resolver?: ResolveDns;
}

export interface Authenticator {
  /** Never throws because of the mail or of DNS. */
  authenticate(raw: Uint8Array, mail: ParsedMail, came: Came): Promise<Identity>;
}

/** How a mail came to us. */
interface Came {
  readonly arrival: Arrival;
  /** When it reached us, or its mailbox; ms. */
  readonly arrivedAt: number;
  /** Of the mailbox that it lies in: what one logs in with. */
  readonly account?: string | null;
  /** On whose account it is checked. */
  readonly peer?: QueuePeer;
}

/** Decides whether From is proven (design section 6). What cannot be proven is not; a name never proves anything. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const dns = createPatientDns({ resolve: options.resolver ?? systemDns(options.dnsServers) });
  const trusted = trustedServers(options.trustedReceived);
  const { hops, loginServers } = trusted;
  const borders = options.borders ?? [];
  return {
    async authenticate(raw, mail, { arrival, arrivedAt, account = null, peer: from }) {
      const address = addressIn(mail);
      if (address === null) return nobody(mail);
      if (arrival.door === 'submission') return submitted(address);
      const { provable, date, headers } = mail;
      if (provable.fault !== null) return unproven(address, provable.fault);
      const letter = { address, provable, date, arrivedAt, maxAgeMs: options.signatureMaxAgeDays * DAY_MS };
      const order = { hostname: options.hostname, dns: dns.forOneMail(), from };
      if (arrival.door === 'stranger') return verify(options, raw, letter, { ...order, peer: arrival });
      // A stranger over SMTP writes all of the header himself; here our own servers wrote what stands on top.
      const login = loginLine(headers, trusted, [
        ...borders,
        ...(arrival.authservId === null ? [] : [arrival.authservId]),
      ]);
      const check = ({ peer, byItself }: ToCheck) => verify(options, raw, { ...letter, byItself }, { ...order, peer });
      if (login && isProvenByLogin(login, { address, account }, loginServers)) return byLogin(address, login);
      // Over IMAP there is no peer, so SPF cannot count; an address never does.
      if (arrival.authservId === null) return withHint(await check({ peer: null, byItself: false }), login);
      const stamped = { headers, mailFrom: arrival.door === 'relay' ? arrival.mailFrom : null };
      const said = byBorder(stamped, { authservId: arrival.authservId, trustedReceived: hops }, letter);
      return withHint(await confirmed(said, arrival.authservId, check), login);
    },
  };
}

const nobody = ({ from }: ParsedMail): Identity =>
  unproven(null, `From is ${from.kind === 'missing' ? 'missing' : 'ambiguous'}`);

const addressIn = ({ from }: ParsedMail): string | null =>
  from.kind === 'one' ? addressKey(from.mailbox.address) : null;

/**
 * A border that reads a mail in another way than it lies here was fooled by it, and tells of what nobody else can see: its
 * yes counts where our own check says yes, for as much as that does.
 */
async function confirmed(
  { identity: border, toCheck }: ByBorder,
  authservId: string,
  check: (asked: ToCheck) => Promise<Identity>,
): Promise<Identity> {
  if (toCheck === null) return border;
  const own = await check(toCheck);
  const detail = `${border.detail}${OWN_CHECK}${own.detail}`;
  if (!own.authenticated) return unproven(border.address, `${authservId}${BORDER_SAYS}${detail}`, own.temporary);
  const signatures = [...new Set([...own.signatures, ...border.signatures])];
  return { ...own, method: border.method, signatures, detail };
}

/** A server that took the mail with a login, and is not believed about that, is named. */
const withHint = (identity: Identity, login: LoginLine | null): Identity =>
  identity.authenticated || login === null
    ? identity
    : { ...identity, detail: `${identity.detail}${loginHint(login)}` };

/** Whoever has the secret vouches for the whole of what he hands over. */
const submitted = (address: string): Identity => ({
  address,
  authenticated: true,
  method: 'submission',
  ground: 'login',
  covers: null,
  signatures: [],
  detail: 'sent with the submission secret',
  temporary: false,
});

/** Our own check on the raw bytes. */
async function verify(
  { checks }: AuthenticatorOptions,
  raw: Uint8Array,
  letter: MailToJudge,
  order: Parameters<SenderChecks['check']>[1],
): Promise<Identity> {
  const outcome = await checks.check(raw, order);
  // Too expensive to check is no reason to look again: it would be as expensive the next time.
  return outcome.ok ? judgeSender(outcome.facts, letter) : unproven(letter.address, outcome.detail, outcome.temporary);
}
