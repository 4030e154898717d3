import { chunks, type Listed, listMail } from './client/listing.ts';
import { type Headed, headsOf } from './client/own-dates.ts';
import type { Session } from './client/session.ts';
import { sourceOf } from './leave.ts';
import { finish, type Progress } from './progress.ts';
import type { MailboxDeps } from './types.ts';

/** So many mails that nobody has seen may be worked after a folder got other numbers; for more of them its owners are asked. */
export const MOST_UNASKED = 20;
const AT_ONCE = 100;

interface Sorting {
  readonly session: Session;
  readonly deps: MailboxDeps;
  readonly progress: Progress;
  readonly stopping: AbortSignal;
}

/** A mail's own dates can only make it older than its server says: a server that was moved dates all mail anew. Pure. */
export const isBefore = (since: number | undefined, { internalDate }: Listed, ownDate: number | null): boolean =>
  since !== undefined && Math.min(internalDate, ownDate ?? internalDate) <= since;

/**
 * Which mails of a folder that is looked at again as a whole are to be taken. What is from before the first connect is
 * listed and left there; of what nobody has seen, more than a few wait until its owners have said what is to become of it.
 */
export async function sortOutResync(context: Sorting, uids: readonly number[]): Promise<readonly number[]> {
  const { progress, deps, session, stopping } = context;
  const { since, uidValidity } = progress.cursor;
  const [taken, unseen] = [[] as number[], [] as { mail: Listed; head: Headed | undefined }[]];
  let held = 0;
  const hold = async () => {
    for (const { mail, head } of unseen.splice(0)) {
      held += 1;
      await deps.hold(sourceOf(context, mail), head?.head ?? null);
      finish(progress, mail.uid);
    }
  };
  for (const some of chunks(uids, AT_ONCE)) {
    if (stopping.aborted) return [];
    const listed = await listMail(session, some.join(','), deps.clock.now());
    const heads = await headsOf(session, some);
    const missing = some.filter((uid) => !listed.some((mail) => mail.uid === uid));
    taken.push(...missing);
    for (const mail of listed) {
      const head = heads.get(mail.uid);
      if (isBefore(since, mail, head?.ownDate ?? null)) await leaveThere(context, mail, head);
      else if (head?.messageId && (await deps.isKnown(head.messageId))) taken.push(mail.uid);
      else unseen.push({ mail, head });
    }
    if (held + unseen.length > MOST_UNASKED) await hold();
  }
  if (held > 0) {
    await hold();
    await deps.askAboutHeld(uidValidity, held);
  }
  return [...taken, ...unseen.map(({ mail }) => mail.uid)].toSorted((one, other) => one - other);
}

/**
 * Of many mails that are new in one look: those that are not from before the first connect. Somebody has copied an archive
 * into the folder; a single old mail was put there to be answered.
 */
export async function sortOutMany(context: Sorting, listed: readonly Listed[]): Promise<readonly Listed[]> {
  const { since } = context.progress.cursor;
  if (since === undefined || listed.length <= MOST_UNASKED) return listed;
  const heads = await headsOf(
    context.session,
    listed.map(({ uid }) => uid),
  );
  const isOld = (mail: Listed) => isBefore(since, mail, heads.get(mail.uid)?.ownDate ?? null);
  const old = listed.filter(isOld);
  if (old.length <= MOST_UNASKED) return listed;
  for (const mail of old) await leaveThere(context, mail, heads.get(mail.uid));
  return listed.filter((mail) => !isOld(mail));
}

async function leaveThere(context: Sorting, mail: Listed, head: Headed | undefined): Promise<void> {
  await context.deps.leaveAlone(sourceOf(context, mail), { code: 'before_first_connect', head: head?.head ?? null });
  finish(context.progress, mail.uid);
}
