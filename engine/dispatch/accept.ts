import type { SecurityConfig } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import { type Ids, sha256 } from '../lib/ids.ts';
import { parseBounce } from '../mail/bounce.ts';
import type { ParsedMail, SilenceCode } from '../mail/types.ts';
import type { GatewayStore } from '../storage/gateway-store.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { ArrivalQuery } from '../storage/store.ts';
import type { Stores } from '../storage/stores.ts';
import type { NewAttachment } from '../storage/tables.ts';
import type { Admission } from './admission.ts';
import type { Circuit } from './circuit.ts';
import { classifyArrival, highestLimit } from './classify-arrival.ts';
import { applyBounce } from './commands.ts';
import { type Accepted, type Arrived, planArrival, refused } from './plan-arrival.ts';
import type { AnswerCode } from './take-approval-answer.ts';

export type { Admission } from './admission.ts';
export { takeOwnerCommand } from './owner-commands.ts';
export type { Accepted, Arrived } from './plan-arrival.ts';
export { type AnswerDeps, takeApprovalAnswer } from './take-approval-answer.ts';

export interface AcceptDeps {
  readonly stores: Stores;
  readonly gateway: GatewayStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly pass: PassCrashPoint;
  filesOf(personaId: string): PersonaFiles;
  loopGuard(): SecurityConfig['loop_guard'];
  readonly circuit: Circuit;
  isOwnAddress(address: string): boolean;
  /** Tells the dispatcher of this process that there is work; a lost call costs time, never mail. */
  wake(personaId: string): void;
}

/**
 * Makes a mail durable and decides what becomes of it: raw bytes on disk, the wakeup bumped, then message and
 * run in one transaction. Only afterwards may anybody acknowledge it. Throws when something could not be stored.
 */
export async function acceptMail(deps: AcceptDeps, arrived: Arrived): Promise<Accepted> {
  const { persona, mail, admission, identity } = arrived;
  const { gateway, stores, clock, pass } = deps;
  if (admission.verdict === 'refuse') return refused(admission.code);
  if (isHopeless(admission, mail)) return refused('sender_not_allowed');
  const nearestFirst = [...new Set([...mail.inReplyTo, ...mail.references.toReversed()])];
  const query = {
    duplicateKey: sha256([mail.messageId, identity.address ?? '', mail.dateHeader].join('\n')),
    messageId: mail.messageId,
    sender: identity.address,
    proven: identity.authenticated,
    references: nearestFirst,
    countTo: highestLimit(deps.loopGuard(), persona.budget.runs_per_sender_per_hour),
    now: clock.now(),
  };
  if (dependsOnRows(admission) && (await isRefusedByRows(deps, arrived, query))) return refused('sender_not_allowed');
  const files = deps.filesOf(persona.id);
  await files.keepMail(arrived.raw, mail.rawSha256);
  const attachments = storeAttachments(arrived, files, deps.ids);
  pass('accept.raw_written');
  const now = clock.now();
  await gateway.keepDue(persona.id, now);
  pass('accept.wakeup_bumped');
  const accepted = await stores.use(persona.id, (store) =>
    store.acceptMail({ ...query, now }, (found) => planArrival(deps, arrived, attachments, found, now)),
  );
  pass('accept.committed');
  if (accepted.decision === 'accepted') {
    pass('run.event.run_queued');
    deps.circuit.count(now);
  }
  deps.wake(persona.id);
  return accepted;
}

/** Only somebody who is `known` on a thread gets in. */
const dependsOnRows = (admission: Admission): boolean =>
  admission.verdict === 'known_or' && admission.otherwise.verdict === 'refuse';

/** A stranger whose mail belongs to no thread cannot be `known`; nothing of it is stored. */
const isHopeless = (admission: Admission, mail: ParsedMail): boolean =>
  dependsOnRows(admission) && mail.references.length + mail.inReplyTo.length === 0;

/** Asked before a byte is kept: an invented In-Reply-To must not let strangers fill the disk. */
async function isRefusedByRows(
  deps: AcceptDeps,
  { persona, admission, identity }: Arrived,
  query: ArrivalQuery,
): Promise<boolean> {
  if (!deps.stores.exists(persona.id)) return true;
  const { kind } = await deps.stores.use(persona.id, (store) =>
    store.acceptMail(query, (found) => ({
      verdict: classifyArrival({
        found,
        admission,
        sender: identity.address,
        runsPerSenderPerHour: null,
        loopGuard: deps.loopGuard(),
        answersOfAll: 0,
        now: query.now,
      }),
    })),
  );
  return kind === 'refuse';
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

/** Keeps a mail that is never answered; a bounce is matched to the mail that it is about. */
export async function recordSilence(
  deps: AcceptDeps,
  arrived: Pick<Arrived, 'persona' | 'raw' | 'mail'> & { code: SilenceCode | AnswerCode | 'stop_command' },
): Promise<void> {
  const { persona, raw, mail } = arrived;
  await deps.filesOf(persona.id).keepMail(raw, mail.rawSha256);
  const bounce = parseBounce(mail);
  if (!bounce || bounce.originalMessageId === null || !deps.stores.exists(persona.id)) return;
  const now = deps.clock.now();
  await deps.gateway.bumpWakeup(persona.id, now);
  await deps.stores.use(persona.id, (store) => applyBounce(store, bounce, now));
  deps.wake(persona.id);
}
