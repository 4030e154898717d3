import { matchesGlob } from '../../lib/glob.ts';
import { believedHeaders } from '../../mail/identity/border/authentication-results.ts';
import { byBorder } from '../../mail/identity/border/by-border.ts';
import { stamperOf, UNNAMED } from '../../mail/identity/border/results-header.ts';
import { isProvenByLogin, loginEntry, loginLine, trustedServers } from '../../mail/identity/login-line.ts';
import { isLmtp, isTakenWithLogin, protocolIn, receivedBy } from '../../mail/identity/received-line.ts';
import type { HeaderLine } from '../../mail/mime/headers.ts';
import { PROVIDERS } from '../../mailbox/finding/providers.ts';

/** What a mailbox's own server writes on top of a mail. */
export interface LearnedServer {
  /** The name in its Authentication-Results, or `UNNAMED`; null where it wrote none. */
  readonly authservId: string | null;
  /** The servers between that and the mailbox, as `trusted_received` names them; with one that logins prove senders by. */
  readonly trustedReceived: readonly string[];
}

/** One that has written an Authentication-Results. */
export type NamedBorder = LearnedServer & { readonly authservId: string };

/** The first header of a trial mail: what stands above it was written after the mail was sent. */
export const MARK = 'x-epistle-trial';

const traceOf = (lines: readonly HeaderLine[], mark: string): readonly HeaderLine[] => {
  const ours = lines.findIndex(({ name, value }) => name === MARK && value.trim() === mark);
  return ours < 0 ? [] : lines.slice(0, ours);
};

/**
 * Pure. The borders in the header of a mail that we sent ourselves: all above our mark was written by servers on the way.
 * The topmost is that of the mailbox's own side; some write under several names.
 */
export function bordersIn(lines: readonly HeaderLine[], mark: string): readonly NamedBorder[] {
  const trace = traceOf(lines, mark);
  const found = new Map<string, NamedBorder>();
  for (const [at, { name, value }] of trace.entries()) {
    const authservId = name === 'authentication-results' ? stamperOf(value) : null;
    if (authservId !== null && !found.has(authservId)) {
      found.set(authservId, { authservId, trustedReceived: hostsAbove(trace, at) });
    }
  }
  return [...found.values()];
}

/** Pure. The servers that wrote a Received line on a mail that we sent ourselves. */
export function serversIn(lines: readonly HeaderLine[], mark: string): readonly string[] {
  const hosts = traceOf(lines, mark).map(({ name, value }) => (name === 'received' ? receivedBy(value) : null));
  return [...new Set(hosts.filter((host) => host !== null))];
}

/**
 * Pure. The server that took our mail with our login, and those behind it. Nothing where one of these took it over SMTP: it
 * may be the very server that takes mail from outside, too, and then a line that came with such a mail would be believed.
 */
export function learnLogin(lines: readonly HeaderLine[], mark: string): LearnedServer {
  const trace = traceOf(lines, mark);
  const at = trace.findIndex(({ name, value }) => name === 'received' && isTakenWithLogin(value));
  const host = at < 0 ? null : receivedBy(trace[at]?.value ?? '');
  const isWithinHouse = trace
    .slice(0, Math.max(at, 0))
    .filter(({ name }) => name === 'received')
    .every(({ value }) => isLmtp(protocolIn(value)) || (protocolIn(value) === null && receivedBy(value) !== host));
  if (host === null || !isWithinHouse) return { authservId: null, trustedReceived: [] };
  return { authservId: null, trustedReceived: [...hostsAbove(trace, at), loginEntry(host)] };
}

function hostsAbove(trace: readonly HeaderLine[], at: number): string[] {
  const above = trace.slice(0, at).flatMap(({ name, value }) => (name === 'received' ? [receivedBy(value)] : []));
  return [...new Set(above.filter((host) => host !== null).map(patternOf))];
}

/**
 * Pure. The learned servers behind the border that take mail from outside, too, as they stand in the MX of the domain: below the line of
 * such a one a stranger may have written whatever verdict, and the trial mail, which came by a login, cannot show it.
 */
export function openServers(
  { authservId, trustedReceived }: LearnedServer,
  exchanges: readonly string[],
): readonly string[] {
  const names = exchanges.map((name) => name.toLowerCase().replace(/\.$/, ''));
  return trustedReceived.filter((host) => host !== authservId && names.some((name) => matchesGlob(name, host)));
}

const KNOWN = PROVIDERS.flatMap(({ trustedReceived }) => trustedReceived).filter((pattern) => pattern.includes('*'));

/** Inner servers of large providers change from mail to mail; a part of their names and addresses does not. */
const patternOf = (host: string): string =>
  KNOWN.find((pattern) => matchesGlob(host, pattern)) ??
  (/^[0-9a-f]{1,4}:[0-9a-f:]+$/.test(host) ? `${host.split(':')[0]}:*` : host);

/** Whom the forged mails of a trial speak of. */
export const FORGED_DOMAIN = 'forged.epistle.invalid';

/**
 * The headers that a forger would send along: the border's name, or none, over verdicts that it did not give. One for each
 * method as well: a filter may take away only those that tell of its own.
 */
export const forgedResults = (authservId: string): readonly string[] =>
  authservId === UNNAMED
    ? [
        `spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=${FORGED_DOMAIN}; dkim=pass (signature was verified) header.d=${FORGED_DOMAIN};dmarc=pass action=none header.from=${FORGED_DOMAIN};compauth=pass reason=100`,
      ]
    : [FORGED.join('; '), ...FORGED].map((results) => `${authservId}; ${results}`);

const FORGED = [
  `dmarc=pass header.from=${FORGED_DOMAIN}`,
  `spf=pass smtp.mailfrom=x@${FORGED_DOMAIN}`,
  `dkim=pass header.d=${FORGED_DOMAIN}`,
];

/**
 * An envelope sender whose brackets end a comment, and which goes on with a result of its own: one that nothing else has to
 * agree with. No longer than a local part may be (RFC 5321 section 4.5.3.1.1).
 */
export const hostileSender = (domain: string): string => `"a);dkim=pass header.d=${FORGED_DOMAIN};x=y(b"@${domain}`;

/** Pure. Whether the border proves that this address wrote the mail. `now`: when it came, ms. */
export function provesSender(lines: readonly HeaderLine[], border: NamedBorder, sender: TrialSender): boolean {
  const { address, now } = sender;
  const provable = { fault: null, contentType: true, transferEncoding: true, disposition: true, seal: null };
  const letter = { address: address.toLowerCase(), provable, date: now, arrivedAt: now, maxAgeMs: TRIAL_AGE_MS };
  return byBorder({ headers: lines, mailFrom: null }, border, letter).identity.authenticated;
}

export interface TrialSender {
  readonly address: string;
  readonly now: number;
}

const TRIAL_AGE_MS = 24 * 3_600_000;

/** Pure. Whether somebody whom a forged mail speaks of would be believed. */
export const provesForged = (lines: readonly HeaderLine[], border: NamedBorder, now: number): boolean =>
  provesSender(lines, border, { address: `x@${FORGED_DOMAIN}`, now });

/** Pure. Whether a header that came with a mail stands where those of the border are believed, whatever it proves there. */
export const letsThrough = (lines: readonly HeaderLine[], border: NamedBorder, now: number): boolean =>
  provesForged(lines, border, now) || believedHeaders(lines, border).some((value) => value.includes(FORGED_DOMAIN));

/** Pure. Whether the login with which a trial was handed in proves this address. */
export function isProvenByTrial(
  lines: readonly HeaderLine[],
  trustedReceived: readonly string[],
  letter: { readonly address: string; readonly account: string },
): boolean {
  const trusted = trustedServers(trustedReceived);
  const login = loginLine(lines, trusted, []);
  return login !== null && isProvenByLogin(login, letter, trusted.loginServers);
}
