import type { JsonObject, Piece } from '#contract';
import { iso } from '../../lib/clock.ts';
import { piecesOf } from '../../mail/pieces/pieces-of.ts';
import { readLog } from '../../record/run-log.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import type { Store } from '../../storage/ports/store.ts';
import { type Approval, type ApprovalAnswer, argumentsOf } from '../../storage/types/approvals.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { type RememberedShape, rememberedIn } from '../explain/memory-sources.ts';
import type { QueryPorts } from '../ports.ts';
import { type OutboxShape, outboxShape, type RunShape, runShape } from '../shapes.ts';
import { type AnswerShape, answerShape } from './answer-shape.ts';
import { cureOf } from './cures.ts';

/** All that is known of a mail, in the order in which it was seen; no entries when it never was. */
export async function entriesOf(ports: QueryPorts, messageId: string): Promise<Entry[]> {
  const found = await foundOf(ports, messageId);
  return Promise.all(found.map(async (one) => ({ ...one, ...(await givenTo(ports, messageId, one)) })));
}

/** What is read of a mail besides what became of it. */
type Given = RememberedShape & Pick<Entry, 'pieces' | 'tools_away' | 'not_approved'>;

const NOTHING = {
  memory_sources: [],
  memory_facts: [],
  standing_rules: [],
  pieces: [],
  tools_away: [],
  not_approved: [],
} as const;

/** Whose words it was taken for, what its run was given of what the persona remembers, and which tools it had not. */
async function givenTo({ stores, dataDir }: QueryPorts, messageId: string, found: Found): Promise<Given> {
  const { persona, run, direction } = found;
  if (persona === null || !stores.exists(persona)) return NOTHING;
  const { artifacts } = personaFiles(dataDir, persona);
  return stores.use(persona, async (store) => {
    const mails = direction === 'in' ? await store.messagesByMessageId(messageId) : [];
    const mail = mails.find((one) => one.direction === 'in');
    const pieces = mail ? piecesOf(mail) : [];
    if (run === null) return { ...NOTHING, pieces };
    const log = readLog(await store.runEvents(run.id), artifacts);
    const away = log.first('context_built')?.data.away ?? [];
    return {
      ...(await rememberedIn(log, store)),
      pieces,
      not_approved: (await store.approvalsOfRun(run.id)).flatMap(notAgreed),
      tools_away: away.map(({ tool, server, why }) => ({ tool, server, why })),
    };
  });
}

function notAgreed(row: Approval): Entry['not_approved'] {
  const { tool, state, decided_by } = row;
  if (state !== 'pending' && state !== 'expired' && state !== 'rejected') return [];
  return [{ tool, state, arguments: argumentsOf(row), decided_by }];
}

async function foundOf(ports: QueryPorts, messageId: string): Promise<Found[]> {
  const seen = await ports.gateway.seenByMessageId(messageId);
  const [received, sent] = [seen.filter(isReceived), seen.filter((row) => !isReceived(row))];
  const entries: Found[] = await unseenEntries(ports, messageId, seen);
  for (const row of received) entries.push(await receivedEntry(ports, row));
  entries.push(...(await sentEntries(ports, messageId, sent)));
  return entries;
}

const isReceived = ({ direction }: SeenMail): boolean => direction === 'in';

export interface Entry extends RememberedShape {
  readonly persona: string | null;
  readonly direction: 'in' | 'out';
  readonly decision: string;
  readonly code: string | null;
  readonly from: string | null;
  readonly tier: string | null;
  /** How the sender was or was not proven, or what the server said, in words. */
  readonly detail: string | null;
  readonly subject: string;
  readonly received_at: string;
  /** What to do, so that such mail is taken in; null where nothing has to be done. */
  readonly cure: string | null;
  readonly thread_id: string | null;
  readonly run: RunShape | null;
  readonly replies: readonly OutboxShape[];
  /** The run of an earlier mail of its sender that answers it as well; absent: it is answered by itself. */
  readonly answered_with?: { readonly run: string; readonly message_id: string };
  /** What it was understood as, where it answers what owners were asked; null for any other mail. */
  readonly answer: AnswerShape | null;
  /** What owners were asked for it and have not agreed to: it waits, nobody answered in time, or they said no. */
  readonly not_approved: readonly {
    readonly tool: string;
    readonly state: 'pending' | 'expired' | 'rejected';
    readonly arguments: JsonObject;
    readonly decided_by: string | null;
  }[];
  /** Whose words it was taken for, in reading order; none of a mail of ours, and none that is not on record. */
  readonly pieces: readonly Piece[];
  /** Tools of MCP servers that its run would have had: no owner has seen them as they are, or they are gone. */
  readonly tools_away: readonly { readonly tool: string; readonly server: string; readonly why: string }[];
}

type Found = Omit<Entry, keyof Given>;

type ReceivedRow = Omit<SeenMail, 'id' | 'recipient' | 'uidvalidity' | 'uid' | 'kept_sha256'>;

async function receivedEntry(ports: QueryPorts, row: ReceivedRow): Promise<Found> {
  const { persona_id: persona } = row;
  const base = {
    persona,
    direction: row.direction,
    decision: row.decision,
    code: row.code,
    from: row.from_address,
    tier: row.tier,
    detail: row.decision === 'dead_letter' ? await deadLetterOf(ports, row) : row.detail,
    subject: row.subject,
    received_at: iso(row.received_at),
    cure: cureOf(row),
    thread_id: row.thread_id,
  };
  const { run_id: runId } = row;
  if (persona === null || !ports.stores.exists(persona)) return { ...base, run: null, replies: [], answer: null };
  return ports.stores.use(persona, async (store) => {
    const [answer] = runId === null ? await store.answersByMessageId(row.message_id) : [];
    if (answer)
      return { ...base, run: null, replies: await mailsAbout(persona, store, answer), answer: answerShape(answer) };
    if (runId === null) return { ...base, run: null, replies: [], answer: null };
    const run = await newestRun(store, runId);
    const together = await togetherWith(store, row);
    const mails = await store.outboxOfMail(together?.message_id ?? row.message_id);
    const recipients = await store.outboxRecipients(mails.map(({ id }) => id));
    // What waits was accepted; it is not on its way to an answer yet.
    const waits = run?.deferred_code ? { decision: 'deferred', code: run.deferred_code } : {};
    return {
      ...base,
      ...waits,
      run: run ? runShape(persona, run) : null,
      replies: mails.map((mail) => outboxShape(persona, mail, recipients)),
      answer: null,
      ...(together === null ? {} : { answered_with: together }),
    };
  });
}

/** The run of an earlier mail that answers this one as well, and that mail; null: it is answered by itself. */
async function togetherWith(store: Store, row: ReceivedRow): Promise<NonNullable<Entry['answered_with']> | null> {
  const mails = await store.messagesByMessageId(row.message_id);
  const mail = mails.find(({ direction, thread_id: thread }) => direction === 'in' && thread === row.thread_id);
  const run = mail?.run_id ? await store.getRun(mail.run_id) : undefined;
  return run === undefined || run.message === mail?.id ? null : { run: run.id, message_id: run.message_id };
}

/** What went back about an answer. */
async function mailsAbout(persona: string, store: Store, { id }: ApprovalAnswer) {
  const mail = await store.outboxByPurpose(`clarify:${id}`);
  return mail ? [outboxShape(persona, mail, await store.outboxRecipients([mail.id]))] : [];
}

/**
 * Mail that was taken in by a process that died before it could say so: the persona has it, and no row tells. A
 * sender who came again has a row that says `duplicate`; where there is none, all personas are asked.
 */
async function unseenEntries(ports: QueryPorts, messageId: string, seen: readonly SeenMail[]): Promise<Found[]> {
  const told = new Set(seen.flatMap((row) => (row.decision === 'duplicate' ? [] : [row.persona_id])));
  const named = new Set(seen.flatMap(({ persona_id }) => persona_id ?? []));
  const personas = seen.length > 0 ? [...named] : [...ports.live.personas().all()].map(({ id }) => id);
  const entries: Found[] = [];
  for (const persona of personas) {
    if (told.has(persona) || !ports.stores.exists(persona)) continue;
    const messages = await ports.stores.use(persona, (store) => store.messagesByMessageId(messageId));
    for (const message of messages.filter(({ direction }) => direction === 'in')) {
      entries.push(await receivedEntry(ports, asSeen(persona, message)));
    }
  }
  return entries;
}

const asSeen = (persona: string, message: StoredMessage): ReceivedRow => ({
  message_id: message.message_id,
  persona_id: persona,
  direction: 'in',
  decision: 'accepted',
  code: null,
  from_address: message.from_address,
  tier: message.tier,
  detail: null,
  subject: message.subject,
  received_at: message.received_at,
  thread_id: message.thread_id,
  run_id: message.run_id,
  mailbox: null,
});

/** The run of the mail, or the last of those that `runs retry` made after it. */
async function newestRun(store: Store, id: string): Promise<StoredRun | undefined> {
  const run = await store.getRun(id);
  if (!run) return undefined;
  const attempts = await store.runsByMessageId(run.message_id);
  return attempts.filter(({ message }) => message === run.message).at(-1) ?? run;
}

async function deadLetterOf({ gateway }: QueryPorts, row: ReceivedRow): Promise<string | null> {
  const letters = await gateway.listDeadLetters({ limit: 1000 });
  const letter = letters.find((one) => one.message_id === row.message_id && one.persona_id === row.persona_id);
  return letter ? `${letter.message}; see \`epistle deadletters show ${letter.id}\`` : row.detail;
}

/** Our own mail stands in a persona's outbox; while it has not left yet, no row says in whose. */
async function sentEntries(
  { live, stores }: QueryPorts,
  messageId: string,
  rows: readonly SeenMail[],
): Promise<Found[]> {
  const named = new Set(rows.flatMap(({ persona_id }) => (persona_id === null ? [] : [persona_id])));
  const personas = named.size > 0 ? named : [...live.personas().all()].map(({ id }) => id);
  const entries: Found[] = [];
  for (const persona of personas) {
    if (!stores.exists(persona)) continue;
    const entry = await stores.use(persona, (store) => sentEntry(persona, store, messageId));
    if (entry) entries.push(entry);
  }
  return entries;
}

async function sentEntry(persona: string, store: Store, messageId: string): Promise<Found | undefined> {
  const mail = await store.outboxByMessageId(messageId);
  if (!mail) return undefined;
  const [message] = await store.messagesByMessageId(messageId);
  const run = mail.run_id === '' ? undefined : await store.getRun(mail.run_id);
  return {
    persona,
    direction: 'out',
    decision: mail.state,
    code: null,
    from: message?.from_address ?? null,
    tier: null,
    detail: mail.last_error,
    subject: message?.subject ?? '',
    received_at: iso(mail.created_at),
    cure: null,
    thread_id: mail.thread_id,
    run: run ? runShape(persona, run) : null,
    replies: [outboxShape(persona, mail, await store.outboxRecipients([mail.id]))],
    answer: null,
  };
}
