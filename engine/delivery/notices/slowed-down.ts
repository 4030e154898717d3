import { say } from '../../languages/say.ts';
import { referencesFor, replySubject } from '../../mail/compose/compose.ts';
import { isSendable } from '../../mail/mime/address.ts';
import { slowedDown } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import { type OwnerMailDeps, writeOwnerMail } from './owner-mail.ts';
import { isLeftToOwners } from './wait-notice.ts';

/** Tells whoever writes at once after each answer that the next one comes later, or that none comes: no mail is dropped in silence. */
export function createSlowedDownWriter(deps: OwnerMailDeps): JobHandler {
  return handleJobs(slowedDown, async (persona, job, store) => {
    const { said, sender, to, thread_id: threadId, subject, language, message_id: messageId } = job.payload;
    if (!isSendable(to) || isLeftToOwners(persona, { sender, tier: 'known' })) return store.endJob(job.id);
    const { references, in_reply_to: inReplyTo } = job.payload;
    const mail = await writeOwnerMail(deps, persona, {
      kind: 'wait',
      purpose: job.id,
      subject: replySubject(subject),
      text: say(language, `slowedDown.${said}`),
      language,
      replyTo: null,
      headers: {},
      to: [to],
      inThread: {
        threadId,
        inReplyTo: messageId,
        references: referencesFor({ messageId, references, inReplyTo }),
      },
    });
    await store.queueNotice(job.id, mail);
  });
}
