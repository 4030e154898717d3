import type { Configs, Persona } from '../../config/types.ts';
import { languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { referencesFor, replySubject } from '../../mail/compose/compose.ts';
import { isSendable, matchesPattern } from '../../mail/mime/address.ts';
import { waitingNote } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { RawFiles } from '../../storage/raw-mail.ts';
import { type OutageDeps, outageNow } from './outage-now.ts';
import { type OwnerMailDeps, readersOf, writeOwnerMail } from './owner-mail.ts';
import { isLeftToOwners, wantsSilence } from './wait-notice.ts';

/**
 * Tells a sender that the answer will be late: once in an outage or a day's budget, however many of their mails wait,
 * and not at all when they have been answered meanwhile.
 */
export function createWaitingNoteWriter(
  deps: OwnerMailDeps &
    OutageDeps & {
      configs(): Configs;
      filesOf(personaId: string): RawFiles;
      readonly pass: PassCrashPoint;
    },
): JobHandler {
  return handleJobs(waitingNote, async (persona, job, store) => {
    const { code, window, sender } = job.payload;
    if (isToldOtherwise(deps, persona, sender)) return store.endJob(job.id);
    const mails = await store.waitingMails({ sender, limit: 100 });
    // No note goes to the claimed sender of an unproven mail. A null code: the mail is being tried just now.
    const waiting = mails.find((one) => one.tier !== 'unauthenticated' && (one.code === null || one.code === code));
    const message = waiting && (await store.messageById(waiting.message));
    const to = message?.reply_to ?? message?.from_address;
    if (!message || !to || !isSendable(to)) return store.endJob(job.id);
    const outage = code === 'budget' ? 'lasts' : await outageNow(deps, persona, store, { code, window });
    if (outage === 'over') return store.endJob(job.id);
    if (outage !== 'lasts') return store.delayJob(job.id, deps.clock.now() + outage.againAfterMs);
    if (await wantsSilence(store, deps.filesOf(persona.id), message)) return store.endJob(job.id);
    const language = languageOf([message.new_text], persona.language);
    const mail = await writeOwnerMail(deps, persona, {
      kind: 'wait',
      purpose: job.id,
      subject: replySubject(message.subject),
      text: textFor(language)[code],
      language,
      replyTo: null,
      headers: {},
      to: [to],
      inThread: {
        threadId: message.thread_id,
        inReplyTo: message.message_id,
        references: referencesFor({
          messageId: message.message_id,
          references: message.references,
          inReplyTo: [],
        }),
      },
    });
    await store.queueNotice(job.id, mail);
    deps.pass('deferred.told');
  });
}

function textFor(language: Persona['language']) {
  return {
    budget: say(language, 'waiting.budget'),
    provider_unavailable: say(language, 'waiting.late'),
    provider_setup: say(language, 'waiting.notYet'),
    request_failed: say(language, 'waiting.notYet'),
  };
}

/** Owners are told of the same with its cause, in a mail of their own; a sender whose answers they send by the owners. */
const isToldOtherwise = (deps: OwnerMailDeps, persona: Persona, sender: string): boolean =>
  isLeftToOwners(persona, { sender, tier: 'known' }) ||
  readersOf(deps, persona).some((reader) => matchesPattern(sender, reader));
