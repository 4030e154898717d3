import type { Persona } from '../../config/types.ts';
import { type Language, languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { signatureOf } from '../../languages/signature.ts';
import { asksForSilence, replyMode } from '../../mail/classify.ts';
import { composeMail, referencesFor, replySubject } from '../../mail/compose/compose.ts';
import { type HeaderLine, readHeaders } from '../../mail/mime/headers.ts';
import { waitNotice } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { queuedMail } from '../../storage/queued-mail.ts';
import { type RawFiles, rawOf } from '../../storage/raw-mail.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { awaitsOthers, ownerName } from '../../suspensions/asker.ts';
import type { ApprovalMailDeps } from '../questions/approval-mail.ts';

/** `owner`: null where no name is known. `words`: an owner is not asked to agree, but for something to be told. */
function waitSaid(words: boolean, owner: string | null, language: Language): string {
  if (owner === null) return say(language, words ? 'mails.waitsForWords' : 'mails.waits');
  return say(language, words ? 'mails.waitsForWordsOf' : 'mails.waitsOf', { owner });
}

/**
 * Tells the person who asked that somebody else has to agree first; at most once per run. Where a STOP has closed the
 * question, that nothing comes of it: that mail leaves when the persona goes on.
 */
export function createWaitNoticeWriter(deps: ApprovalMailDeps): JobHandler {
  return handleJobs(waitNotice, async (persona, job, store) => {
    const { run_id: runId, words = false, ended = false } = job.payload;
    const run = await store.getRun(runId);
    const message = run && (await store.messageById(run.message));
    const to = message?.reply_to ?? message?.from_address;
    if (!run || !message || !to) return store.endJob(job.id);
    const isSo = ended ? awaitsOthers(run, persona.owners) : run.ended_at === null && (await store.isAsked(runId));
    if (!isSo || isLeftToOwners(persona, run)) return store.endJob(job.id);
    if (await wantsSilence(store, deps.filesOf(persona.id), message)) return store.endJob(job.id);
    const now = deps.clock.now();
    const id = deps.ids.next();
    const messageId = `<${id}@${deps.configs().gateway.domain}>`;
    const language = languageOf([message.new_text], persona.language);
    const raw = await composeMail({
      from: { name: persona.name, address: persona.address },
      to: [{ name: '', address: to }],
      cc: [],
      subject: replySubject(message.subject),
      messageId,
      inReplyTo: message.message_id,
      references: referencesFor({
        messageId: message.message_id,
        references: message.references,
        inReplyTo: [],
      }),
      date: now,
      kind: 'wait',
      runId,
      autoSubmitted: 'auto-generated',
      replyTo: null,
      recursion: null,
      text: [
        {
          kind: 'text',
          text: ended
            ? say(language, 'mails.waitEnded')
            : waitSaid(words, await ownerName(persona.owners, store), language),
        },
      ],
      signature: signatureOf(persona, language),
      language,
      quote: null,
      attachments: [],
      extraHeaders: {},
    });
    await store.queueNotice(job.id, {
      row: queuedMail({
        id,
        messageId,
        runId,
        raw,
        now,
        persona,
        purpose: ended ? 'wait_ended' : 'wait',
        kind: 'wait',
        inReplyTo: message.message_id,
        threadId: run.thread_id,
      }),
      recipients: [to],
    });
  });
}

/** Whether a person sends all mail to this sender: their answers lie in Drafts, so no note leaves by itself. */
export const isLeftToOwners = ({ reply }: Persona, { sender, tier }: Pick<StoredRun, 'sender' | 'tier'>): boolean =>
  replyMode(reply, { sender: sender ?? '', isProven: tier !== 'unauthenticated' }) === 'draft';

/** The sender's server asks for no notices (X-Auto-Response-Suppress); the answer itself still comes. */
export const wantsSilence = (store: Store, files: RawFiles, message: StoredMessage): Promise<boolean> =>
  saysInHeaders(asksForSilence, { store, files, message });

/** What the headers of a message say; false where it did not come as mail. */
export async function saysInHeaders(
  says: (lines: readonly HeaderLine[]) => boolean,
  { store, files, message }: { readonly store: Store; readonly files: RawFiles; readonly message: StoredMessage },
): Promise<boolean> {
  const raw = await rawOf(store, files, message);
  return raw !== null && says(readHeaders(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)).lines);
}
