import { EngineError, type Piece } from '#contract';
import { DAY_MS } from '../../lib/time.ts';
import { piecesOf } from '../../mail/pieces/pieces-of.ts';
import { type ShownMail, shownMail } from '../../mail/reading/shown-mail.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import type { Store } from '../../storage/ports/store.ts';
import { rawOf } from '../../storage/raw-mail.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';
import type { StoredAttachment, StoredMessage } from '../../storage/types/mail.ts';
import type { QueryPorts } from '../ports.ts';
import { type RunShape, runShape } from '../shapes.ts';
import type { ConsoleViewer } from '../viewer.ts';
import { ALL_LETTERS, sourceOf } from './dead-letters.ts';
import { keptSource } from './received.ts';
import { sees, type TrafficRow, trafficRows } from './traffic.ts';

/** One mail with all that is on record of it. */
export interface OneMail {
  readonly mail: TrafficRow;
  /** Its text as it was taken in; null where nobody has read it and its bytes are not kept. */
  readonly text: string | null;
  /** Whose words it is made of, in reading order; empty of a mail of ours. */
  readonly pieces: readonly Piece[];
  readonly attachments: readonly Pick<StoredAttachment, 'name' | 'type' | 'bytes' | 'unreadable'>[];
  /** As they came or left; empty where the bytes are not there. */
  readonly headers: ShownMail['headers'];
  readonly hasHtml: boolean;
  readonly run: RunShape | null;
  /** The conversation, oldest first, its newest mails. */
  readonly thread: {
    readonly id: string;
    readonly subject: string;
    readonly isPrivate: boolean;
    readonly mails: readonly ThreadMail[];
  } | null;
  /** Of refused mail whose bytes are kept: until when it can be taken in after all. */
  readonly keptUntil: number | null;
  /** What says who wrote it, point by point; empty of a mail of ours. */
  readonly proof: readonly { readonly what: string; readonly result: string }[];
  /** Of refused mail that was taken in since: the row that tells of it; null: it was not. */
  readonly takenAs: number | null;
}

/** The row by which a refused mail was taken in since, for the same persona; null: it was not. */
export async function takenSince(
  { gateway }: Pick<QueryPorts, 'gateway'>,
  {
    id,
    message_id: messageId,
    persona,
  }: { readonly id: number; readonly message_id: string; readonly persona: string | null },
): Promise<number | null> {
  const since = (await gateway.seenByMessageId(messageId)).filter((row) => row.id > id && row.persona_id === persona);
  return since.findLast(({ direction, decision }) => direction === 'in' && decision === 'accepted')?.id ?? null;
}

interface ThreadMail extends Pick<StoredMessage, 'direction' | 'subject' | 'received_at' | 'message_id'> {
  readonly from: string | null;
  /** Where it stands in the list of mail; null: no row tells of it. */
  readonly id: number | null;
  readonly isThis: boolean;
}

/** So many mails of a thread are named beside one of them. */
const MOST_BESIDE = 20;

/** The mail of that row. Throws `not_found`, and the same where it is not for the viewer's eyes. */
export async function oneMail(ports: QueryPorts, viewer: ConsoleViewer, id: number): Promise<OneMail> {
  const row = await rowFor(ports, viewer, id);
  const [mail] = await trafficRows(ports, [row]);
  if (!mail) throw noMail(id);
  const { message, shown, raw } = await readMail(ports, row);
  const { persona_id: persona } = row;
  const isKept = row.decision === 'refused' && raw !== null;
  const { quarantine_days: days } = ports.live.current().security;
  const base = {
    mail,
    text: message?.text ?? shown?.text() ?? null,
    pieces: message && row.direction === 'in' ? piecesOf(message) : [],
    attachments: [],
    headers: shown?.headers ?? [],
    hasHtml: shown?.html != null,
    keptUntil: isKept ? row.received_at + days * DAY_MS : null,
    proof: row.direction === 'in' ? proofOf(row.detail) : [],
    run: null,
    thread: null,
    takenAs: mail.fate === 'refused' ? await takenSince(ports, mail) : null,
  };
  if (persona === null || !ports.stores.exists(persona)) return base;
  return ports.stores.use(persona, async (store) => {
    const run = row.run_id === null ? undefined : await store.getRun(row.run_id);
    return {
      ...base,
      attachments: message ? await store.attachmentsOf(message.id) : [],
      run: run ? runShape(persona, run) : null,
      thread: row.thread_id === null ? null : await threadBeside(ports, store, { ...row, persona_id: persona }),
    };
  });
}

/** The HTML of the mail, for a frame of its own; null: it has none that can be shown. Throws as `oneMail`. */
export async function htmlOfMail(ports: QueryPorts, viewer: ConsoleViewer, id: number): Promise<ShownMail['html']> {
  const { shown } = await readMail(ports, await rowFor(ports, viewer, id));
  return shown?.html ?? null;
}

/** Its bytes as they came or left; null where they are not kept. Throws as `oneMail`. */
export async function sourceOfMail(ports: QueryPorts, viewer: ConsoleViewer, id: number): Promise<Uint8Array | null> {
  return (await bytesOf(ports, await rowFor(ports, viewer, id))).raw;
}

async function rowFor({ gateway }: QueryPorts, viewer: ConsoleViewer, id: number): Promise<SeenMail> {
  const row = Number.isSafeInteger(id) ? await gateway.seenById(id) : undefined;
  if (!row || !sees(viewer, row.persona_id)) throw noMail(id);
  return row;
}

const noMail = (id: number) => new EngineError('not_found', `no mail has the number ${id}`);

async function readMail(ports: QueryPorts, row: SeenMail) {
  const { raw, message } = await bytesOf(ports, row);
  return { message, raw, shown: raw === null ? null : shownMail(raw, ports.live.current().gateway.limits) };
}

async function bytesOf(
  { stores, gateway, dataDir }: QueryPorts,
  row: SeenMail,
): Promise<{ readonly raw: Uint8Array | null; readonly message: StoredMessage | undefined }> {
  const { persona_id: persona } = row;
  const found =
    persona === null || !stores.exists(persona)
      ? undefined
      : await stores.use(persona, async (store) => {
          const message = (await store.messagesByMessageId(row.message_id)).find(
            ({ direction, thread_id: thread }) => direction === row.direction && thread === row.thread_id,
          );
          if (row.direction === 'out') {
            const mail = await store.outboxByMessageId(row.message_id);
            const source = mail && (await store.outboxRaw(mail.id));
            return { message, raw: source ? new Uint8Array(source.raw) : null };
          }
          const files = personaFiles(dataDir, persona);
          if (message) return { message, raw: await rawOf(store, files, message) };
          // An owner's answer is no message of a conversation, and is kept all the same.
          const kept = (await store.keptByMessageId(row.message_id)).find(({ code }) => code === row.code);
          const isThere = kept !== undefined && files.mail.has(kept.raw_sha256);
          return { message, raw: isThere ? await files.mail.get(kept.raw_sha256) : null };
        });
  if (found?.message || found?.raw || row.direction === 'out') return found ?? { raw: null, message: undefined };
  if (row.decision === 'dead_letter') {
    const letters = await gateway.listDeadLetters({ limit: ALL_LETTERS });
    const letter = letters.find((one) => one.message_id === row.message_id && one.persona_id === persona);
    const source = letter ? sourceOf(letter) : null;
    return { raw: source ? new Uint8Array(source) : null, message: undefined };
  }
  const kept = await keptSource({ gateway }, row);
  return { raw: kept ? new Uint8Array(kept.raw) : null, message: undefined };
}

async function threadBeside(
  { gateway }: QueryPorts,
  store: Store,
  row: SeenMail & { readonly persona_id: string },
): Promise<OneMail['thread']> {
  const thread = await store.getThread(row.thread_id ?? '');
  if (!thread) return null;
  const mails: ThreadMail[] = [];
  for (const message of (await store.threadMessages(thread.id, MOST_BESIDE)).toReversed()) {
    const { direction, subject, received_at, message_id, from_address: from } = message;
    const seen = (await gateway.seenByMessageId(message_id)).filter(
      (one) => one.persona_id === row.persona_id && one.direction === direction && one.decision !== 'duplicate',
    );
    const isThis = message_id === row.message_id && direction === row.direction;
    mails.push({
      direction,
      subject,
      received_at,
      message_id,
      from,
      id: isThis ? row.id : (seen[0]?.id ?? null),
      isThis,
    });
  }
  return { id: thread.id, subject: thread.subject, isPrivate: thread.private_since !== null, mails };
}

/** What is written as `dmarc=pass dkim=pass (a.test)` becomes its points; anything else stays a sentence. Pure. */
function proofOf(detail: string | null): OneMail['proof'] {
  if (detail === null || detail === '') return [];
  const points: { what: string; result: string }[] = [];
  for (const word of detail.split(' ')) {
    const [what = '', result] = word.split('=', 2);
    const last = points.at(-1);
    if (result !== undefined && POINTS.has(what)) points.push({ what, result });
    else if (last) last.result = `${last.result} ${word}`;
    else points.push({ what: 'said', result: word });
  }
  return points;
}

const POINTS = new Set(['dmarc', 'dkim', 'spf', 'arc']);
