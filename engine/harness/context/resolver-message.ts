import type { ResolverInput, ResolverMessage } from '#contract';
import type { Configs, Persona, TaskEntry } from '../../config/types.ts';
import { iso } from '../../lib/clock.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { piecesOf, writtenIn } from '../../mail/pieces/pieces-of.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import { TELLS_BACK, type ToldBack } from '../../policy/told-back.ts';
import { askerOf, hasReaders } from '../../policy/viewer.ts';
import { taskOf, triggerFacts } from '../../record/trigger.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredAttachment, Viewer } from '../../storage/types/mail.ts';
import type { ShownInvitation } from '../../tools/calendar/meetings.ts';
import { attachmentLines } from '../../tools/capabilities/attachment-lines.ts';
import type { Library } from '../../tools/documents/library.ts';
import { answersInWords } from './answered-request.ts';
import { isFirstOfThread } from './history.ts';

interface Source {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Pick<Configs, 'security'>;
  meetings(): Promise<readonly ShownInvitation[]>;
  readonly store: Pick<Store, 'openApprovalsOfThread' | 'draftsOfThread' | 'knownParticipants'>;
  readonly tasks: () => readonly TaskEntry[];
  readonly library: Library;
  /** Whom the run may tell of the mail beside its sender. */
  readonly toldBack: ToldBack | null;
  readonly offered: readonly Pick<ToolFacts, 'name'>[];
}

/** The mail as resolvers get it; `pictures` are those of its attachments that the model is shown. */
export async function resolverMessage(source: Source, pictures: readonly StoredAttachment[]): Promise<ResolverMessage> {
  const { message, attachments, run } = source.loaded;
  const task = taskOf(source.loaded);
  const answers =
    (await answersOf(source)) ?? answersInWords(source.loaded, source.persona, source.configs.security.gateway_access);
  const invitations = await source.meetings();
  return {
    ...(invitations.length === 0 ? {} : { invitations }),
    messageId: message.message_id,
    subject: message.subject,
    from: message.from_address ?? '',
    fromName: message.from_name,
    to: message.to,
    cc: message.cc,
    tier: run.tier,
    receivedAt: iso(message.received_at),
    writtenAt: message.date === null ? null : iso(message.date),
    pieces: piecesOf(message),
    newText: writtenIn(message),
    quotedText: message.quoted_text,
    forwardedText: message.forwarded_text,
    attachments: await attachmentLines(attachments, { pictures, library: source.library }),
    limitations: [...message.limitations, ...(await openActionsOf(source)), ...(await unsentOf(source))],
    answers: answers === null ? null : `${answers}${tellsBack(source)}`,
    ...(task ? { task: { dueAt: iso(task.due_at), timezone: task.timezone, previous: task.previous } } : {}),
  };
}

/** A later mail of the thread runs normally, and knows what an earlier one of the same sender is waiting for. */
async function openActionsOf({ store, loaded }: Source): Promise<readonly string[]> {
  if (isFirstOfThread(loaded) || hasReaders(loaded.run)) return [];
  const asker = askerOf(loaded.run);
  const open = await store.openApprovalsOfThread(loaded.thread.id);
  const own = open.filter(({ sender, tier }) => asker === null || (sender === asker.address && tier === asker.tier));
  return own.map(
    ({ tool }) => `An earlier request of this thread waits for the owner's approval of ${tool}; it is not done yet.`,
  );
}

/** What nobody has sent was not said, and the model would not know of it. */
async function unsentOf({ store, loaded, persona: { reply } }: Source): Promise<readonly string[]> {
  if (hasReaders(loaded.run)) return [];
  if (reply.mode === 'send' && reply.rules.every(({ mode }) => mode === 'send')) return [];
  const asker = askerOf(loaded.run);
  const lying = await store.draftsOfThread(loaded.thread.id);
  const own = lying.filter(({ sender, tier }) => asker === null || (sender === asker.address && tier === asker.tier));
  return own.map(() => "Your answer to an earlier mail of this thread lies in the owner's Drafts; nobody has got it.");
}

/** By words, since the model writes to a correspondent and is not told who asked. */
function tellsBack({ toldBack, offered }: Source): string {
  if (toldBack === null || !offered.some(({ name }) => name === TELLS_BACK)) return '';
  const whom =
    toldBack.asker === null ? 'your owners (to: ["owners"])' : 'your owners (to: ["owners"]) and them (to: ["asker"])';
  return `; ${TELLS_BACK} reaches ${whom} alone`;
}

/** An owner who writes "make it 9 o'clock" below a task's mail means that task. */
async function answersOf({ loaded, tasks, store }: Source): Promise<string | null> {
  const id = loaded.trigger.kind === 'mail' ? loaded.trigger.answersTask : null;
  if (id === null) return null;
  // To whom it has not written itself, a task says no more than its mail did.
  const { tier } = loaded.run;
  if (loaded.thread.kind !== 'task' && tier !== 'owner' && tier !== 'member') return 'a mail that a task of yours sent';
  if (tier !== 'owner' && !(await store.knownParticipants(loaded.thread.id)).has(loaded.message.from_address ?? ''))
    return 'in a thread that a mail of a task of yours began, which did not go to this sender';
  const now = tasks().find((entry) => entry.id === id)?.task;
  return `a mail of your task ${id}${now ? ` (schedule: ${now.schedule}, ${now.timezone})` : ', which is gone'}`;
}

/** Mails of a thread that are looked at for people, the newest first. */
const MAX_MAILS = 50;
const MAX_PEOPLE = 12;
/** Of anybody else a name is what a stranger calls themselves, and a model would take it for the person's. */
const PROVEN: ReadonlySet<string> = new Set(['owner', 'member', 'known']);

/**
 * The thread as resolvers get it, with whoever else has written in it by proven mail that the viewer may see: so that a name
 * leads to an address.
 */
export async function resolverThread(
  { loaded, persona, store }: Pick<Source, 'loaded' | 'persona'> & { readonly store: Pick<Store, 'threadPage'> },
  { messageCount, viewer }: { readonly messageCount: number; readonly viewer: Viewer },
): Promise<ResolverInput['thread']> {
  const { thread, message, trigger } = loaded;
  const { id, private_since: privateSince } = thread;
  const about = { id, kind: triggerFacts(loaded).profile, messageCount, isPrivate: privateSince !== null };
  if (messageCount < 2 || trigger.kind !== 'mail') return about;
  const people = new Map<string, { name: string; address: string }>();
  const known: readonly (string | null)[] = [persona.address, message.from_address ?? ''].map(addressKey);
  for (const { direction, tier, ...row } of await store.threadPage(id, message.seq, MAX_MAILS, viewer)) {
    const [name, address] = [row.from_name, row.from_address];
    if (direction !== 'in' || !address || tier === null || !PROVEN.has(tier)) continue;
    const key = addressKey(address) ?? address;
    if (!known.includes(key) && !people.has(key) && people.size < MAX_PEOPLE) people.set(key, { name, address });
  }
  return { ...about, people: [...people.values()] };
}
