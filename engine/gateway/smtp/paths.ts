import type { SMTPServer } from 'smtp-server';
import { normaliseAddress } from '../../mail/mime/address.ts';

type Connection = Pick<SMTPServer['connections'] extends Set<infer One> ? One : never, '_parseAddressCommand'>;

/** What stands around and inside the brackets of MAIL or RCPT. */
interface Path {
  readonly command: string;
  readonly address: string;
  /** The parameters, with the blank before them. */
  readonly rest: string;
}

/** RFC 5321 section 4.5.3.1.3 allows 256; what a sender is rewritten to may be longer. */
const MAX_PATH = 1000;
/** With control characters a line could be forged in a log or a header; letters that nobody sees are no address. */
const UNSAFE = /[\p{Cc}\u200b\u2060\ufeff]/u;
/** The library reads the parameters behind it. */
const STAND_IN = 'odd@sender.invalid';

/**
 * The library answers 501 to a quoted local part, also where it means a mailbox that is here (RFC 5321 section 4.1.2), and
 * to envelope senders that other servers let through; a relay would send a bounce to a real person. So such a recipient
 * is read as what it means, and such a sender is taken as it stands: whoever judges the mail sees it.
 */
export function takeOddPaths(connection: Connection): void {
  const parse = connection._parseAddressCommand.bind(connection);
  connection._parseAddressCommand = (name, written) =>
    parse(name, written) || parseOdd(parse, name, written.toString());
}

function parseOdd(parse: Connection['_parseAddressCommand'], name: string, written: string) {
  const path = readPath(written);
  if (path === null) return false;
  const isSender = name === 'mail from';
  const address = isSender ? path.address : normaliseAddress(path.address);
  if (address === null) return false;
  const parsed = parse(name, `${path.command}:<${isSender ? STAND_IN : address}>${path.rest}`);
  return parsed && { ...parsed, address };
}

function readPath(written: string): Path | null {
  const colon = written.indexOf(':');
  const start = written.slice(0, colon + 10).indexOf('<', colon);
  if (colon < 0 || start < 0 || written.slice(colon + 1, start).trim() !== '') return null;
  const end = endOfPath(written, start + 1);
  const address = written.slice(start + 1, end);
  const rest = written.slice(end + 1);
  if (end < 0 || address === '' || address.length > MAX_PATH || UNSAFE.test(address)) return null;
  return rest === '' || rest.startsWith(' ') ? { command: written.slice(0, colon), address, rest } : null;
}

/** Where the bracket closes, outside of quotation marks; -1 where it does not. */
function endOfPath(written: string, start: number): number {
  let isQuoted = false;
  for (let at = start; at < written.length; at += 1) {
    const sign = written[at];
    if (sign === '\\' && isQuoted) at += 1;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (sign === '>' && !isQuoted) return at;
  }
  return -1;
}
