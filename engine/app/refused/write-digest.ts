import type { Persona, SecurityConfig } from '../../config/types.ts';
import { derivedId } from '../../lib/ids.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { standingOf } from '../../mail/access.ts';
import { addressKey } from '../../mail/mime/address.ts';
import type { Announce } from '../../record/jobs/jobs.ts';
import type { NewlyRefused, NewSenderQuestion } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { refusedDigest } from './digest-mail.ts';

/** So many are named of each kind; whoever is refused may write under as many addresses as they like. */
const SHOWN = 10;

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
const questionsOf = ({ unlisted, unproven }: RefusedDigest, question: Question): readonly NewSenderQuestion[] =>
  questionsAbout([...unlisted.slice(0, SHOWN), ...unproven.slice(0, SHOWN)], question);

interface Question {
  readonly noticeId: string;
  readonly now: number;
  readonly until: number;
}

/** These senders, numbered from 1 on, at most as many as one mail names. Pure. */
export function questionsAbout(
  rows: readonly NewlyRefused[],
  { noticeId, now, until }: Question,
): readonly NewSenderQuestion[] {
  return rows.slice(0, 2 * SHOWN).map((row, index) => ({
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

/** What one owner is told of: by one of the personas that are theirs. */
interface RefusedDigest {
  readonly owner: string;
  readonly by: Persona;
  /** Whether they own it, so that their answer counts; else they are told as the administrator. */
  readonly isAnswerable: boolean;
  /** Proven, and let in by nobody. */
  readonly unlisted: readonly NewlyRefused[];
  /** A rule lets them in, and nothing proves that it was them. */
  readonly unproven: readonly NewlyRefused[];
}

/**
 * One digest for each owner of whose personas mail was refused that may be a person's. Lists, machines and bounces are
 * recorded and not refused; what claims to be from nobody whom a rule names, and proves nothing, is left out, since any
 * spam does. Pure.
 */
function whomToTell(rows: readonly NewlyRefused[], { personas, access, admin }: Given): readonly RefusedDigest[] {
  const byId = new Map(personas.map((persona) => [persona.id, persona]));
  const told = rows.flatMap((row) => {
    const persona = byId.get(row.persona_id);
    if (!persona) return [];
    const standing = standingOf(row.from_address, persona, access);
    const isMeant =
      row.code === 'sender_not_allowed' ? standing === null : standing === 'owner' || standing === 'member';
    return isMeant ? ownersOf(persona, admin).map((owner) => ({ owner, persona, row })) : [];
  });
  return [...Map.groupBy(told, ({ owner }) => owner)].flatMap(([owner, found]) => {
    const personas = found.map(({ persona }) => persona).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const owned = personas.find(({ owners }) => owners.includes(owner));
    const by = owned ?? personas[0];
    if (!by) return [];
    const isAnswerable = owned !== undefined;
    const rowsOf = (code: NewlyRefused['code']) => found.flatMap(({ row }) => (row.code === code ? [row] : []));
    return [{ owner, by, isAnswerable, unlisted: rowsOf('sender_not_allowed'), unproven: rowsOf('auth_failed') }];
  });
}

interface Given {
  readonly personas: readonly Persona[];
  readonly access: Pick<SecurityConfig['gateway_access'], 'allow' | 'deny'>;
  /** Who hears of personas without an owner. */
  readonly admin: string | null;
}

const ownersOf = ({ owners }: Persona, admin: string | null): readonly string[] =>
  owners.length > 0 || admin === null ? [...new Set(owners)] : [admin];
