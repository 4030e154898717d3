import { EngineError, type OutgoingCapability, type WrittenMail } from '#contract';
import type { GatewayConfig, Persona } from '../../config/types.ts';
import { type Language, languageOf } from '../../languages/language.ts';
import { signatureOf } from '../../languages/signature.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { type ComposeInput, composeMail, referencesFor } from '../../mail/compose/compose.ts';
import { addressKey, isSendable, notSendable } from '../../mail/mime/address.ts';
import { bracketed } from '../../mail/mime/message-ids.ts';
import type { Approved } from '../../policy/call.ts';
import type { ToldBack } from '../../policy/told-back.ts';
import type { ToolMail } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { queuedMail } from '../../storage/queued-mail.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { AnswerMail } from '../calendar/answer.ts';
import type { MeetingMail } from '../calendar/invite.ts';
import { basisOf, type FileSources, type OutgoingFile, previewOf, readFiles } from './outgoing-files.ts';

const MAX_RECIPIENTS = 50;

/** What a mail of a tool is made with. */
export interface OutgoingOptions {
  /** Of the mail that this run is about. */
  language: Language;
  /** Of what owners are shown of a mail. */
  languageForOwners(): Promise<Language>;
  persona: Persona;
  run: StoredRun;
  gateway: GatewayConfig;
  recursionSecret: string;
  store: Pick<Store, 'messagesByMessageId' | 'getThread' | 'getRun' | 'knownParticipants'>;
  sources: FileSources;
  /** Whom this run may tell of what it answers; null where it is any other run. */
  toldBack: ToldBack | null;
  /** What an owner approved of this call; null for one that nobody was asked about. */
  approved: Approved | null;
  ids: Ids;
  clock: Clock;
  signal: AbortSignal;
  stage(mail: ToolMail): void;
}

/** Mail written by a tool. It is staged with the tool's result, so it exists exactly when the result does. */
export function createOutgoing(options: OutgoingOptions): OutgoingCapability {
  return {
    async preview({ to, cc, attachments }) {
      checkAddresses([...to, ...cc]);
      return previewOf(await readFiles(options.sources, attachments), await options.languageForOwners());
    },
    async send(mail) {
      checkTransport(options.persona, options.gateway);
      const everybody = [...mail.to, ...mail.cc];
      checkAddresses(everybody);
      if (mail.to.length === 0 || everybody.length > MAX_RECIPIENTS) {
        throw new EngineError(
          'invalid_arguments',
          `a mail needs at least one and at most ${MAX_RECIPIENTS} recipients`,
        );
      }
      const { approved } = options;
      const files = await readFiles(options.sources, mail.attachments);
      // Asked of the buffers that are composed below: between a look at a file and a second read it can be another.
      if (approved && approved.basis !== basisOf(files)) {
        throw new EngineError('approval_stale', 'what it would attach is not what was approved, so it was not sent');
      }
      const { to, cc, subject, body, in_reply_to } = mail;
      const goesOn = await earlierMail(options, { messageId: in_reply_to, recipients: everybody });
      return stage(options, { to, cc, subject, text: body, words: body, files, inReplyTo: null, goesOn });
    },
  };
}

/** Before anybody is asked, too: a yes to what can never be sent is one in vain, and hours may lie before it. */
function checkAddresses(addresses: readonly string[]): void {
  const bad = addresses.find((address) => !isSendable(address));
  if (bad !== undefined) throw new EngineError('invalid_arguments', notSendable(bad));
}

/** Sends the answer to an invitation, staged as any mail of a tool. */
export function createAnswerSender(
  options: OutgoingOptions,
): (mail: AnswerMail) => Promise<{ readonly message_id: string }> {
  return async ({ to, subject, text, words, calendar, inReplyTo, answers }) => {
    checkTransport(options.persona, options.gateway);
    checkAddresses([to]);
    const letter = { to: [to], cc: [], subject, text, words, files: [], inReplyTo };
    return stage(options, { ...letter, calendar: { method: 'REPLY', text: calendar }, answers });
  };
}

/** Sends an invitation of the persona's own, its change or its cancellation. */
export function createMeetingSender(
  options: OutgoingOptions,
): (mail: MeetingMail) => Promise<{ readonly message_id: string }> {
  return async ({ id, goesOn, to, ...mail }) => {
    checkTransport(options.persona, options.gateway);
    const before = await earlierMail(options, { messageId: goesOn ?? undefined, recipients: to });
    return stage(options, { ...mail, to, cc: [], files: [], inReplyTo: goesOn, goesOn: before, id });
  };
}

/** A mail as it leaves. */
interface Letter {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  readonly text: ComposeInput['text'];
  /** The text as it is found and quoted later. */
  readonly words: string;
  /** Absent: that of its words. */
  readonly language?: Language;
  readonly files: readonly OutgoingFile[];
  /** Message-ID of what it answers; null: nothing, or the request that it tells of. */
  readonly inReplyTo: string | null;
  /** The earlier mail in whose thread it is. */
  readonly goesOn?: StoredMessage | null;
  readonly calendar?: NonNullable<ComposeInput['calendar']>;
  readonly answers?: NonNullable<ToolMail['answers']>;
  readonly invites?: NonNullable<ToolMail['invites']>;
  /** Of its row, and in its Message-ID; absent or null: a new one. */
  readonly id?: string | null;
}

async function stage(options: OutgoingOptions, letter: Letter): Promise<{ readonly message_id: string }> {
  const staged = await write(options, letter);
  // A call that was given up must not send anything behind the back of the result that says so.
  options.signal.throwIfAborted();
  options.stage(staged);
  return { message_id: staged.message.message_id };
}

function checkTransport(persona: Persona, { mailboxes }: GatewayConfig): void {
  if (persona.mailbox === null || mailboxes.find(({ id }) => id === persona.mailbox)?.smtp) return;
  throw new EngineError('outbound_transport_not_configured', `the mailbox ${persona.mailbox} has no smtp`);
}

async function write(options: OutgoingOptions, mail: Letter): Promise<ToolMail> {
  const { persona, run, ids, clock, gateway } = options;
  const id = mail.id ?? ids.next();
  const before = requestToldOf(options.toldBack, mail) ?? mail.goesOn ?? null;
  const threadId = before?.thread_id ?? ids.next();
  const inReplyTo = before?.message_id ?? mail.inReplyTo;
  const references =
    before === null
      ? [inReplyTo].filter((id) => id !== null)
      : referencesFor({ messageId: before.message_id, references: before.references, inReplyTo: [] });
  const messageId = `<${id}@${gateway.domain}>`;
  const now = clock.now();
  const language = mail.language ?? languageOf([mail.words], persona.language);
  const raw = await composeMail({
    from: { name: persona.name, address: persona.address },
    to: mail.to.map(named),
    cc: mail.cc.map(named),
    subject: mail.subject,
    messageId,
    inReplyTo,
    references,
    date: now,
    kind: 'reply',
    runId: run.id,
    autoSubmitted: 'auto-generated',
    replyTo: null,
    recursion: { depth: Math.max(0, run.recursion), secret: options.recursionSecret },
    text: mail.text,
    signature: signatureOf(persona, language),
    language,
    quote: null,
    attachments: mail.files,
    ...(mail.calendar ? { calendar: mail.calendar } : {}),
    extraHeaders: {},
  });
  return {
    thread: before === null ? { id: threadId, kind: 'thread', subject: mail.subject } : null,
    message: {
      id,
      thread_id: threadId,
      direction: 'out',
      message_id: messageId,
      duplicate_key: null,
      linked_to: null,
      run_id: null,
      from_address: persona.address.toLowerCase(),
      from_name: persona.name,
      to: mail.to,
      cc: mail.cc,
      reply_to: null,
      subject: mail.subject,
      in_reply_to: inReplyTo,
      references,
      date: now,
      received_at: now,
      tier: null,
      text: mail.words,
      new_text: mail.words,
      raw_sha256: null,
      rendered_json: null,
    },
    mail: {
      row: queuedMail({
        id,
        messageId,
        raw,
        now,
        persona,
        threadId,
        runId: run.id,
        kind: 'reply',
        inReplyTo,
        // One row per mail of the run; the id keeps two mails of one run apart.
        purpose: `tool:${id}`,
      }),
      recipients: [...new Set([...mail.to, ...mail.cc])],
    },
    ...(mail.answers ? { answers: mail.answers } : {}),
    ...(mail.invites ? { invites: mail.invites } : {}),
  };
}

/** The one who asked reads what came of it where they asked, and their next mail about it joins that thread. */
function requestToldOf(toldBack: ToldBack | null, { to, cc }: Pick<WrittenMail, 'to' | 'cc'>): StoredMessage | null {
  const asker = toldBack?.asker ?? null;
  return asker !== null && [...to, ...cc].some((one) => addressKey(one) === asker.address) ? asker.request : null;
}

const named = (address: string) => ({ name: '', address });

/**
 * The mail that a further one to the same people goes on from, by rows alone; null where it begins a thread of its own.
 * Its thread has to be one that a mail of ours began for the same asker, who is told there of what is answered, and each
 * recipient one whom we wrote to in it: a thread that others have a part in brings its answers to those.
 */
async function earlierMail(
  {
    store,
    run,
  }: {
    readonly store: Pick<Store, 'messagesByMessageId' | 'getThread' | 'getRun' | 'knownParticipants'>;
    readonly run: Pick<StoredRun, 'kind' | 'sender' | 'thread_id'>;
  },
  { messageId, recipients }: { readonly messageId: string | undefined; readonly recipients: readonly string[] },
): Promise<StoredMessage | null> {
  if (messageId === undefined) return null;
  for (const message of await store.messagesByMessageId(bracketed(messageId))) {
    const begunBy = (await store.getThread(message.thread_id))?.begun_by_run ?? null;
    const begun = begunBy === null ? undefined : await store.getRun(begunBy);
    if (begun === undefined || !isSameAsker(begun, run)) continue;
    const known = await store.knownParticipants(message.thread_id);
    if (recipients.every((address) => known.has(addressKey(address) ?? ''))) return message;
  }
  return null;
}

/** A task is known by the thread that all its runs share; without one each of its runs is for itself. */
const isSameAsker = (a: Pick<StoredRun, 'kind' | 'sender' | 'thread_id'>, b: typeof a): boolean =>
  a.kind === b.kind && (a.kind === 'task' ? a.thread_id === b.thread_id : a.sender !== null && a.sender === b.sender);
