import { sha256 } from '../lib/ids.ts';
import { sketchOf } from '../lib/text/likeness.ts';
import type { OwnerCommand } from '../mail/approval/owner-command.ts';
import { MOST_AHEAD_MS } from '../mail/identity/judge-sender.ts';
import { lowerAscii, stripPlusTag } from '../mail/mime/address.ts';
import { replySubject } from '../mail/text/subject.ts';
import type { ArrivalQuery, ArrivalRows } from '../storage/ports/mail.ts';
import type { Store } from '../storage/ports/store.ts';
import { answerId } from './answers/record-answer.ts';
import { saidBeside, saidIn } from './answers/said.ts';
import type { WriterDeps } from './deps.ts';
import type { MailFacts, NoticeFacts, RowFacts } from './facts.ts';
import { isRefusedByRules } from './rules/admit.ts';
import { ancestorsOf } from './rules/ancestors.ts';
import { familyOf } from './rules/families.ts';

const NO_ROWS: ArrivalRows = {
  ...{ duplicate: undefined, isSpent: false, sameId: undefined, threads: [] },
  ...{ senderRuns: 0, slotAt: null, threadRuns: 0, alike: [] },
};

/**
 * Reads what a decision about this mail rests on beside the mail itself. Writes nothing. `isSupposedNew`: the rows of
 * earlier mail are not read, and there are taken to be none.
 */
export async function look(
  deps: WriterDeps,
  facts: MailFacts,
  { isSupposedNew }: { readonly isSupposedNew: boolean },
): Promise<RowFacts> {
  const { persona, command } = facts;
  const query = queryOf(deps, facts);
  const rest = {
    query,
    waiting: await deps.waitingFor(persona),
    answersOfAll: deps.circuit.answers(facts.now),
  };
  // A database is made at the first mail that is taken in.
  if (!deps.stores.exists(persona.id))
    return { ...rest, arrival: NO_ROWS, quotable: [], isCommandUsed: false, besideCommand: null, notice: null };
  return deps.stores.use(persona.id, async (store) => {
    const isCommandUsed = command !== null && (await store.knowsSignature(signedAs(command, query)));
    // What is stopped too soon can go on; what goes on too soon cannot be called back.
    const besideCommand = command === 'resume' && !isCommandUsed ? await saidBeside(store, facts) : null;
    const notice = await findNotice(deps, store, facts);
    const arrival = isSupposedNew || isRefusedByRules(facts) ? NO_ROWS : await store.readForArrival(query);
    // It is acknowledged because of another copy, which then has to be on disk.
    if (isCommandUsed || notice?.isAnswered || arrival.isSpent || arrival.duplicate !== undefined)
      await store.flushed();
    const quotable = await quotableOf(store, facts, arrival);
    return { ...rest, isCommandUsed, besideCommand, notice, arrival, quotable };
  });
}

/**
 * Whoever hands in a copy first and marks it as a program's would take an owner's STOP away. To go on is asked for by nothing that
 * was silent before.
 */
const signedAs = (command: OwnerCommand, query: ArrivalQuery): Pick<ArrivalQuery, 'signatures' | 'bySignature'> =>
  command === 'stop' ? { ...query, bySignature: false } : query;

/** Of somebody who is not proven nothing is believed in any case. */
const quotableOf = async (store: Store, { identity }: MailFacts, { threads: [thread] }: ArrivalRows) =>
  thread && identity.authenticated && identity.address !== null ? store.quotableMails(thread.id, identity.address) : [];

/** The same mail from the same sender, whatever way it comes, is answered once: a unique index guards this key. */
const answeredOnceKey = ({ mail, identity }: Pick<MailFacts, 'mail' | 'identity'>): string =>
  sha256([mail.messageId, identity.address ?? '', mail.dateHeader].join('\n'));

/** The mails that it answers, the nearest first; ours have small letters alone, whatever a program has made of them. */
const answeredBy = ({ inReplyTo, references }: Pick<MailFacts['mail'], 'inReplyTo' | 'references'>): string[] => [
  ...new Set([...inReplyTo, ...references.toReversed()].flatMap((id) => [id, lowerAscii(id)])),
];

const DAY_MS = 24 * 3_600_000;

/** What an arriving mail is compared with, and what of it is used up. */
export function queryOf({ configs }: Pick<WriterDeps, 'configs'>, facts: MailFacts): ArrivalQuery {
  const { persona, mail, identity, loopGuard, now } = facts;
  const validMs = configs().security.signature_max_age_days * DAY_MS;
  return {
    duplicateKey: answeredOnceKey(facts),
    messageId: mail.messageId,
    sender: identity.address,
    proven: identity.authenticated,
    bySignature: identity.authenticated && identity.covers !== null,
    references: answeredBy(mail),
    ancestors: ancestorsOf(mail),
    limits: [
      loopGuard.max_replies_per_sender_per_hour,
      loopGuard.max_replies_per_thread_per_hour,
      persona.budget.runs_per_sender_per_hour ?? 0,
    ],
    runsPerHour: persona.budget.runs_per_sender_per_hour,
    counted: countedAs(facts),
    signatures: identity.signatures,
    // Of a time to come, and read out of a mailbox as late again, it is still known.
    forgottenBefore: now - 2 * validMs - MOST_AHEAD_MS,
    now,
  };
}

/** Owners are not counted: whoever may change the limits need not be held by them. */
function countedAs({ mail, identity, admission, loopGuard }: MailFacts): NonNullable<ArrivalQuery['counted']> | null {
  const isOwner = admission.verdict === 'admit' && admission.tier === 'owner';
  if (identity.address === null || isOwner || loopGuard.max_fast_replies === 0) return null;
  const subject = replySubject(mail.subject);
  // What goes along with a report of a program is the mail that it answers.
  const files = mail.attachments.filter(({ type }) => type !== 'message/rfc822').map(({ sha256: hash }) => hash);
  return {
    proven: identity.authenticated ? 1 : 0,
    sender: keyOf(stripPlusTag(identity.address)),
    family: keyOf(familyOf(identity.address)),
    subject: keyOf(subject.toLowerCase().replace(/\d+/g, '#')),
    sketch: sketchOf({ text: mail.newText, subject: subject.slice('Re:'.length), files }),
    fastMs: loopGuard.fast_reply_s * 1000,
  };
}

const keyOf = (text: string): string => sha256(text).slice(0, 16);

const NOTHING_SAID = { typed: '', language: null, doubt: null } as const;

/** The notice that a mail names by its token, else by what it answers. */
async function findNotice(
  { gateway }: WriterDeps,
  store: Store,
  { token, mail, identity, mayAnswer }: MailFacts,
): Promise<NoticeFacts | null> {
  const byToken = token ? await store.findNotice({ tokenSha256: sha256(token.token) }) : undefined;
  const messageIds = answeredBy(mail);
  const found = byToken ?? (messageIds.length > 0 ? await store.findNotice({ messageIds }) : undefined);
  if (!found) return null;
  const { notice, items } = found;
  const undo = items.length === 0 ? await store.undoOfNotice(notice.id) : [];
  const senders = items.length + undo.length === 0 ? await gateway.senderQuestions(notice.id) : [];
  const isAnswered = await store.knowsAnswer(answerId(notice.id, mail, identity.address ?? ''));
  return {
    notice,
    items,
    undo,
    senders,
    tools: items.length + undo.length + senders.length === 0 ? ((await gateway.toolQuestion(notice.id)) ?? null) : null,
    isAnswered,
    // Nobody else's words decide anything, and a mail decides once.
    said:
      mayAnswer && !isAnswered
        ? await saidIn(store, { ...found, byToken: byToken !== undefined }, { mail, identity })
        : NOTHING_SAID,
  };
}
