import type { Log } from '#contract';
import type { GatewayConfig, Persona, SystemConfig } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { composeMail } from '../../mail/compose/compose.ts';
import { withoutDirections } from '../../mail/text/invisible.ts';
import { handleJobs, type Job, type JobHandler } from '../../record/jobs/jobs.ts';
import { gatheredAs, type NoticePayload, notice, readNewest, type SingleNotice } from '../../record/jobs/notice-job.ts';
import type { Store } from '../../storage/ports/store.ts';
import { queuedMail } from '../../storage/queued-mail.ts';
import type { GatheredKind } from '../../storage/types/jobs.ts';
import { signatureOf } from '../../wording/signature.ts';
import { clockTime } from '../../wording/times.ts';
import { noticeWords } from '../../wording/to-owners/notices.ts';
import { RECEIPT } from '../../wording/to-senders/receipt.ts';
import { type UndeliveredNotice, undeliveredToAsker, undeliveredToOwners } from './undelivered.ts';

export interface NoticeDeps {
  gatewayConfig(): GatewayConfig;
  system(): SystemConfig;
  /** Our own words, with the commands in them as they are typed here. */
  hint(text: string): string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** Turns a `notice` job into mail to the persona's owners. A job's id is its purpose: one mail each, ever. */
export function createNoticeWriter(deps: NoticeDeps): JobHandler {
  return handleJobs(notice, (persona, job, store) => writeNotice(deps, persona, job, store));
}

interface Notice extends UndeliveredNotice {
  /** The gathered messages that the notice tells of. */
  readonly gathered: { readonly kind: GatheredKind; readonly count: number } | null;
}

/** What a notice says; null when what was gathered has been told, or there is nobody to tell. */
async function noticeOf(persona: Persona, job: Job<NoticePayload>, store: Store): Promise<Notice | null> {
  const { payload } = job;
  if (!('gathered' in payload)) {
    const told = await toldOf(persona, store, payload);
    return told && { ...told, gathered: null };
  }
  const kind = payload.gathered;
  const row = await store.gathered(kind);
  if (kind === 'made_for_others') {
    if (!row || row.count === 0) return null;
    const text = RECEIPT[persona.language].madeForOthers(row.count);
    return { subject: text, text, language: persona.language, gathered: { kind, count: row.count } };
  }
  if (!row || row.count === 0 || row.newest_json === null) return null;
  const newest = await toldOf(persona, store, readNewest(row.newest_json));
  if (!newest) return null;
  const words = noticeWords(newest.language);
  const since = clockTime(row.first_at ?? row.since, { language: newest.language, zone: persona.timezone });
  return {
    ...newest,
    subject: row.count === 1 ? newest.subject : `${newest.subject}${words.moreInSubject(row.count - 1)}`,
    text: [words.more(row.count, since), newest.text].join('\n\n'),
    gathered: { kind, count: row.count },
  };
}

async function toldOf(persona: Persona, store: Store, payload: SingleNotice): Promise<UndeliveredNotice | null> {
  if (!('undelivered' in payload)) {
    const { to, ...words } = payload;
    return { ...words, ...(to === undefined ? {} : { to }), language: persona.language };
  }
  const write = payload.to_asker ? undeliveredToAsker : undeliveredToOwners;
  return write(persona, store, payload.undelivered);
}

async function writeNotice(deps: NoticeDeps, persona: Persona, job: Job<NoticePayload>, store: Store): Promise<void> {
  const { clock, ids } = deps;
  const found = await noticeOf(persona, job, store);
  if (found === null) return store.endJob(job.id);
  // They quote subjects and names of others.
  const [subject, text] = [withoutDirections(found.subject), deps.hint(withoutDirections(found.text))];
  const { admin_contact: admin } = deps.system();
  const owners = persona.owners.length > 0 ? persona.owners : admin === null ? [] : [admin];
  const readers = found.to === undefined ? owners : [found.to];
  if (readers.length === 0) {
    deps.log.warn(
      { persona: persona.id, subject },
      'a notice has nobody to go to: neither an owner nor system.json admin_contact is set',
    );
    return store.endJob(job.id);
  }
  const now = clock.now();
  const id = ids.next();
  const messageId = `<${id}@${deps.gatewayConfig().domain}>`;
  const raw = await composeMail({
    from: { name: persona.name, address: persona.address },
    to: readers.map((address) => ({ name: '', address })),
    cc: [],
    subject: found.to === undefined ? `[${persona.name}] ${subject}` : subject,
    messageId,
    inReplyTo: null,
    references: [],
    date: now,
    kind: 'notice',
    runId: null,
    autoSubmitted: 'auto-generated',
    replyTo: null,
    recursion: null,
    text: text.split('\n\n').map((part) => ({ kind: 'text', text: part }) as const),
    signature: signatureOf(persona, found.language),
    language: found.language,
    quote: null,
    attachments: [],
    extraHeaders: {},
  });
  await store.queueNotice(
    job.id,
    {
      row: queuedMail({
        ...{ id, messageId, raw, now, persona, runId: '', purpose: job.id, kind: 'notice' },
        ...{ inReplyTo: null, threadId: null },
      }),
      recipients: readers,
    },
    { told: found.gathered && { ...gatheredAs(found.gathered.kind), count: found.gathered.count, now } },
  );
}
