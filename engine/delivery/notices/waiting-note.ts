import type { Configs, Persona } from '../../config/types.ts';
import { languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { referencesFor, replySubject } from '../../mail/compose/compose.ts';
import { isSendable, matchesPattern } from '../../mail/mime/address.ts';
import { type WaitingNotice, waitingNote } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { WaitingMail } from '../../storage/ports/waiting.ts';
import type { RawFiles } from '../../storage/raw-mail.ts';
import type { DeferredCode } from '../../storage/types/runs.ts';
import { knownAs, type ModelCode, type OutageDeps, outageNow } from './outage-now.ts';
import { type OwnerMailDeps, readersOf, writeOwnerMail } from './owner-mail.ts';
import { isLeftToOwners, wantsSilence } from './wait-notice.ts';

/**
 * Tells a sender that the answer will be late: once while their mail waits, whatever it turns out to wait for, and once
 * in a day's budget, however many of their mails wait; not at all when they have been answered meanwhile.
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
    const { sender } = job.payload;
    if (isToldOtherwise(deps, persona, sender)) return store.endJob(job.id);
    const { mail: waiting, code, againAtMs } = await whatToTell(deps, persona, store, job.payload);
    if (againAtMs !== null) return store.delayJob(job.id, againAtMs);
    const message = waiting && (await store.messageById(waiting.message));
    const to = message?.reply_to ?? message?.from_address;
    if (!message || !to || !isSendable(to)) return store.endJob(job.id);
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

interface ToTell {
  readonly mail: WaitingMail | undefined;
  /** What it waits for by now. */
  readonly code: WaitingNotice['code'];
  /** It is to be looked at again then; null: now is the time. */
  readonly againAtMs: number | null;
}

/** The mail whose sender is to be told now; none where it is answered, or they know already. */
async function whatToTell(
  deps: OutageDeps & { configs(): Configs; readonly clock: Clock },
  persona: Persona,
  store: Store,
  { code, window, sender }: { readonly code: WaitingNotice['code']; readonly window: string; readonly sender: string },
): Promise<ToTell> {
  const nothing: ToTell = { mail: undefined, code, againAtMs: null };
  const mails = await store.waitingMails({ sender, limit: 100 });
  // No note goes to the claimed sender of an unproven mail. A null code: the mail is being tried just now.
  const mine = mails.filter(({ tier }) => tier !== 'unauthenticated');
  if (code === 'budget') {
    const mail = mine.find((one) => one.code === null || one.code === code);
    return { ...nothing, mail };
  }
  const mail = mine.find((one) => one.code === null || isOfModel(one.code));
  if (!mail || (await store.isToldOfWaiting({ sender, since: mail.since }))) return nothing;
  // It may have begun to wait after the one that this note was to be about.
  const lateMin = persona.inference.retry?.late_note_min ?? deps.configs().inference.retry.late_note_min;
  const now = deps.clock.now();
  if (mail.since + lateMin * 60_000 > now) return { ...nothing, againAtMs: mail.since + lateMin * 60_000 };
  const known = await knownAs(store, mail.code !== null && isOfModel(mail.code) ? mail.code : code);
  const current = known === code ? window : String((await store.incident(known))?.since);
  const outage = await outageNow(deps, persona, store, { code: known, window: current });
  if (outage === 'over') return nothing;
  return { mail, code: known, againAtMs: outage === 'lasts' ? null : now + outage.againAfterMs };
}

const OF_MODEL: readonly DeferredCode[] = ['provider_unavailable', 'provider_setup', 'request_failed'];
const isOfModel = (code: DeferredCode): code is ModelCode => OF_MODEL.includes(code);

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
