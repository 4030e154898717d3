import { parseMailDate } from '../../../mail/mime/date.ts';
import { firstHeader, type HeaderLine, readHeaders } from '../../../mail/mime/headers.ts';
import { ownMessageId } from '../../../mail/mime/message-ids.ts';
import { fetchByUid, type Session } from './session.ts';

/** What the headers of a mail say, without its body. */
export interface Headed {
  readonly head: Uint8Array;
  /** Null where it has none that can be read. */
  readonly messageId: string | null;
  /** When the last server passed it on, else when it was written; null where neither can be read. */
  readonly ownDate: number | null;
}

const FIELDS = ['message-id', 'from', 'to', 'cc', 'subject', 'date', 'received'];

/** By UID; those of which the server hands out no headers are missing. */
export async function headsOf(session: Session, uids: readonly number[]): Promise<ReadonlyMap<number, Headed>> {
  if (uids.length === 0) return new Map();
  const found = await fetchByUid(session, uids.join(','), { headers: FIELDS });
  const heads = found.flatMap(({ uid, headers }) => (headers ? [[uid, headed(headers)] as const] : []));
  return new Map(heads.filter(([, { lines }]) => lines.length > 0));
}

function headed(head: Buffer): Headed & { readonly lines: readonly HeaderLine[] } {
  const { lines } = readHeaders(head);
  return { head, lines, messageId: ownMessageId(firstHeader(lines, 'message-id')), ownDate: ownDateIn(lines) };
}

/**
 * The topmost Received is of the server that had it last, and a copy keeps it (RFC 5321 section 4.4: the date stands behind
 * the last semicolon). Pure.
 */
export function ownDateIn(lines: readonly HeaderLine[]): number | null {
  const received = firstHeader(lines, 'received') ?? '';
  const passedOn = received.includes(';') ? parseMailDate(received.slice(received.lastIndexOf(';') + 1)) : null;
  return passedOn ?? parseMailDate(firstHeader(lines, 'date') ?? '');
}
