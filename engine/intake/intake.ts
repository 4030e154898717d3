import { EngineError, type Log } from '#contract';
import { asSigned, openIn, supposedOf, unproven } from '../mail/identity/judge-sender.ts';
import type { Identity, ParsedMail, Supposed } from '../mail/mime/types.ts';
import { parseHead } from '../mail/reading/head.ts';
import { MOST_IN_ROW } from '../storage/raw-mail.ts';
import { decide, decideByAddressee, decideBySender } from './decide.ts';
import type { IntakeDeps, ReaderDeps, WriterDeps } from './deps.ts';
import { leaveThere, setAside } from './effects/set-aside.ts';
import type { MailFacts } from './facts.ts';
import {
  type Addressee,
  type Author,
  factsFor,
  identify,
  queuePeerOf,
  type UnderstoodMail,
  understand,
} from './identify.ts';
import type { IncomingMail, Intake, LeftThere, MailResult, Received, SetAside } from './incoming.ts';
import { look } from './look.ts';
import {
  type DetailedResult,
  isRefusedAgain,
  isTaken,
  keptOf,
  notTaken,
  recordResults,
  result,
  resultOf,
} from './results.ts';
import { write, writeUnread } from './write.ts';

/** One mail on its way in. */
interface Arriving {
  readonly incoming: IncomingMail;
  readonly understood: UnderstoodMail;
  readonly author: Author;
}

/**
 * One mail becomes one decision for each persona it is for: understand it, identify who wrote it, look at the rows, decide,
 * write. The doors call this and obey its answer.
 */
export function createIntake(deps: IntakeDeps): Intake {
  return {
    async receive(incoming) {
      const read = await understand(deps, incoming);
      if (incoming.fate === 'not_taken') return putOnRecord(deps, incoming, read, notTaken(read));
      const { understood, author } = await readAsSigned(deps, incoming, {
        understood: read,
        author: await identify(deps, incoming, read),
      });
      const results: DetailedResult[] = [];
      for (const addressee of understood.addressees) {
        results.push(await receiveFor(deps, { incoming, understood, author }, addressee));
      }
      if (results.length === 0) results.push(result({ decision: 'refused', code: 'unknown_recipient' }));
      return putOnRecord(deps, incoming, understood, results, author.identity);
    },
    setAside: async (place, letter) => setAside(deps, place, { ...letter, known: await knownOf(deps, letter) }),
    leaveThere: async (place, left) => leaveThere(deps, place, { ...left, known: await knownOf(deps, left) }),
  };
}

/** A mail that brought the process down may do so by its header, too: of that one nothing is read. */
const knownOf = async ({ parser }: IntakeDeps, { code, head }: Pick<SetAside | LeftThere, 'code' | 'head'>) =>
  head === null || code === 'unparsable' ? null : parseHead(parser, head);

/** The rows that `why` reads, the mail itself where it may be taken in later, and a line in the log. */
async function putOnRecord(
  deps: IntakeDeps,
  incoming: IncomingMail,
  understood: UnderstoodMail,
  results: readonly DetailedResult[],
  identity: Identity | null = null,
): Promise<Received> {
  const received = { messageId: understood.mail.messageId, results };
  if (isRefusedAgain(incoming, results)) return received;
  const isTriedAgain = typeof incoming.fate === 'object';
  const found = isTriedAgain ? null : keptOf(incoming, understood, results, identity);
  // Owners who keep nothing of strangers have not lost what was taken in.
  const kept = found && (isTaken(found) || deps.configs().security.quarantine_days > 0) ? found : null;
  const keptBefore = isTriedAgain ? understood.mail.rawSha256 : null;
  await recordResults(deps, incoming.place, { ...headOf(understood.mail), kept, keptBefore }, results);
  logArrival(deps.log, understood.mail, results);
  deps.pass('accept.seen');
  return received;
}

const headOf = ({ messageId, subject, from }: UnderstoodMail['mail']) => ({ messageId, subject, from });

async function receiveFor(deps: IntakeDeps, arriving: Arriving, addressee: Addressee): Promise<DetailedResult> {
  const { address: recipient, entry } = addressee;
  const { incoming, understood, author } = arriving;
  const settled = decideByAddressee({ unreadable: understood.unreadable, entry, isHandedIn: incoming.place === null });
  if (settled !== null) {
    return resultOf({ recipient, persona: entry.id, detail: author.identity.detail, tier: null }, settled);
  }
  if (entry.state === 'error') throw new Error('the table defers mail to a persona whose files have errors');
  return takeIn(deps, factsFor(deps, arriving, { ...addressee, entry }));
}

/** Somebody else may write between look and write; each time it is looked again. */
const MOST_LOOKS = 100;

/**
 * Small mail without files that answers nothing: nearly always new. Its rows are not read before it is decided about. The write
 * checks them anyway: where there are some, it writes nothing, and they are read.
 */
const isLetter = ({ raw, mail: { attachments, inReplyTo, references } }: MailFacts): boolean =>
  raw.byteLength <= MOST_IN_ROW && attachments.length + inReplyTo.length + references.length === 0;

/** Decides about a mail whose sender is known, and writes that down. Rejects with `unavailable` when rows change each time. */
export async function takeIn(deps: WriterDeps, facts: MailFacts): Promise<DetailedResult> {
  const settled = decideBySender(facts);
  if (settled !== null) return writeUnread(deps, facts, settled);
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const isSupposedNew = looks === 0 && isLetter(facts);
    const known = { ...facts, ...(await look(deps, facts, { isSupposedNew })) };
    const decision = decide(known);
    if (isSupposedNew && decision.do !== 'run') continue;
    const written = await write(deps, known, decision);
    if (written !== 'changed') return written;
  }
  const message = `the rows that a mail to ${facts.persona.id} depends on changed ${MOST_LOOKS} times`;
  throw new EngineError('unavailable', message, { retry: { afterMs: 1000 } });
}

const MOST = 200;

/** One line for each persona that a mail is for, so that whoever looks at the log sees it come and what became of it. */
function logArrival(
  log: Log,
  { messageId, subject, from }: Pick<ParsedMail, 'messageId' | 'subject' | 'from'>,
  results: readonly MailResult[],
): void {
  const sender = from.kind === 'one' ? from.mailbox.address : from.kind;
  for (const { decision, code, persona, recipient } of results) {
    const fields = {
      ...(code === null || code === decision ? {} : { code }),
      from: plain(sender),
      to: persona ?? plain(recipient ?? 'nobody'),
      subject: plain(subject),
      message_id: plain(messageId),
    };
    log.info(fields, `mail ${decision}`);
  }
}

/** Words of others in a line: cut, and without what turns a line round or hides in it. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, MOST);

/** A mail, and who wrote it. */
interface Known {
  readonly understood: UnderstoodMail;
  readonly author: Author;
}

/**
 * A signature leaves more to whoever has the mail than it seems: blanks, how it is encoded, whether it answers anything. A
 * mail that is proven by one alone is read once more as it was signed: of each header that is not signed what would give the
 * mail the least is assumed. Where that says something else, it is what counts.
 */
async function readAsSigned(deps: ReaderDeps, incoming: IncomingMail, known: Known): Promise<Known> {
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
