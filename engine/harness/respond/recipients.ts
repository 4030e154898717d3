import type { Persona } from '../../config/types.ts';
import type { ComposeInput } from '../../mail/compose/compose.ts';
import { addressKey, isSendable } from '../../mail/mime/address.ts';
import type { LoopState } from '../../record/fold.ts';
import type { RunLog } from '../../record/run-log.ts';
import { attachedIn } from '../../record/trigger.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { FinishBatch, LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { queuedMail } from '../../storage/raw-mail.ts';
import type { OutboxMode, OutgoingMail } from '../../storage/types/outbox.ts';
import type { EndDecision } from '../loop/end.ts';

export interface ReplyRecipients {
  readonly to: readonly string[];
  readonly cc: readonly string[];
}

/**
 * To whom the answer goes: policy over rows, never the model's choice. The sender always; with `known` those
 * of To and Cc whom an owner put on the thread; with `all` every address of To and Cc. Never ourselves. Of a mail that
 * nobody proved no header chooses a reader: the answer goes to the address that it claims to be from, and no further.
 */
export function replyRecipients(options: {
  policy: Persona['reply']['recipients'];
  /** Nobody proved who wrote the mail. */
  unproven: boolean;
  sender: string;
  to: readonly string[];
  cc: readonly string[];
  known: ReadonlySet<string>;
  isOwnAddress(address: string): boolean;
}): ReplyRecipients {
  const { policy, sender, known, isOwnAddress } = options;
  const others = policy === 'sender' || options.unproven ? [] : [...options.to, ...options.cc];
  const cc = others
    .flatMap((address) => addressKey(address) ?? [])
    .filter((address) => address !== sender && !isOwnAddress(address))
    .filter((address) => policy === 'all' || known.has(address));
  return { to: [sender], cc: [...new Set(cc)].slice(0, 100) };
}

/**
 * The run with those who get its answer beside its sender and owners. As it was when the run began: who was put on the
 * thread since has not been thought of when mail was looked up.
 */
export async function withReaders<Loaded extends LoadedRun>(
  options: Omit<Parameters<typeof recipientsOf>[0], 'loaded' | 'persona'> & {
    readonly loaded: Loaded;
    readonly persona: Pick<Persona, 'reply' | 'owners'>;
    readonly log: RunLog;
  },
): Promise<Loaded> {
  const { loaded, log } = options;
  const readers = log.last('context_built')?.data.also_read ?? (await readersOf(options));
  return { ...loaded, run: { ...loaded.run, readers } };
}

async function readersOf(options: Parameters<typeof withReaders>[0]): Promise<readonly string[]> {
  const { trigger } = options.loaded;
  if (trigger.kind === 'delegation') return trigger.packet.readers;
  if (trigger.kind !== 'mail') return [];
  const { cc } = await recipientsOf(options);
  return cc.filter((address) => !isOwner(options.persona, address));
}

const isOwner = ({ owners }: Pick<Persona, 'owners'>, address: string): boolean =>
  owners.some((owner) => addressKey(owner) === address);

/** Nobody where no mail began the run. */
export async function recipientsOf(options: {
  readonly loaded: Pick<LoadedRun, 'run' | 'message' | 'trigger'>;
  readonly persona: Pick<Persona, 'reply' | 'owners'>;
  readonly store: Pick<Store, 'knownParticipants'>;
  isOwnAddress(address: string): boolean;
}): Promise<ReplyRecipients> {
  const { loaded, persona, store } = options;
  const { run, message } = loaded;
  if (loaded.trigger.kind === 'delegation') return { to: [], cc: [] };
  const policy = persona.reply.recipients;
  const recipients = replyRecipients({
    policy,
    unproven: run.tier === 'unauthenticated',
    sender: (run.tier === 'unauthenticated' ? null : message.reply_to) ?? message.from_address ?? '',
    to: message.to,
    cc: message.cc,
    known: policy === 'known' ? await store.knownParticipants(run.thread_id) : new Set(),
    isOwnAddress: options.isOwnAddress,
  });
  const { readers } = run;
  const cc = recipients.cc.filter((one) => readers === undefined || readers.includes(one) || isOwner(persona, one));
  return { to: recipients.to.filter(isSendable), cc: cc.filter(isSendable) };
}

/** Half an answer carries nothing, and neither does one that stays in its thread. */
export const carriesFiles = ({ decision }: EndDecision, { to, cc }: ReplyRecipients): boolean =>
  decision === 'FINAL' && to.length + cc.length > 0;

/** What an answer carries: the very bytes that were there when each file was attached. */
export function filesOf(
  {
    artifacts,
    state,
    decision,
  }: {
    readonly artifacts: Pick<Blobs, 'get'>;
    readonly decision: EndDecision;
    readonly state: Pick<LoopState, 'outcomes'>;
  },
  recipients: ReplyRecipients,
): Promise<ComposeInput['attachments']> {
  const files = carriesFiles(decision, recipients) ? attachedIn(state.outcomes) : [];
  return Promise.all(
    files.map(async ({ name, type, sha256 }) => ({ name, type, content: await artifacts.get(sha256) })),
  );
}

/** How the mail lies in its conversation. */
export interface ReplyHeaders {
  readonly kind: 'reply' | 'task';
  readonly subject: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly quote: { attribution: string; text: string } | null;
}

/** A run has one `final`; or what it could say `so_far`, and the rest as its `follow_up`. */
export type ReplyPurpose = 'final' | 'so_far' | 'follow_up';

/** The rows of a reply, and the mail itself. */
export type ComposedReply = NonNullable<FinishBatch['reply']> & { readonly mail: OutgoingMail };

/** The rows of an answer: the message of its thread, and what is to be delivered. */
export function replyRows(
  reply: {
    readonly id: string;
    readonly messageId: string;
    readonly raw: Uint8Array;
    readonly subject: string;
    readonly inReplyTo: string | null;
    readonly references: readonly string[];
    readonly text: string;
    /** As later runs of the thread see it, JSON. */
    readonly rendered: string;
    /** Nothing but trusted words was shown to the run that wrote it. */
    readonly clean?: boolean;
    readonly recipients: ReplyRecipients;
  },
  {
    loaded,
    persona,
    now,
    mode = 'send',
    purpose = 'final',
  }: {
    readonly loaded: LoadedRun;
    readonly persona: Pick<Persona, 'name' | 'address' | 'mailbox'>;
    readonly now: number;
    readonly mode?: OutboxMode;
    readonly purpose?: ReplyPurpose;
  },
): ComposedReply {
  const { run } = loaded;
  const { id, messageId, recipients } = reply;
  return {
    message: {
      id,
      thread_id: run.thread_id,
      direction: 'out',
      message_id: messageId,
      duplicate_key: null,
      linked_to: null,
      run_id: run.id,
      from_address: persona.address.toLowerCase(),
      from_name: persona.name,
      to: recipients.to,
      cc: recipients.cc,
      reply_to: null,
      subject: reply.subject,
      in_reply_to: reply.inReplyTo,
      references: reply.references,
      date: now,
      received_at: now,
      tier: null,
      text: reply.text,
      new_text: reply.text,
      raw_sha256: null,
      rendered_json: reply.rendered,
      clean: reply.clean ? 1 : null,
    },
    mail: {
      row: queuedMail({
        id,
        messageId,
        now,
        persona,
        runId: run.id,
        threadId: run.thread_id,
        raw: reply.raw,
        purpose,
        mode,
        kind: run.kind === 'task' ? 'task' : 'reply',
        inReplyTo: reply.inReplyTo,
      }),
      recipients: [...recipients.to, ...recipients.cc],
    },
    participants: recipients.to,
  };
}
