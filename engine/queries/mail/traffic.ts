import { EngineError } from '#contract';
import type { Store } from '../../storage/ports/store.ts';
import type { SeenLook, SeenMail } from '../../storage/types/gateway.ts';
import type { OutboxState } from '../../storage/types/outbox.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { QueryPorts } from '../ports.ts';
import type { ConsoleViewer } from '../viewer.ts';
import { cureOf } from './cures.ts';
import { type ListedOutbox, listOutbox, ownSubjects } from './outbox.ts';

/** What became of a mail, in one word for each end that a person tells apart. */
export type Fate =
  | 'answered'
  | 'read'
  | 'at_work'
  | 'asks'
  | 'waits'
  | 'not_answered'
  | 'refused'
  | 'unreadable'
  | 'again'
  | 'sent'
  | 'not_sent'
  | 'uncertain';

/** A mail that came or left; one that left to several has a row for each of them. */
export interface TrafficRow {
  readonly id: number;
  readonly direction: 'in' | 'out';
  readonly persona: string | null;
  /** Who wrote it, or whom it went to. */
  readonly who: string | null;
  readonly recipient: string | null;
  readonly subject: string;
  readonly fate: Fate;
  readonly code: string | null;
  readonly tier: SeenMail['tier'];
  readonly detail: string | null;
  readonly cure: string | null;
  readonly at: number;
  readonly message_id: string;
  readonly thread_id: string | null;
  readonly run_id: string | null;
  readonly mailbox: string | null;
}

export interface Traffic {
  readonly mails: readonly TrafficRow[];
  /** Where to go on; null: there is no more. A page may be short and yet not be the last. */
  readonly next: number | null;
}

export interface TrafficWanted extends Omit<SeenLook, 'personas' | 'newestOfEach'> {
  readonly persona?: string | undefined;
}

/** Whether mail of the persona, or of none, is for the eyes of the viewer. */
export const sees = ({ personas, ownsGateway }: ConsoleViewer, persona: string | null): boolean =>
  persona === null ? ownsGateway : personas.has(persona);

/** As the store is asked for them. Throws `not_found` for a persona of somebody else as for one that there is not. */
export function personasOf(viewer: ConsoleViewer, only: string | undefined): readonly string[] {
  if (only === undefined) return viewer.ownsGateway ? [...viewer.personas, ''] : [...viewer.personas];
  if (!viewer.personas.has(only)) throw new EngineError('not_found', `no persona is named ${only}`);
  return [only];
}

/** Mail in and out, newest first. What a look costs depends on what it shows, not on how much mail or how many personas there are. */
export async function trafficOf(
  ports: QueryPorts,
  viewer: ConsoleViewer,
  { persona, ...wanted }: TrafficWanted,
): Promise<Traffic> {
  const page = await ports.gateway.lookAtSeen({ ...wanted, personas: personasOf(viewer, persona) });
  return { mails: await trafficRows(ports, page.rows), next: page.before };
}

/** Mail of which it is not settled whether it leaves, the newest of each state: what has failed stands among what was seen. */
export async function unsentOf(
  ports: QueryPorts,
  viewer: ConsoleViewer,
  limit: number,
): Promise<readonly ListedOutbox[]> {
  const found: ListedOutbox[] = [];
  for (const status of UNSETTLED) {
    const { outbox } = await listOutbox(ports, { limit, status });
    found.push(...outbox.filter(({ persona }) => sees(viewer, persona)));
  }
  return found.slice(0, limit);
}

/** In the order in which they are listed; null: it has left, or never will. */
const PLACES: Readonly<Record<OutboxState, number | null>> = {
  unknown: 1,
  sending: 2,
  queued: 3,
  draft: 4,
  sent: null,
  failed: null,
  dropped: null,
  deleted: null,
};
const UNSETTLED = (Object.keys(PLACES) as OutboxState[])
  .filter((state) => PLACES[state] !== null)
  .toSorted((one, other) => (PLACES[one] ?? 0) - (PLACES[other] ?? 0));

/** With what the databases of their personas say of them; each is asked once. */
export async function trafficRows(
  { stores }: Pick<QueryPorts, 'stores'>,
  rows: readonly SeenMail[],
): Promise<readonly TrafficRow[]> {
  const known = new Map<number, Known>();
  for (const [persona, mails] of Map.groupBy(rows, ({ persona_id }) => persona_id)) {
    if (persona === null || !stores.exists(persona)) continue;
    await stores.use(persona, async (store) => {
      for (const mail of mails) {
        const run = mail.direction === 'in' && mail.run_id !== null ? await store.getRun(mail.run_id) : undefined;
        known.set(mail.id, { run: run ?? null, subject: mail.subject || (await subjectOf(store, mail.message_id)) });
      }
    });
  }
  return rows.map((mail) => rowOf(mail, known.get(mail.id) ?? { run: null, subject: mail.subject }));
}

/** A question or a notice of ours is no message of a thread, and has its subject in its own header. */
async function subjectOf(store: Store, messageId: string): Promise<string> {
  const [message] = await store.messagesByMessageId(messageId);
  if (message) return message.subject;
  const mail = await store.outboxByMessageId(messageId);
  return mail === undefined ? '' : ((await ownSubjects(store, [mail.id])).get(mail.id) ?? '');
}

interface Known {
  readonly run: StoredRun | null;
  readonly subject: string;
}

function rowOf(mail: SeenMail, { run, subject }: Known): TrafficRow {
  const { id, direction, recipient, tier, detail, message_id, thread_id, run_id, mailbox } = mail;
  const code = run?.deferred_code ?? mail.code ?? run?.code ?? null;
  return {
    ...{ id, direction, recipient, subject, code, tier, detail, message_id, thread_id, run_id, mailbox },
    persona: mail.persona_id,
    who: direction === 'in' ? mail.from_address : recipient,
    fate: fateOf(mail, run),
    cure: direction === 'in' && code !== null ? cureOf({ ...mail, code }) : null,
    at: mail.received_at,
  };
}

/** Pure. */
function fateOf({ decision, direction }: SeenMail, run: Known['run']): Fate {
  switch (decision) {
    case 'refused':
      return 'refused';
    case 'dead_letter':
      return 'unreadable';
    case 'duplicate':
      return 'again';
    case 'deferred':
      return 'waits';
    case 'sent':
      return 'sent';
    case 'failed':
      return 'not_sent';
    case 'unknown':
      return direction === 'out' ? 'uncertain' : 'read';
    case 'accepted':
    case 'recorded':
      if (run === null) return 'read';
      if (run.deferred_code !== null) return 'waits';
      if (run.status === 'waiting_approval') return 'asks';
      if (run.status === 'queued' || run.status === 'running') return 'at_work';
      return run.status === 'done' && run.reply_message_id !== null ? 'answered' : 'not_answered';
  }
}
