import { derivedId } from '../../lib/ids.ts';
import { addressKey } from '../../mail/mime/address.ts';
import type { Announce } from '../../record/announce.ts';
import type { NewlyRefused, NewSenderQuestion } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { refusedDigest } from './digest-mail.ts';
import { type RefusedDigest, whomToTell } from './whom-to-tell.ts';

/** So many are named of each kind; whoever is refused may write under as many addresses as they like. */
const SHOWN = 10;
const HOUR_MS = 3_600_000;

type Parts = {
  readonly workspace: Pick<Workspace, 'gateway' | 'live' | 'stores' | 'clock' | 'pass'>;
  readonly announce: Announce;
};

/** One mail to each owner about those whose mail was refused for the first time since then. */
export async function writeDigests(
  { workspace: { gateway, live, stores, clock, pass }, announce }: Parts,
  rows: readonly NewlyRefused[],
  since: number,
): Promise<void> {
  const { security, system } = live.current();
  const now = clock.now();
  const personas = [...live.personas().all()].flatMap((entry) => (entry.state === 'ready' ? [entry.persona] : []));
  const left = await notTakenInSince(gateway, rows);
  for (const digest of whomToTell(left, { personas, access: security.gateway_access, admin: system.admin_contact })) {
    const { by, owner, isAnswerable, unlisted, unproven } = digest;
    // The id is the purpose of the mail, and names what it asks: a crash between two owners tells neither twice.
    const id = `notice:refused_senders:${owner}:${since}`;
    const noticeId = derivedId(since, id);
    const until = now + security.approvals.ttl_hours * HOUR_MS;
    await gateway.askAboutSenders(questionsOf(digest, { noticeId, now, until }));
    pass('senders.asked');
    const counts = { unlisted: unlisted.length, unproven: unproven.length };
    const payload = { to: owner, notice_id: noticeId, is_answerable: isAnswerable, ...counts };
    const job = refusedDigest.job({ id, due_at: now, payload });
    await announce(by.id, now, () => stores.use(by.id, (store) => store.addJobs([job])));
  }
}

/** Without those whose newest mail was taken in after all: something was mended. */
async function notTakenInSince(
  gateway: Pick<Workspace['gateway'], 'seenByMessageId'>,
  rows: readonly NewlyRefused[],
): Promise<readonly NewlyRefused[]> {
  const left: NewlyRefused[] = [];
  for (const row of rows) {
    const seen = await gateway.seenByMessageId(row.message_id);
    if (!seen.some((one) => one.persona_id === row.persona_id && one.decision === 'accepted')) left.push(row);
  }
  return left;
}

/** The senders that are named, numbered as they stand in the mail. Pure. */
function questionsOf(
  { unlisted, unproven }: RefusedDigest,
  { noticeId, now, until }: { readonly noticeId: string; readonly now: number; readonly until: number },
): readonly NewSenderQuestion[] {
  return [...unlisted.slice(0, SHOWN), ...unproven.slice(0, SHOWN)].map((row, index) => ({
    notice_id: noticeId,
    number: index + 1,
    persona_id: row.persona_id,
    sender: addressKey(row.from_address) ?? row.from_address,
    code: row.code,
    mails: row.mails,
    subject: row.subject,
    asked_at: now,
    until,
  }));
}
