import type { Invitation } from '../../calendar/types.ts';
import type { ParsedAttachment } from '../../mail/mime/types.ts';
import { meetingAnswered } from '../../record/jobs/job-kinds.ts';
import type { Store } from '../../storage/ports/store.ts';
import { meetingLines } from '../../tools/calendar/answer.ts';
import { factsOf, isCalendarFile, isOwnInvitation } from '../../tools/calendar/meetings.ts';
import type { WriterDeps } from '../deps.ts';
import type { MailFacts } from '../facts.ts';

const MAX_FILES = 2;
/** The first answer is told at once, and what its writer makes of it later at the end of such a span: all of it in one mail. */
const TOLD_EACH_MS = 600_000;

/**
 * An answer to an invitation that the persona knows is recorded, where its sender is proven and is the very attendee who
 * answers, and was invited. Anything else changes nothing: anybody can write an answer in somebody's name.
 */
export async function applyCalendarReply(
  { stores, documents, announce }: WriterDeps,
  { persona, mail, identity, now }: MailFacts,
): Promise<void> {
  const sender = identity.authenticated ? identity.address : null;
  if (sender === null || !stores.exists(persona.id)) return;
  for (const file of mail.attachments.filter(isCalendarFile).slice(0, MAX_FILES)) {
    const replies = await repliesIn(documents, file, { persona: persona.id, sender, now });
    if (replies.length === 0) continue;
    await announce(persona.id, now, () =>
      stores.use(persona.id, async (store) => {
        for (const reply of replies) await record(store, reply, { sender, now });
      }),
    );
  }
}

async function repliesIn(
  documents: WriterDeps['documents'],
  { content, name, charset }: ParsedAttachment,
  { persona, sender, now }: { readonly persona: string; readonly sender: string; readonly now: number },
): Promise<readonly Invitation[]> {
  const question = { kind: 'invitations', timezone: 'UTC', from: now } as const;
  // A mail is taken in whether or not its calendar can be read.
  const answer = await documents
    .ask({ bytes: content, name, charset, question }, { key: `${persona} ${sender}`, first: false })
    .catch(() => null);
  return answer?.kind === 'invitations' ? answer.invitations.filter(({ method }) => method === 'REPLY') : [];
}

async function record(
  store: Pick<Store, 'newestInvitation' | 'answersToInvitation' | 'keepInvitationAnswer' | 'addJobs'>,
  { uid, recurrence_id, sequence, dtstamp, attendees: [attendee], comment }: Invitation,
  { sender, now }: { readonly sender: string; readonly now: number },
): Promise<void> {
  if (attendee?.address.toLowerCase() !== sender) return;
  const named = recurrence_id ?? '';
  const known = (await store.newestInvitation(uid, named)) ?? (await store.newestInvitation(uid, ''));
  // Our own do not repeat: whoever answers to single dates of one would leave a row for each that they think of.
  const of = known && isOwnInvitation(known) ? known.recurrence_id : named;
  const isInvited = known && factsOf(known).attendees.some(({ address }) => address.toLowerCase() === sender);
  if (!isInvited) return;
  const before = await answerOf(store, { uid, of, sender });
  await store.keepInvitationAnswer({
    ...{ uid, recurrence_id: of, attendee: sender, partstat: attendee.partstat, sequence },
    // A clock that is ahead must not keep out what is answered later.
    ...{ answered_at: Math.min(dtstamp ?? now, now), comment: comment.slice(0, 500) },
  });
  const after = await answerOf(store, { uid, of, sender });
  if (!isOwnInvitation(known) || !after || after.answered_at === before?.answered_at) return;
  if (after.partstat === before?.partstat && after.comment === before.comment) return;
  const slot = Math.floor(now / TOLD_EACH_MS) + 1;
  const [part, due_at] = before === undefined ? ['first', now] : [String(slot), slot * TOLD_EACH_MS];
  const id = `meeting_answered:${known.id}:${sender}:${part}`;
  const payload = { invitation_id: known.id, attendee: sender, meeting: meetingLines(factsOf(known)).join('\n') };
  await store.addJobs([meetingAnswered.job({ id, due_at, payload })]);
}

const answerOf = async (
  store: Pick<Store, 'answersToInvitation'>,
  { uid, of, sender }: { readonly uid: string; readonly of: string; readonly sender: string },
) => (await store.answersToInvitation(uid, of)).find(({ attendee }) => attendee === sender);
