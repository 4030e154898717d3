import { EngineError } from '#contract';
import type { Identity } from '../mail/mime/types.ts';
import { parseHead } from '../mail/reading/head.ts';
import { MOST_IN_ROW } from '../storage/raw-mail.ts';
import { readAsSigned } from './as-signed.ts';
import { decide, decideByAddressee, decideBySender } from './decide.ts';
import type { IntakeDeps, WriterDeps } from './deps.ts';
import { leaveThere, setAside } from './effects/set-aside.ts';
import type { MailFacts } from './facts.ts';
import { type Author, factsFor, identify } from './identify.ts';
import type { IncomingMail, Intake, LeftThere, Received, SetAside } from './incoming.ts';
import { logArrival } from './log-arrival.ts';
import { look } from './look.ts';
import { isRefusedAgain, isTaken, keptOf } from './refused-mail.ts';
import { type DetailedResult, notTaken, recordResults, result, resultOf } from './results.ts';
import { type Addressee, type UnderstoodMail, understand } from './understand.ts';
import { write, writeUnread } from './write.ts';

/** One mail on its way in. */
interface Arriving {
  readonly incoming: IncomingMail;
  readonly understood: UnderstoodMail;
  readonly author: Author;
}

/**
 * One mail becomes one decision and one transaction for each persona it is for: understand it, identify who wrote it,
 * look at the rows, decide, write. The doors call this and obey its answer.
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
  const found = typeof incoming.fate === 'object' ? null : keptOf(incoming, understood, results, identity);
  // Owners who keep nothing of strangers have not lost what was taken in.
  const kept = found && (isTaken(found) || deps.configs().security.quarantine_days > 0) ? found : null;
  await recordResults(deps, incoming.place, { ...headOf(understood.mail), kept }, results);
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
 * Small mail without files that answers nothing: nearly always new. It is decided about as if there were no rows that bear
 * on it, or those would be looked for twice: where there are some, the write finds out, and they are read.
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
