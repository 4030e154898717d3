import type { Log } from '#contract';
import type { GatewayConfig, PersonaEntry } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import type { Announce } from '../../record/jobs/jobs.ts';
import { gatheredAs, inEach, notice, type SaidInEach } from '../../record/jobs/notice-job.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { DraftPlace, SeenDraft } from '../../storage/types/drafts.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { ClaimedMail } from '../../storage/types/outbox.ts';
import type { DraftsRoute } from '../outbound-routes.ts';
import { afterAppend, afterDoubt, type DraftFailure, nextLook } from './decide.ts';
import { draftWatchJob } from './watch-drafts.ts';

export interface DraftDeps {
  readonly announce: Announce;
  /** Null: the mailbox has no IMAP. */
  draftsOf(mailbox: string | null, personaId: string): DraftsRoute | null;
  delivery(): GatewayConfig['delivery'];
  findPersona(id: string): PersonaEntry | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly pass: PassCrashPoint;
  /** Throws when somebody else has the mail by now. */
  assertHeld(): Promise<void>;
  /** Writes what became of an attempt, however long there is no room for it. */
  persist<Result>(write: () => Promise<Result>): Promise<Result>;
}

interface Attempt {
  readonly deps: DraftDeps;
  readonly personaId: string;
  readonly mail: ClaimedMail;
  readonly store: Store;
}

/**
 * Puts one mail into Drafts and says in its row what is known. It is looked for by its Message-ID first, whatever the row
 * says: a process may have died, or a line broken off, after the server had it.
 */
export async function deliverDraft(deps: DraftDeps, personaId: string, mail: ClaimedMail, store: Store): Promise<void> {
  const attempt: Attempt = { deps, personaId, mail, store };
  const route = deps.draftsOf(mail.mailbox, personaId);
  if (!route) return fail(attempt, 'no_imap', 'the mailbox has no imap');
  const seen = await lookFor(route, mail);
  if ('error' in seen)
    return leave(attempt, route, { kind: seen.isAuth ? 'auth' : 'unreachable', message: seen.error });
  if (seen.in === 'drafts') return lies(attempt, route, seen.place);
  // Sent already, by somebody who was faster than our row: whoever looks for drafts reads what was sent.
  if (seen.in === 'sent') return lies(attempt, route, null);
  if (mail.crashed || mail.state === 'unknown') {
    const now = deps.clock.now();
    const since = mail.unknown_since ?? now;
    const next = afterDoubt(since, now);
    if (next.step === 'look_again')
      return wait(attempt, { state: 'unknown', at: next.at, since, error: mail.last_error });
  }
  await deps.assertHeld();
  const outcome = await route.folder.append(mail.raw);
  deps.pass('outbox.handed_over');
  return outcome.kind === 'lies' ? lies(attempt, route, outcome.place) : leave(attempt, route, outcome);
}

async function lookFor(
  { folder }: DraftsRoute,
  mail: ClaimedMail,
): Promise<SeenDraft | { readonly error: string; readonly isAuth: boolean }> {
  const wanted = {
    key: mail.id,
    place: null,
    since: mail.created_at,
    // By nothing else: a person may have written an answer of their own.
    messageId: mail.message_id,
    inReplyTo: null,
    runId: mail.run_id,
  };
  try {
    return (await folder.look([wanted])).get(mail.id) ?? { in: 'neither' };
  } catch (error) {
    const isAuth = error instanceof Error && 'code' in error && error.code === 'auth';
    return { error: error instanceof Error ? error.message : String(error), isAuth };
  }
}

/** It lies there: whoever looks for drafts is told, and the owners are, once. */
async function lies({ deps, personaId, mail, store }: Attempt, { id }: DraftsRoute, place: DraftPlace | null) {
  const now = deps.clock.now();
  const watchMs = deps.delivery().watch_drafts_days * 86_400_000;
  const lookAt = place === null ? now : (nextLook(now, now, watchMs) ?? now);
  const draft = await store.getDraft(mail.id);
  const where = `in ${place?.folder ?? 'Drafts'} of ${id}`;
  const mailed = { subject: draft?.message.subject ?? '', to: addressesOf(mail), mailbox: id };
  const told = draftSaid(mailed, place?.folder ?? 'Drafts');
  deps.log.info({ persona: personaId, outbox: mail.id, mailbox: id }, 'an answer lies in Drafts');
  await deps.persist(() =>
    deps.announce(personaId, lookAt, () =>
      store.settleOutbox(
        mail.id,
        {
          state: 'draft',
          attempts: mail.attempts + 1,
          nextAttemptAt: now,
          unknownSince: null,
          lastError: null,
          now,
          lease: mail.leased_by,
          recipients: mail.recipients.map(({ address }) => ({ address, state: 'queued', smtp: where })),
          draft: { patch: { ...place, appended_at: now, gone_since: null, looked_at: now, look_at: lookAt } },
        },
        [draftWatchJob(lookAt), draftedNotice(mail.id, inEach(languageOf(deps, personaId), told), now)],
      ),
    ),
  );
  deps.pass('outbox.recorded');
}

/** It does not lie there, as far as anybody knows. */
async function leave(attempt: Attempt, { id }: DraftsRoute, outcome: Parameters<typeof afterAppend>[1]): Promise<void> {
  const { deps, personaId, mail } = attempt;
  const { first_retry_s, max_retry_s, give_up_hours } = deps.delivery();
  const times = {
    firstRetryMs: first_retry_s * 1000,
    maxRetryMs: max_retry_s * 1000,
    giveUpMs: give_up_hours * 3_600_000,
  };
  const now = deps.clock.now();
  const tryingSince = mail.trying_since ?? mail.created_at;
  const next = afterAppend({ ...mail, tryingSince }, outcome, times, { now, random: deps.random() });
  deps.log.warn({ persona: personaId, outbox: mail.id, mailbox: id, error: next.error }, 'no draft');
  if (next.state === 'failed') return fail(attempt, next.why, next.error);
  // What was in doubt before stays so until somebody could look.
  const isInDoubt = next.state === 'unknown' || mail.crashed || mail.state === 'unknown';
  const since = isInDoubt ? (mail.unknown_since ?? now) : null;
  return wait(attempt, { state: isInDoubt ? 'unknown' : 'queued', at: next.at, since, error: next.error });
}

async function wait(
  { deps, personaId, mail, store }: Attempt,
  next: { state: 'queued' | 'unknown'; at: number; since: number | null; error: string | null },
): Promise<void> {
  const now = deps.clock.now();
  await deps.persist(() =>
    deps.announce(personaId, next.at, () =>
      store.settleOutbox(mail.id, {
        state: next.state,
        attempts: mail.attempts + 1,
        nextAttemptAt: next.at,
        unknownSince: next.since,
        lastError: next.error,
        recipients: [],
        now,
        lease: mail.leased_by,
      }),
    ),
  );
  deps.pass('outbox.recorded');
}

async function fail({ deps, personaId, mail, store }: Attempt, why: DraftFailure, error: string): Promise<void> {
  const now = deps.clock.now();
  const draft = await store.getDraft(mail.id);
  const mailbox = deps.draftsOf(mail.mailbox, personaId)?.id ?? mail.mailbox ?? '';
  const mailed = { subject: draft?.message.subject ?? '', to: addressesOf(mail), mailbox };
  const told = noDraftSaid(mailed, { why, error, outboxId: mail.id });
  await deps.persist(() =>
    store.settleOutbox(
      mail.id,
      {
        state: 'failed',
        attempts: mail.attempts + 1,
        nextAttemptAt: now,
        unknownSince: null,
        lastError: error,
        now,
        lease: mail.leased_by,
        recipients: mail.recipients.map(({ address }) => ({ address, state: 'failed', smtp: why })),
      },
      [notDraftedNotice(mail.id, inEach(languageOf(deps, personaId), told), now)],
    ),
  );
  deps.pass('outbox.recorded');
}

const addressesOf = ({ recipients }: ClaimedMail): string =>
  recipients
    .slice(0, 5)
    .map(({ address }) => address)
    .join(', ');

function languageOf(deps: DraftDeps, personaId: string): Language {
  const entry = deps.findPersona(personaId);
  return entry?.state === 'ready' ? entry.persona.language : 'en';
}

interface Said {
  readonly subject: string;
  readonly text: string;
}

/** Owners hear of each draft once; of many within an hour in one mail. */
const draftedNotice = (outboxId: string, payload: SaidInEach, now: number): NewJob =>
  notice.job({ id: `notice:drafted:${outboxId}`, due_at: now, gather: gatheredAs('drafted'), payload });

/** Each time anew: an owner has had it tried again meanwhile. */
const notDraftedNotice = (outboxId: string, payload: SaidInEach, now: number): NewJob =>
  notice.job({ id: `notice:not_drafted:${outboxId}:${now}`, due_at: now, gather: gatheredAs('not_drafted'), payload });

interface SaidOf {
  readonly subject: string;
  readonly to: string;
  readonly mailbox: string;
}

/** What owners are told of an answer that lies in Drafts. */
const draftSaid =
  ({ subject, to, mailbox }: SaidOf, folder: string) =>
  (language: Language): Said => ({
    subject: `${say(language, 'drafts.draft')} "${subject}"`,
    text: say(language, 'drafts.lies', { subject, to, folder, mailbox }),
  });

/** The same of one that does not. `error`: what the server, or the line, said. */
const noDraftSaid =
  (
    { subject, to, mailbox }: SaidOf,
    what: { readonly why: DraftFailure; readonly error: string; readonly outboxId: string },
  ) =>
  (language: Language): Said => ({
    subject: `${say(language, 'drafts.none')} "${subject}"`,
    text: [
      say(language, 'drafts.failed', { subject, to, mailbox }),
      say(language, `drafts.why.${what.why}`, { error: what.error }),
      say(language, 'drafts.again', { command: `\`epistle outbox retry ${what.outboxId}\`` }),
    ].join('\n\n'),
  });
