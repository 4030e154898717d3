import { stamperOf } from '../../mail/identity/border/results-header.ts';
import { isLmtp, protocolIn, receivedBy } from '../../mail/identity/received-line.ts';
import type { HeaderLine } from '../../mail/mime/headers.ts';
import {
  FORGED_DOMAIN,
  forgedResults,
  letsThrough,
  type NamedBorder,
  provesSender,
  type TrialSender,
} from './learn.ts';

/** What a mail of ours has shown of the servers of the house. */
interface House {
  /** Those that wrote a Received line on it. */
  readonly servers: readonly string[];
  /** Those that wrote a verdict into it below their own Received line, as filters of mail (milters) do. */
  readonly stampBelow: readonly string[];
}

/**
 * Pure. The borders that prove a mail from outside and wrote their verdict where nobody else can have written: above the
 * first Received line, or below one by which a server of the house took it over LMTP; or first of all below their own line,
 * where they have written into a mail of ours, too, so that what a sender has written stands further down. A mail on top of
 * which the line of another server stands offers nothing.
 */
export function bordersToOffer(
  lines: readonly HeaderLine[],
  { servers, stampBelow }: House,
  sender: TrialSender,
): readonly NamedBorder[] {
  const received = lines.flatMap(({ name }, at) => (name === 'received' ? [at] : []));
  const [top, next] = received;
  const line = top === undefined ? undefined : lines[top];
  const host = line === undefined ? null : receivedBy(line.value);
  if (top === undefined || line === undefined || host === null || !servers.includes(host)) return [];
  const above = stampersIn(lines.slice(0, top)).map((authservId) => ({ authservId, trustedReceived: [] }));
  const isWithinHouse = isLmtp(protocolIn(line.value)) && next !== undefined;
  const below = isWithinHouse
    ? stampersIn(lines.slice(top, next)).map((authservId) => ({ authservId, trustedReceived: [host] }))
    : [];
  return [
    ...above.filter((border) => isSafeAt(lines, { border, outermost: top, sender })),
    ...below.filter((border) => next !== undefined && isSafeAt(lines, { border, outermost: next, sender })),
    ...belowOwnLine(lines, isWithinHouse ? { at: next, before: [host] } : { at: top, before: [] }, stampBelow)
      .filter(({ border, outermost }) => isSafeAt(lines, { border, outermost, sender }))
      .map(({ border }) => border),
  ];
}

/** The server whose Received line stands there, where its verdict stands below that line. */
function belowOwnLine(
  lines: readonly HeaderLine[],
  { at, before }: { readonly at: number; readonly before: readonly string[] },
  stampBelow: readonly string[],
): readonly { readonly border: NamedBorder; readonly outermost: number }[] {
  const authservId = receivedBy(lines[at]?.value ?? '');
  if (authservId === null || !stampBelow.includes(authservId)) return [];
  const outermost = lines.findIndex(({ name, value }, index) => index > at && isResultsOf(authservId, name, value));
  const end = lines.findIndex(({ name }, index) => index > at && name === 'received');
  if (outermost < 0 || (end >= 0 && end < outermost)) return [];
  return [{ border: { authservId, trustedReceived: [...before, authservId] }, outermost }];
}

const isResultsOf = (authservId: string, name: string, value: string): boolean =>
  name === 'authentication-results' && stamperOf(value) === authservId;

const stampersIn = (lines: readonly HeaderLine[]): readonly string[] => {
  const names = lines.map(({ name, value }) => (name === 'authentication-results' ? stamperOf(value) : null));
  return [...new Set(names.filter((name) => name !== null))];
};

/** Whether the border proves the mail, and nothing that came with it: what stands below the outermost line of the house. */
function isSafeAt(
  lines: readonly HeaderLine[],
  { border, outermost, sender }: { border: NamedBorder; outermost: number; sender: TrialSender },
): boolean {
  const forged = [
    ...forgedResults(border.authservId).map((value) => ({ name: 'authentication-results', value })),
    ...[border.authservId, ...border.trustedReceived].map((host) => ({
      name: 'received',
      value: `from ${FORGED_DOMAIN} (${FORGED_DOMAIN} [192.0.2.1]) by ${host} with ESMTP id 1; Mon, 1 Jan 2024 00:00:00 +0000`,
    })),
  ];
  const withForged = [...lines.slice(0, outermost + 1), ...forged, ...forged, ...lines.slice(outermost + 1)];
  return provesSender(lines, border, sender) && !letsThrough(withForged, border, sender.now);
}
