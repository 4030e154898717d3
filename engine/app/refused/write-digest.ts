import { inLine } from '../../delivery/questions/approval-text.ts';
import type { Announce } from '../../record/announce.ts';
import { notice } from '../../record/jobs/notice-job.ts';
import type { NewlyRefused } from '../../storage/types/gateway.ts';
import { REFUSED_SENDERS } from '../../wording/to-owners/refused-senders.ts';
import type { Workspace } from '../../workspace.ts';
import { type RefusedDigest, whomToTell } from './whom-to-tell.ts';

/** So many are named of each kind; whoever is refused may write under as many addresses as they like. */
const SHOWN = 10;

type Parts = {
  readonly workspace: Pick<Workspace, 'gateway' | 'live' | 'stores' | 'clock'>;
  readonly announce: Announce;
};

/** One mail to each owner about those whose mail was refused for the first time since then. */
export async function writeDigests(
  { workspace: { gateway, live, stores, clock }, announce }: Parts,
  rows: readonly NewlyRefused[],
  since: number,
): Promise<void> {
  const { security, system } = live.current();
  const now = clock.now();
  const personas = [...live.personas().all()].flatMap((entry) => (entry.state === 'ready' ? [entry.persona] : []));
  const left = await notTakenInSince(gateway, rows);
  for (const digest of whomToTell(left, { personas, access: security.gateway_access, admin: system.admin_contact })) {
    const { by, owner } = digest;
    const payload = { ...wordsOf(digest, security.quarantine_days), to: owner };
    // The id is the purpose of the mail: a crash between two owners tells neither twice.
    const job = notice.job({ id: `notice:refused_senders:${owner}:${since}`, due_at: now, payload });
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

function wordsOf(
  { by, unlisted, unproven }: RefusedDigest,
  keptDays: number,
): { readonly subject: string; readonly text: string } {
  const words = REFUSED_SENDERS[by.language];
  const listed = (rows: readonly NewlyRefused[]) =>
    [
      ...rows.slice(0, SHOWN).map(lineOf),
      ...(rows.length > SHOWN ? [words.more(rows.length - SHOWN, '`epistle senders list`')] : []),
    ].join('\n');
  // No address stands in a command: it may hold what a shell would run.
  const text = [
    ...(unlisted.length > 0
      ? [words.unlisted, listed(unlisted), words.allow('`epistle senders allow ADDRESS`', keptDays)]
      : []),
    ...(unproven.length > 0
      ? [words.unproven, listed(unproven), words.prove('`epistle mail list --refused`', '`epistle doctor`')]
      : []),
    words.once,
  ].join('\n\n');
  return { subject: words.subject(unlisted.length + unproven.length), text };
}

const lineOf = ({ from_address: from, persona_id: persona, subject, mails }: NewlyRefused): string =>
  `- ${inLine(from, 100)} → ${persona}: "${inLine(subject, 60)}"${mails > 1 ? ` (${mails})` : ''}`;
