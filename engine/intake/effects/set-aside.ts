import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { placeKey } from '../../lib/ids.ts';
import type { ParsedMail } from '../../mail/mime/types.ts';
import { gatheredAs, inEach, notice } from '../../record/jobs/notice-job.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { ReaderDeps, WriterDeps } from '../deps.ts';
import { addresseesOf } from '../identify.ts';
import type { LeftThere, Location, SetAside } from '../incoming.ts';
import { recordResults, result } from '../results.ts';

type Known = { readonly known: ParsedMail | null };
type Deps = LetterDeps & Pick<WriterDeps, 'writingFrom'>;

/** Keeps a mail of which at most some headers are known; that there is such a mail is worth a row, and a word to the owners. */
export async function setAside(deps: Deps, place: Location, letter: SetAside & Known): Promise<void> {
  const key = placeKey(place);
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
      const words = {
        ...inEach(persona.language, (language) => wordsOf(language, told)),
        ...offeredFor(told.letter.code, told.id),
      };
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

function wordsOf(language: Language, { letter, from, subject }: Pick<Told, 'letter' | 'from' | 'subject'>) {
  const who = from ?? say(language, 'notTaken.nobody');
  const isHeld = letter.code === 'not_handed_over';
  return {
    subject: isHeld ? say(language, 'notTaken.withheldSubject') : say(language, 'notTaken.unreadSubject'),
    text: [
      ...(isHeld
        ? [
            subject === ''
              ? say(language, 'notTaken.withheld', { who })
              : say(language, 'notTaken.withheldTitled', { who, subject }),
          ]
        : [say(language, 'notTaken.unread', { who, subject }), say(language, 'notTaken.malformed')]),
    ].join('\n\n'),
  };
}

interface DeadLetter {
  /** Names the letter: the same mail again is the same letter. */
  readonly key: string;
  readonly messageId: string;
  /** Null where nobody is known to have written it. */
  readonly from: string | null;
  readonly subject: string;
  /** What there is of it; null where not even the bytes could be had. */
  readonly raw: Uint8Array | null;
  readonly persona: Persona | null;
  /** Where its persona is not known: those whose owners are told. */
  readonly tell?: (id: string, now: number) => Promise<void>;
  /** Who else hears of it. */
  readonly also?: readonly NewJob[];
  readonly stage: 'fetch' | 'parse';
  readonly code: string;
  readonly message: string;
}

type LetterDeps = Pick<WriterDeps, 'gateway' | 'stores' | 'clock' | 'announce' | 'quarantineFolder'>;

/** Those who may write here can send such mail, too, and as much of it as they like. */
const MOST = { letters: 1000, bytes: 256 * 1024 * 1024 };

/** Keeps a mail that could not be understood where a person can look at it, and tells the owner. */
export async function addDeadLetter(deps: LetterDeps, letter: DeadLetter): Promise<void> {
  const { persona, key, raw, stage, code, message, messageId } = letter;
  const { gateway } = deps;
  const id = persona ? `${key.slice(0, 40)}-${persona.id}` : key.slice(0, 40);
  // Offered again, after a change of UIDVALIDITY for instance: the owner has been told.
  if (await gateway.getDeadLetter(id)) return;
  const path = raw === null ? null : join(deps.quarantineFolder, `${key}.eml`);
  if (raw !== null && path !== null) writeDurably(deps.quarantineFolder, path, raw);
  const now = deps.clock.now();
  // Before the row: a death in between tells the owner twice, the other way round it would tell nobody.
  if (persona) await tellOwner(deps, { ...letter, persona, id, now });
  else await letter.tell?.(id, now);
  const row = { id, persona_id: persona?.id ?? null, message_id: messageId, stage, code, message };
  const gone = await gateway.addDeadLetter({ ...row, raw_path: path, bytes: raw?.length ?? 0, at: now }, MOST);
  for (const old of gone) rmSync(old, { force: true });
}

async function tellOwner(
  { stores, announce }: LetterDeps,
  {
    persona,
    key,
    code,
    message,
    from,
    subject,
    also = [],
    id,
    now,
  }: DeadLetter & { persona: Persona; id: string; now: number },
): Promise<void> {
  const payload = inEach(persona.language, (language) => {
    const text = [
      say(language, 'notTaken.unread', { who: from ?? say(language, 'notTaken.nobody'), subject }),
      whyOf({ code, message }, language),
    ];
    return { subject: say(language, 'notTaken.unreadSubject'), text: text.join('\n\n') };
  });
  const job = notice.job({
    id: `notice:dead_letter:${key}`,
    due_at: now,
    gather: gatheredAs('dead_letter'),
    payload: { ...payload, ...offeredFor(code, id) },
  });
  await announce(persona.id, now, () => stores.use(persona.id, (store) => store.addJobs([job, ...also])));
}

/** To try once more helps where a limit can be raised, or a server does better by then; what is malformed stays so. */
const offeredFor = (code: string, id: string) =>
  ['message_too_large', 'mime_limit', 'not_handed_over'].includes(code) ? { again: { letter: id } } : {};

/** What kept it from being read, and what helps. The limit that it met is told in our own words; what a reader threw may quote the mail. */
function whyOf({ code, message }: Pick<DeadLetter, 'code' | 'message'>, language: Language): string {
  if (code === 'message_too_large') return `${say(language, 'notTaken.tooLarge')} (${message})`;
  return code === 'mime_limit'
    ? `${say(language, 'notTaken.manyParts')} (${message})`
    : say(language, 'notTaken.malformed');
}
