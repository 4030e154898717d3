import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { sha256 } from '../../lib/ids.ts';
import type { ParsedMail } from '../../mail/mime/types.ts';
import { gatheredAs, inEach, notice } from '../../record/jobs/notice-job.ts';
import type { ReaderDeps, WriterDeps } from '../deps.ts';
import type { LeftThere, Location, SetAside } from '../incoming.ts';
import { recordResults, result } from '../results.ts';
import { addresseesOf } from '../understand.ts';
import { addDeadLetter, type LetterDeps } from './dead-letter.ts';

type Known = { readonly known: ParsedMail | null };
type Deps = LetterDeps & Pick<WriterDeps, 'writingFrom'>;

/** Keeps a mail of which at most some headers are known; that there is such a mail is worth a row, and a word to the owners. */
export async function setAside(deps: Deps, place: Location, letter: SetAside & Known): Promise<void> {
  const key = sha256(`${place.mailbox}/${place.uidvalidity}/${place.uid}`);
  const { code, reason, raw } = letter;
  const mail = letter.known ?? unknownAt(place);
  const from = mail.from.kind === 'one' ? mail.from.mailbox.address : null;
  const tell = (id: string, now: number) => tellOwners(deps, { place, letter, id, from, subject: mail.subject, now });
  const known = { messageId: mail.messageId, from, subject: mail.subject, persona: null };
  await addDeadLetter(deps, { ...known, key, raw, stage: 'fetch', code, message: reason, tell });
  await recordResults(deps, place, mail, [result({ decision: 'dead_letter', code, detail: reason })]);
}

/** Since when it waits stays as it was. */
export async function leaveThere(
  deps: Pick<WriterDeps, 'gateway' | 'clock'> & Pick<ReaderDeps, 'findByAddress'>,
  place: Location,
  left: LeftThere & Known,
): Promise<void> {
  const { decision, code, reason: detail, known } = left;
  const since = decision === 'deferred' ? await deps.gateway.deferredSince(place, code) : null;
  const one = { decision, code, detail, since };
  const isListed = left.decision === 'refused' && known !== null;
  const named = isListed ? addresseesOf(deps, known, { ...left, envelope: NO_ENVELOPE }) : [];
  const results = named.map(({ address, entry }) => result({ ...one, recipient: address, persona: entry.id }));
  await recordResults(deps, place, known ?? unknownAt(place), results.length > 0 ? results : [result(one)]);
}

const NO_ENVELOPE = { returnPath: null, recipients: null };

const unknownAt = ({ mailbox, uidvalidity, uid }: Location) => ({
  messageId: `<uid-${uidvalidity}-${uid}@${mailbox}.invalid>`,
  subject: '',
  from: { kind: 'missing' as const },
});

interface Told {
  readonly place: Location;
  readonly letter: SetAside;
  readonly id: string;
  readonly from: string | null;
  readonly subject: string;
  readonly now: number;
}

/** For which persona it is cannot be said, so the owners of all that write from this mailbox hear of it, each of them once. */
async function tellOwners(deps: Deps, { place, now, ...told }: Told): Promise<void> {
  const heard = new Set<string>();
  for (const persona of deps.writingFrom(place.mailbox)) {
    for (const to of readersOf(persona, heard)) {
      const words = inEach(persona.language, (language) => wordsOf(language, told));
      const id = `notice:dead_letter:${told.id}`;
      // Where some have heard of it from another persona, each of the rest gets a mail.
      const notices =
        to === 'all'
          ? { id, gather: gatheredAs('dead_letter'), payload: words }
          : { id: `${id}:${to}`, payload: { ...words, to } };
      const job = notice.job({ ...notices, due_at: now });
      await deps.announce(persona.id, now, () => deps.stores.use(persona.id, (store) => store.addJobs([job])));
    }
    for (const owner of persona.owners) heard.add(owner);
  }
}

/** A persona without owners tells whoever is named for the whole gateway. */
function readersOf({ owners }: Persona, heard: ReadonlySet<string>): readonly string[] {
  const rest = owners.filter((owner) => !heard.has(owner));
  if (rest.length === owners.length && (owners.length > 0 || heard.size === 0)) return ['all'];
  return rest;
}

function wordsOf(language: Language, { letter, id, from, subject }: Pick<Told, 'letter' | 'id' | 'from' | 'subject'>) {
  const who = from ?? say(language, 'notTaken.nobody');
  const again = `epistle deadletters requeue ${id}`;
  const isHeld = letter.code === 'not_handed_over';
  return {
    subject: isHeld ? say(language, 'notTaken.withheldSubject') : say(language, 'notTaken.unreadSubject'),
    text: [
      ...(isHeld
        ? [
            subject === ''
              ? say(language, 'notTaken.withheld', { who })
              : say(language, 'notTaken.withheldTitled', { who, subject }),
            say(language, 'notTaken.again', { command: again }),
          ]
        : [say(language, 'notTaken.unread', { who, subject }), say(language, 'notTaken.malformed')]),
      say(language, 'notTaken.look', { command: `epistle deadletters show ${id}` }),
    ].join('\n\n'),
  };
}
