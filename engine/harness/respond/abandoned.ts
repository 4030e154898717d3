import type { Persona } from '../../config/types.ts';
import { say } from '../../languages/say.ts';
import type { Ids } from '../../lib/ids.ts';
import { composePlainMail } from '../../mail/reading/plain-mail.ts';
import { finishAbandoned } from '../../record/abandoned.ts';
import { gatheredAs, inEach, notice } from '../../record/jobs/notice-job.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { isTest } from '../../storage/types/runs.ts';
import { type ComposedReply, replyRows } from './reply-rows.ts';
import { replyModeOf } from './respond.ts';

/** In the persona's own language: finding out that of the mail would be one more thing that may be what fails. */
function textFor({ language }: Pick<Persona, 'language'>): string {
  return say(language, 'unfinished.couldNot', { because: say(language, 'unfinished.not.repeated_crash') });
}

/**
 * The end of a run at which the engine itself has failed so often that not even the usual reply could be made. It
 * takes nothing that may be what fails: no state, no tools, no composing.
 */
export async function endAbandoned(
  { store, persona, loaded }: { store: Pick<Store, 'finishRun'>; persona: Persona; loaded: LoadedRun },
  { domain, ids, now, day }: { domain: string; ids: Ids; now: number; day: string },
): Promise<void> {
  const { run, message } = loaded;
  const reply = isTest(run) ? null : plainReply({ persona, loaded, domain, ids, now });
  const [who, about] = [message.from_address ?? '?', message.subject];
  const payload = inEach(persona.language, (language) => {
    const cause = say(language, 'notices.causes.repeated_crash');
    const text = say(language, 'notices.failed', { who, subject: about, cause });
    return { subject: say(language, 'notices.failedSubject', { subject: about }), text };
  });
  await finishAbandoned(store, loaded, {
    ...(reply === null ? {} : { reply }),
    // Of a task's failures its schedule tells.
    jobs:
      run.kind === 'task'
        ? []
        : [
            notice.job({
              id: `notice:run_abandoned:${run.id}`,
              due_at: now,
              gather: gatheredAs('run_failed:abandoned'),
              payload: { ...payload, again: { run: run.id } },
            }),
          ],
    now,
    day,
  });
}

function plainReply(options: {
  persona: Persona;
  loaded: LoadedRun;
  domain: string;
  ids: Ids;
  now: number;
}): ComposedReply | null {
  const { persona, loaded, domain, ids, now } = options;
  const { run, message } = loaded;
  const to = message.reply_to ?? message.from_address ?? '';
  const id = ids.next();
  const messageId = `<${id}@${domain}>`;
  const inReplyTo = message.message_id;
  const from = persona.address;
  const text = textFor(persona);
  const mode = replyModeOf(persona, loaded);
  const mail = composePlainMail({ from, to, messageId, inReplyTo, date: now, runId: run.id, text, mode });
  if (!mail) return null;
  const rendered = JSON.stringify([{ role: 'assistant', text, toolCalls: [] }]);
  const { raw, subject } = mail;
  return replyRows(
    {
      id,
      messageId,
      raw,
      subject,
      inReplyTo,
      references: [inReplyTo],
      text,
      rendered,
      recipients: { to: [to], cc: [] },
    },
    { ...options, mode },
  );
}
