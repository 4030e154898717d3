import { matchesGlob } from '../../lib/glob.ts';
import {
  isLmtp,
  isTakenWithLogin,
  protocolIn,
  readVerdict,
  receivedBy,
  stamperOf,
} from '../../mail/identity/authentication-results.ts';
import { isProvenByLogin, loginEntry, loginLine, trustedServers } from '../../mail/identity/login-line.ts';
import type { HeaderLine } from '../../mail/mime/headers.ts';

/** What a mailbox's own server writes on top of a mail. */
export interface Border {
  /** The name in its Authentication-Results; null where it wrote none. */
  readonly authservId: string | null;
  /** The servers between that and the mailbox, as `trusted_received` names them; with one that logins prove senders by. */
  readonly trustedReceived: readonly string[];
}

/** The first header of a trial mail: what stands above it was written after the mail was sent. */
export const MARK = 'x-epistle-trial';

/**
 * Pure. Learns the border from the header of a mail that we sent ourselves: all above our mark was written by servers on
 * the way. Of several Authentication-Results the topmost is that of the mailbox's own side.
 */
export function learnBorder(lines: readonly HeaderLine[], mark: string): Border {
  const ours = lines.findIndex(({ name, value }) => name === MARK && value.trim() === mark);
  const trace = ours < 0 ? [] : lines.slice(0, ours);
  const at = trace.findIndex(({ name }) => name === 'authentication-results');
  const authservId = at < 0 ? null : stamperOf(trace[at]?.value ?? '');
  if (authservId === null) return learnLogin(trace);
  return { authservId, trustedReceived: hostsAbove(trace, at) };
}

/**
 * The server that took our mail with our login, and those behind it. Nothing where one of these took it over SMTP: it may
 * be the very server that takes mail from outside, too, and then a line that came with such a mail would be believed.
 */
function learnLogin(trace: readonly HeaderLine[]): Border {
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
export function openServers({ authservId, trustedReceived }: Border, exchanges: readonly string[]): readonly string[] {
  const names = exchanges.map((name) => name.toLowerCase().replace(/\.$/, ''));
  return trustedReceived.filter((host) => host !== authservId && names.some((name) => matchesGlob(name, host)));
}

/** Inner addresses of large providers change from mail to mail; their first group does not. */
const patternOf = (host: string): string =>
  /^[0-9a-f]{1,4}:[0-9a-f:]+$/.test(host) ? `${host.split(':')[0]}:*` : host;

/** Whom the forged header of a trial speaks of. */
export const FORGED_DOMAIN = 'forged.epistle.invalid';

/** The header that a forger would send along: the border's name over a verdict that it did not give. */
export const forgedResults = (authservId: string): string =>
  `${authservId}; dmarc=pass header.from=${FORGED_DOMAIN}; spf=pass smtp.mailfrom=x@${FORGED_DOMAIN}; dkim=pass header.d=${FORGED_DOMAIN}`;

/** Pure. Whether the forged header of a mail would be believed with these settings, and whether our own sender is. */
export function judgeTrial(
  lines: readonly HeaderLine[],
  border: { authservId: string; trustedReceived: readonly string[] },
  domain: string,
) {
  return {
    forgedIsBelieved: readVerdict(lines, { domain: FORGED_DOMAIN }, border).passed,
    senderIsProven: readVerdict(lines, { domain }, border).passed,
  };
}

/** Pure. Whether the login with which a trial was handed in proves this address. */
export function isProvenByTrial(
  lines: readonly HeaderLine[],
  trustedReceived: readonly string[],
  letter: { readonly address: string; readonly account: string },
): boolean {
  const trusted = trustedServers(trustedReceived);
  const login = loginLine(lines, trusted);
  return login !== null && isProvenByLogin(login, letter, trusted.loginServers);
}
