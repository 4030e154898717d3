import type { Configs, Persona } from '../../config/types.ts';
import { languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { standingOf } from '../../mail/access.ts';
import { type LetterBlock, referencesFor, replySubject } from '../../mail/compose/compose.ts';
import { isSendable } from '../../mail/mime/address.ts';
import { meetingAnswered } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import { visible } from '../questions/approval-text.ts';
import { type OwnerMailDeps, writeOwnerMail } from './owner-mail.ts';
import { rowInThread } from './relay.ts';

const SAID = ['accepted', 'declined', 'tentative'] as const;

/**
 * Tells the one who asked for an invitation, in the thread of the request, how somebody has answered it: once for each
 * answer, and only while they may still write here.
 */
export function createMeetingAnswerWriter(deps: OwnerMailDeps & { configs(): Configs }): JobHandler {
  return handleJobs(meetingAnswered, async (persona, job, store) => {
    const { invitation_id: id, attendee, meeting } = job.payload;
    const row = await store.findInvitation(id, null);
    const request = row && (await store.messageById(row.message));
    const to = request && (request.reply_to ?? request.from_address);
    const answer = row && (await answerOf(store, row, attendee));
    const said = SAID.find((one) => one === answer?.partstat);
    if (!row || !request || !to || !answer || !said || !mayHear(request, to, { deps, persona })) {
      return store.endJob(job.id);
    }
    const language = languageOf([request.new_text], persona.language);
    const blocks: LetterBlock[] = [
      { kind: 'text', text: say(language, `invitationAnswers.body.${said}`, { who: attendee }) },
      ...(answer.comment === '' ? [] : [{ kind: 'said' as const, text: visible(answer.comment) }]),
      { kind: 'box', label: say(language, 'meetings.meeting'), text: meeting, code: false },
    ];
    const references = referencesFor({ ...request, messageId: request.message_id, inReplyTo: [] });
    const mail = await writeOwnerMail(deps, persona, {
      kind: 'relay',
      purpose: job.id,
      subject: replySubject(request.subject),
      text: blocks,
      language,
      replyTo: null,
      headers: {},
      to: [to],
      inThread: { threadId: request.thread_id, inReplyTo: request.message_id, references },
    });
    await store.queueNotice(job.id, mail, { message: rowInThread(mail, request, blocks, persona) });
  });
}

const answerOf = async (
  store: Pick<Store, 'answersToInvitation'>,
  { uid, recurrence_id }: { readonly uid: string; readonly recurrence_id: string },
  attendee: string,
) => (await store.answersToInvitation(uid, recurrence_id)).find((one) => one.attendee === attendee);

function mayHear(
  request: Pick<StoredMessage, 'from_address'>,
  to: string,
  { deps, persona }: { readonly deps: { configs(): Configs }; readonly persona: Persona },
): boolean {
  const standing = standingOf(request.from_address ?? '', persona, deps.configs().security.gateway_access);
  return isSendable(to) && (standing === 'owner' || standing === 'member');
}
