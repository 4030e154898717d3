import type { Log } from '#contract';
import type { GatewayConfig, Persona, SystemConfig } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { composeMail } from '../mail/compose.ts';
import { withoutDirections } from '../mail/text/invisible.ts';
import type { GatheredKind } from '../storage/kept-tables.ts';
import { queuedMail } from '../storage/queued-mail.ts';
import type { Store } from '../storage/store.ts';
import type { JobRow } from '../storage/tables.ts';
import { RECEIPT } from '../wording/receipt.ts';

export interface NoticeDeps {
  gatewayConfig(): GatewayConfig;
  system(): SystemConfig;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** Turns a `notice` job into mail to the persona's owners. A job's id is its purpose: one mail each, ever. */
export function createNoticeWriter(deps: NoticeDeps) {
  return (persona: Persona, job: JobRow, store: Store): Promise<void> => writeNotice(deps, persona, job, store);
}

type Payload = { readonly subject: string; readonly text: string } | { readonly gathered: GatheredKind };

interface Told {
  readonly subject: string;
  readonly text: string;
  /** What of the gathered it tells. */
  readonly gathered: { readonly kind: GatheredKind; readonly count: number } | null;
}

/** What a notice says; null when what was gathered has been told. */
async function noticeOf(persona: Persona, job: JobRow, store: Store): Promise<Told | null> {
  const payload = JSON.parse(job.payload_json) as Payload;
  if (!('gathered' in payload)) return { ...payload, gathered: null };
  const kind = payload.gathered;
  const row = await store.gathered(kind);
  if (kind === 'made_for_others') {
    if (!row || row.count === 0) return null;
    const text = RECEIPT[persona.language].madeForOthers(row.count);
    return { subject: text, text, gathered: { kind, count: row.count } };
  }
  if (!row || row.count === 0 || row.newest_json === null) return null;
  const { notice, did } = JSON.parse(row.newest_json) as { notice: { subject: string; text: string }; did: string };
  const since = new Date(row.first_at ?? row.since).toLocaleTimeString('en-GB', {
    timeZone: persona.timezone,
    hour: '2-digit',
    minute: '2-digit',
  });
  const mails = row.count === 1 ? '1 more mail' : `${row.count} more mails`;
  return {
    subject: row.count === 1 ? notice.subject : `${notice.subject}, and ${row.count - 1} more`,
    text: [`Since ${since} ${mails} ${did}. The newest:`, '', notice.text].join('\n'),
    gathered: { kind, count: row.count },
  };
}

async function writeNotice(deps: NoticeDeps, persona: Persona, job: JobRow, store: Store): Promise<void> {
  const { clock, ids } = deps;
  const found = await noticeOf(persona, job, store);
  if (found === null) return store.endJob(job.id);
  // They quote subjects and names of others.
  const [subject, text] = [withoutDirections(found.subject), withoutDirections(found.text)];
  const { admin_contact: admin } = deps.system();
  const readers = persona.owners.length > 0 ? persona.owners : admin === null ? [] : [admin];
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
    subject: `[${persona.name}] ${subject}`,
    messageId,
    inReplyTo: null,
    references: [],
    date: now,
    kind: 'notice',
    runId: null,
    autoSubmitted: 'auto-generated',
    replyTo: null,
    recursion: null,
    text,
    personaName: persona.name,
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
    found.gathered && { ...found.gathered, now },
  );
}
