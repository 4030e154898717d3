import type { SecurityConfig } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import { parseBounce } from '../mail/bounce.ts';
import type { ParsedMail, SilenceCode } from '../mail/mime/types.ts';
import type { Announce } from '../record/announce.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Stores } from '../storage/ports/store.ts';
import type { NewAttachment } from '../storage/types/mail.ts';

import type { Admission } from './admission.ts';
import type { AnswerCode } from './answers/take-approval-answer.ts';
import { applyBounce, claimOf } from './apply-bounce.ts';
import type { Circuit } from './circuit.ts';
import { type Accepted, type Arrived, arrivalQuery, planArrival, refused } from './plan-arrival.ts';

export type { Admission } from './admission.ts';
export { admittedTier } from './admitted-tier.ts';
export { type AnswerDeps, takeApprovalAnswer } from './answers/take-approval-answer.ts';
export { takeOwnerCommand } from './owner-commands.ts';
export type { Accepted, Arrived } from './plan-arrival.ts';

export interface AcceptDeps {
  readonly stores: Stores;
  readonly gateway: GatewayStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly pass: PassCrashPoint;
  filesOf(personaId: string): PersonaFiles;
  loopGuard(): SecurityConfig['loop_guard'];
  /** How long a signature proves its mail. */
  signatureMaxAgeMs(): number;
  readonly circuit: Circuit;
  isOwnAddress(address: string): boolean;
  readonly announce: Announce;
}

/**
 * Makes a mail durable and decides what becomes of it: raw bytes on disk, the wakeup bumped, then message and
 * run in one transaction. Only afterwards may anybody acknowledge it. Throws when something could not be stored.
 */
export async function acceptMail(deps: AcceptDeps, arrived: Arrived): Promise<Accepted> {
  const { persona, mail, admission } = arrived;
  const { stores, clock, pass } = deps;
  if (admission.verdict === 'refuse') return refused(admission.code);
  if (isHopeless(admission, mail)) return refused('sender_not_allowed');
  const before = await askRows(deps, arrived);
  if (before !== null) return before;
  const files = deps.filesOf(persona.id);
  await files.keepMail(arrived.raw, mail.rawSha256);
  const attachments = storeAttachments(arrived, files, deps.ids);
  pass('accept.raw_written');
  const now = clock.now();
  return deps.announce(persona.id, now, async () => {
    pass('accept.wakeup_bumped');
    const accepted = await stores.use(persona.id, (store) =>
      store.acceptMail(arrivalQuery(deps, arrived), (found) => planArrival(deps, arrived, attachments, found, now)),
    );
    pass('accept.committed');
    if (accepted.decision === 'accepted') {
      pass('run.event.run_queued');
      deps.circuit.count(now);
    }
    return accepted;
  });
}

/** Only somebody who is `known` on a thread gets in. */
const dependsOnRows = (admission: Admission): boolean =>
  admission.verdict === 'known_or' && admission.otherwise.verdict === 'refuse';

/** A stranger whose mail belongs to no thread cannot be `known`; nothing of it is stored. */
const isHopeless = (admission: Admission, mail: ParsedMail): boolean =>
  dependsOnRows(admission) && mail.references.length + mail.inReplyTo.length === 0;

/** So large that the rows are asked first: what they keep from being answered is to leave no bytes behind. */
const LARGE_BYTES = 64 * 1024;

/**
 * Asks the rows before a byte is kept: an invented In-Reply-To must not let strangers fill the disk, nor somebody whose
 * mail is over a limit. Null: go on. Of small mail only the refusal counts here; what else it does not become a run
 * for is found out with its bytes on disk, and the sweep removes them.
 */
async function askRows(deps: AcceptDeps, arrived: Arrived): Promise<Accepted | null> {
  const { persona, raw, admission } = arrived;
  const { stores } = deps;
  const isLarge = raw.byteLength > LARGE_BYTES;
  if (!isLarge && !dependsOnRows(admission)) return null;
  if (!stores.exists(persona.id)) return dependsOnRows(admission) ? refused('sender_not_allowed') : null;
  const query = arrivalQuery(deps, arrived);
  const ask = () =>
    stores.use(persona.id, (store) =>
      store.acceptMail<Accepted | null>(query, (found) => {
        const plan = planArrival(deps, arrived, [], found, query.now);
        const { decision } = plan.verdict;
        return decision === 'refused' || (isLarge && decision !== 'accepted') ? plan : { verdict: null };
      }),
    );
  return isLarge ? deps.announce(persona.id, query.now, ask) : ask();
}

function storeAttachments({ mail }: Arrived, files: PersonaFiles, ids: Ids): readonly Omit<NewAttachment, 'message'>[] {
  return mail.attachments.map((attachment, position) => {
    if (attachment.unreadable === null) files.artifacts.put(attachment.content, attachment.sha256);
    return {
      id: `att_${ids.random(6)}`,
      position,
      name: attachment.name,
      type: attachment.type,
      bytes: attachment.bytes,
      sha256: attachment.sha256,
      text_sha256: attachment.text === null ? null : files.artifacts.put(Buffer.from(attachment.text)),
      unreadable: attachment.unreadable,
    };
  });
}

/** What a proven owner has said. Everything else that is never answered may be anybody's, and as much as they like. */
const OWNERS_WORDS: ReadonlySet<string> = new Set<AnswerCode | 'stop_command'>([
  'stop_command',
  'approval_answer',
  'approval_expired',
]);

/**
 * For a mail that is never answered. Its bytes are kept only where a row comes to name them: an owner's words, and a
 * bounce that says something new of a mail of ours.
 */
export async function recordSilence(
  deps: AcceptDeps,
  arrived: Pick<Arrived, 'persona' | 'raw' | 'mail'> & { code: SilenceCode | AnswerCode | 'stop_command' },
): Promise<void> {
  const { persona, raw, mail, code } = arrived;
  // Who never had mail has sent none that could come back.
  if (!deps.stores.exists(persona.id)) return;
  const now = deps.clock.now();
  const kept = { raw_sha256: mail.rawSha256, code, message_id: mail.messageId, bytes: raw.byteLength, at: now };
  await deps.stores.use(persona.id, async (store) => {
    if (OWNERS_WORDS.has(code)) {
      await deps.filesOf(persona.id).keepMail(raw, mail.rawSha256);
      return store.keepRecorded(kept);
    }
    const bounce = parseBounce(mail);
    const claim = bounce && claimOf(bounce);
    if (!claim || !(await store.isNewBounce(claim))) return;
    await deps.filesOf(persona.id).keepMail(raw, mail.rawSha256);
    await deps.announce(persona.id, now, () => applyBounce(store, claim, kept, now));
  });
}
