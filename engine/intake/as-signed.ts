import { asSigned, supposedOf } from '../mail/identity/as-signed.ts';
import { openIn, unproven } from '../mail/identity/judge-sender.ts';
import type { ParsedMail, Supposed } from '../mail/mime/types.ts';
import type { ReaderDeps } from './deps.ts';
import type { Author } from './identify.ts';
import type { IncomingMail } from './incoming.ts';
import { queuePeerOf, type UnderstoodMail } from './understand.ts';

/** A mail, and who wrote it. */
interface Known {
  readonly understood: UnderstoodMail;
  readonly author: Author;
}

/**
 * A signature leaves more to whoever has the mail than it seems: blanks, how it is encoded, whether it answers anything. A
 * mail that is proven by one alone is read once more as it was signed, with what nobody signed taken for the worst; where
 * that says something else, it is what counts.
 */
export async function readAsSigned(deps: ReaderDeps, incoming: IncomingMail, known: Known): Promise<Known> {
  const { understood, author } = known;
  const supposed = supposedOf(author.identity);
  if (supposed === null || understood.unreadable !== null) return known;
  const { address, detail, covers } = author.identity;
  const outcome = await deps.parser.parse(asSigned(incoming.raw), { peer: queuePeerOf(incoming), supposed });
  const nobody = (why: string) => ({
    understood,
    author: { ...author, identity: unproven(address, `${detail}; ${why}`) },
  });
  if (!outcome.ok) return nobody('it cannot be read as it was signed');
  const open = openIn(outcome.mail.provable, covers ?? []);
  if (open !== null) return nobody(open);
  if (saysTheSame(understood.mail, outcome.mail, supposed)) return known;
  // Of the mail as it came: its bytes, and files that are kept as they are.
  const { rawSha256, rawBytes, messageId, attachments } = understood.mail;
  const mail = { ...outcome.mail, rawSha256, rawBytes, messageId, attachments };
  return { understood: { ...understood, mail }, author };
}

/** The same pieces, whatever the blanks; and the same lines, where nobody signed that they are to be joined. */
function saysTheSame(one: ParsedMail, other: ParsedMail, { isPlainFirst: mayBeJoined }: Supposed): boolean {
  const folded = (text: string) =>
    mayBeJoined ? text.split('\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').trim()) : text.replaceAll(/\s+/g, '');
  const said = ({ pieces, otherPieces }: ParsedMail) =>
    JSON.stringify([pieces, otherPieces].map((each) => each?.map(({ kind, text }) => [kind, folded(text)])));
  return said(one) === said(other);
}
