import type { Persona } from '../../config/types.ts';
import type { ComposeInput } from '../../mail/compose/compose.ts';
import { addressKey, isSendable } from '../../mail/mime/address.ts';
import { distinctlyNamed } from '../../mail/mime/attachment-name.ts';
import { attachedIn } from '../../record/attached.ts';
import type { RunLog } from '../../record/run-log.ts';
import type { LoopState } from '../../record/state.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
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
  // Most mails are to nobody but us.
  const isAsked = policy === 'known' && [...message.to, ...message.cc].some((one) => !options.isOwnAddress(one));
  const recipients = replyRecipients({
    policy,
    unproven: run.tier === 'unauthenticated',
    sender: (run.tier === 'unauthenticated' ? null : message.reply_to) ?? message.from_address ?? '',
    to: message.to,
    cc: message.cc,
    known: isAsked ? await store.knownParticipants(run.thread_id) : new Set(),
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
  const files = carriesFiles(decision, recipients) ? distinctlyNamed(attachedIn(state.outcomes)) : [];
  return Promise.all(
    files.map(async ({ name, type, sha256 }) => ({ name, type, content: await artifacts.get(sha256) })),
  );
}
