import { z } from 'zod';
import type { Asks, Json, JsonObject } from '#contract';
import { derivedId } from '../../lib/ids.ts';
import { canonicalJson, jsonObject, parseJson } from '../../lib/json.ts';
import { UNDO_MS } from '../../lib/undo-window.ts';
import type { Added } from '../schema/persona.ts';
import type { SenderVerdict } from './gateway.ts';
import type { NewJob } from './jobs.ts';
import type { Tier } from './mail.ts';
import type { Rule } from './rules.ts';

// What owners are asked, what they decide, and what can be taken back.

/** Why a question is `stale` that an owner's STOP has closed. */
export const CLOSED_BY_STOP = 'an owner wrote STOP';

/** Why one is `stale` that whoever asked for the call has taken back. */
export const TAKEN_BACK = 'whoever asked for it took it back';

/** Why a question in words is `stale` whose conversation has an answer to a later one, which answers it, too. */
export const ANSWERED_SINCE = 'an owner has answered a later question of the conversation';

/** Why one is `stale` whose run somebody has cancelled. */
export const RUN_CANCELLED = 'the run was cancelled';

/** Why one is `stale` in whose place stands another about the same call, as an owner has changed it, or the persona at an owner's word. */
export const EDITED = 'edited';
export const REVISED = 'revised';

export type ApprovalState =
  | 'pending'
  | 'approved'
  | 'executing'
  | 'executed'
  | 'failed'
  | 'side_effect_unknown'
  | 'rejected'
  | 'expired'
  | 'stale';

/** An owner has said yes, whatever became of the call. */
export const APPROVED_STATES: readonly ApprovalState[] = [
  'approved',
  'executing',
  'executed',
  'failed',
  'side_effect_unknown',
];

/** `call`: may it be made; else what the tool puts before the owners in place of a call of its own. */
export type ApprovalKind = 'call' | Asks;

/** A file to look at beside a question. */
export interface AttachedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  /** False where it was too large to be kept beside the question. */
  readonly kept: boolean;
}

/** A value of a call that stands in no trusted text. */
export const foreignValue = z.object({
  kind: z.string(),
  value: z.string(),
  /** The argument that it stands in. */
  at: z.string(),
  /** Where it was read; null: nowhere, the model put it together itself. */
  origin: z.string().nullable(),
  /** It stands in what an owner has said is to hold: nobody need be told that no owner gave it, and it is asked about all the same. */
  given: z.literal(true).exactOptional(),
});
export type ForeignValue = Readonly<z.infer<typeof foreignValue>>;

export interface Approval extends Added<'approvals'> {
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly call_id: string;
  readonly kind: ApprovalKind;
  readonly tool: string;
  /** The exact arguments, frozen: canonical JSON, of which the hash is; `argumentsOf` reads it. */
  readonly arguments_json: string;
  readonly arguments_hash: string;
  /** Of the tool as it was when it was asked for; another tool under the name makes the approval stale. */
  readonly fingerprint: string;
  readonly risk: string;
  /** What it would change, as the owner is shown it, and what that was computed from. */
  readonly preview: string | null;
  readonly basis: string | null;
  /** Files to look at beside it, by the hash under which they are kept. */
  readonly attached: readonly AttachedFile[];
  readonly origins: readonly ForeignValue[];
  readonly state: ApprovalState;
  /** Its number in the notice. */
  readonly number: number | null;
  readonly notice_id: string | null;
  readonly expires_at: number;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  /** Of a no, or of what became of it; to a question, the answer. */
  readonly reason: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Another question about the same call stands in its place. */
export const isChanged = ({ state, reason }: Pick<Approval, 'state' | 'reason'>): boolean =>
  state === 'stale' && (reason === EDITED || reason === REVISED);

/** By what one call is like another. */
const Likeness = z.strictObject({
  tool: z.string(),
  /** What begins the run: `mail`, or `task:` and its id. */
  kind: z.string(),
  /** Everybody whom it goes to, each once, in lower case; of a call that goes to nobody, none. */
  whom: z.array(z.string()),
  /** What it would change, where it goes to nobody; else null. */
  target: z.string().nullable(),
});
export type Likeness = Readonly<z.infer<typeof Likeness>>;

/** What it is compared by. */
export const likenessKey = ({ tool, kind, whom, target }: Likeness): string =>
  canonicalJson({ tool, kind, whom: [...whom], target });

/** Of a key that `likenessKey` has made. */
export const likenessIn = (key: string): Likeness => parseJson(Likeness, key);

/** One of the questions about calls that are like one another. */
export interface LikeQuestion
  extends Pick<Approval, 'id' | 'state' | 'teaches' | 'fingerprint' | 'decided_by' | 'created_at'> {
  /** Of whoever asked for the call. */
  readonly tier: Tier;
  /** An owner has taken back what was done on that yes. */
  readonly isUndone: boolean;
}

/** The arguments that were frozen, as a value. */
export const argumentsOf = ({ arguments_json }: Pick<Approval, 'arguments_json'>): JsonObject =>
  parseJson(jsonObject, arguments_json);

/** The run that carries out what was decided at that time (Unix ms) after the run that asked had answered; whether there is one is told by `runs`. */
export const decidedRunId = (approvalId: string, decidedAt: number): string =>
  derivedId(decidedAt, `decided ${approvalId}`);

/** A step of an approval's state; it is taken only from `from`. */
export interface ApprovalStep {
  readonly id: string;
  readonly from: ApprovalState;
  readonly to: ApprovalState;
  readonly reason?: string | null;
}

export interface ApprovalDecision {
  readonly id: string;
  readonly state: 'approved' | 'rejected' | 'expired' | 'stale';
  readonly by: string;
  readonly reason: string | null;
  /** Of a yes: such calls go without a question from now on. Absent: it is a yes to this one. */
  readonly taught?: TaughtRule;
}

/** A rule that is made with a decision, and all that comes with it; where the decision comes too late, nothing of it is made. */
export interface TaughtRule {
  readonly rule: Rule;
  /** Ids of rules in whose place it stands. */
  readonly replaces: readonly string[];
  /** By which it is taken back. */
  readonly undo: UndoItem;
  readonly audit: AuditRecord;
  /** Tells owners of it. */
  readonly job: NewJob;
}

export interface Decided {
  readonly id: string;
  readonly outcome: 'decided' | 'not_pending' | 'expired' | 'not_found';
}

export interface ApprovalNotice extends Added<'approval_notices'> {
  readonly id: string;
  /** The token itself is only in the mail that carries it. */
  readonly token_sha256: string;
  readonly message_id: string;
  readonly created_at: number;
  readonly reminded_at: number | null;
}

/**
 * What a notice offers to do once more: to send a mail, to answer one in a new run, to take one in after all (`letter`: one that
 * could not be read), to take in what waits in a mailbox that was renumbered, to let a task run again, or to answer in a thread
 * again. Or to switch a setting of the gateway on, which is answered with yes or no; or a day's budget once more for that day.
 */
const Again = z.union([
  z.strictObject({ outbox: z.string() }),
  z.strictObject({ run: z.string() }),
  z.strictObject({ mail: z.string() }),
  z.strictObject({ letter: z.string() }),
  z.strictObject({ mailbox: z.string() }),
  z.strictObject({ task: z.string() }),
  z.strictObject({ setting: z.literal('own_words') }),
  z.strictObject({ thread: z.string() }),
  z.strictObject({ budget: z.string() }),
]);
export type Again = z.infer<typeof Again>;
export { Again as againSchema };

/** What of a persona an owner may switch by an answer to its weekly mail, in its order; that mail off, all else on. */
export const SWITCHES = [
  'recall',
  'facts',
  'summarise',
  'learning',
  'learning_more',
  'delegation',
  'weekly_mail',
] as const;
const Switch = z.strictObject({ switch: z.enum(SWITCHES), number: z.int() });
export type Switch = z.infer<typeof Switch>;

const Offered = z.strictObject({ items: z.array(z.union([Again, Switch])), until: z.number() });
export type Offered = z.infer<typeof Offered>;

/** What a notice offers to do once more, or to switch; null: nothing. */
export const againIn = ({ again_json: json }: Pick<ApprovalNotice, 'again_json'>): Offered | null =>
  json === null ? null : parseJson(Offered, json);

/** What an answer says of one item, and what became of it. */
export interface AnsweredItem {
  readonly number: number;
  readonly verdict: 'approve' | 'deny' | 'edit' | 'undo' | 'answer' | SenderVerdict;
}

/** What an owner's answer to a notice was understood as: `epistle why` tells it. */
export interface ApprovalAnswer extends Added<'approval_answers'> {
  /** Of notice, mail, sender and words: the same mail delivered twice is one answer. */
  readonly id: string;
  readonly notice_id: string;
  readonly message_id: string;
  readonly at: number;
  readonly by: string;
  readonly verdict:
    | 'approve'
    | 'deny'
    | 'mixed'
    | 'edit'
    | 'words'
    | 'undo'
    | 'again'
    | 'switch'
    | 'senders'
    | 'unclear'
    | 'late';
  /** The rules that its sentences fit, by name: a list. */
  readonly rules: readonly string[];
  readonly items: readonly AnsweredItem[];
  /** Of `unclear`: why, as a code, and a word of the answer or what refused it. */
  readonly unclear: string | null;
  readonly detail: string | null;
  /** Whether a mail about it went back to its sender. */
  readonly asked_back: boolean;
}

/** The event of a mail that somebody tries out. */
export const TEST_MAIL = 'test_mail';

export interface AuditRecord extends Added<'audit_log'> {
  readonly id: string;
  readonly at: number;
  readonly actor: string;
  readonly event: string;
  readonly run_id: string | null;
  readonly approval_id: string | null;
  readonly tool: string | null;
  readonly decision: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A call that succeeded and that its tool can take back. */
export interface UndoItem extends Added<'undo_items'> {
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly result: Json;
  readonly state: 'open' | 'undone' | 'expired';
  /** Its number in the notice that tells of it. */
  readonly number: number | null;
  readonly notice_id: string | null;
  readonly until: number;
  readonly decided_by: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Pure. What a call has done, to be taken back as long as anything can. */
export const openUndo = (
  done: Pick<UndoItem, 'id' | 'run_id' | 'thread_id' | 'call_id' | 'tool' | 'arguments' | 'result'>,
  now: number,
): UndoItem => ({
  ...done,
  state: 'open',
  number: null,
  notice_id: null,
  until: now + UNDO_MS,
  decided_by: null,
  created_at: now,
  updated_at: now,
});

/** Files that tools took away; their bytes are kept under their hash until `until`. */
export interface RemovedFile extends Added<'removed_files'> {
  readonly run_id: string;
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly until: number;
}
