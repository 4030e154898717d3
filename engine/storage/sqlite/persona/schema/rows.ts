import { z } from 'zod';
import type { Piece } from '#contract';
import type { TaskAnswer } from '../../../../config/types.ts';
import { anyJson, jsonObject, parseJson } from '../../../../lib/json.ts';
import type { Sections } from '../../../ports/memory/summaries.ts';
import {
  type Approval,
  type ApprovalAnswer,
  type AuditRecord,
  foreignValue,
  type UndoItem,
} from '../../../types/approvals.ts';
import type { DraftPatch } from '../../../types/drafts.ts';
import type { NewMessage, StoredMessage } from '../../../types/mail.ts';
import type { Rule } from '../../../types/rules.ts';
import type { TaskSnapshot } from '../../../types/tasks.ts';
import type { Row } from './tables.ts';

// What stands in a column as JSON, as a value; and back.

const strings = z.array(z.string());
const attached = z.array(
  z.object({ name: z.string(), type: z.string(), bytes: z.int(), sha256: z.string(), kept: z.boolean() }),
);
const origins = z.array(foreignValue);
const sections = z.object({
  objective: z.string(),
  key_facts: strings,
  decisions: strings,
  open_loops: strings,
  constraints: strings,
  next: strings,
});
const items = z.array(
  z.object({
    number: z.int(),
    verdict: z.enum(['approve', 'deny', 'edit', 'undo', 'answer', 'allow', 'once', 'block']),
  }),
);
const snapshot = z.object({
  task: z.string(),
  name: z.string(),
  due_at: z.number(),
  timezone: z.string(),
  file_sha256: z.string(),
  prompt_sha256: z.string(),
  deliver: z.array(z.string()),
  sticky: z.boolean(),
  condition: z.object({ tool: z.string(), args: z.unknown() }).nullable().default(null),
  pinned: z.string().nullable().default(null),
  // Stored as the task's file was read; the configuration's schema checked it.
  answer: z.custom<NonNullable<TaskAnswer>>().optional(),
  previous: z.string().nullable().default(null),
});

/** A message of ours that stands in no thread yet; what such a one never has is left out. */
const unsent = z.object({
  id: z.string(),
  thread_id: z.string(),
  direction: z.literal('out'),
  message_id: z.string(),
  run_id: z.string().nullable().default(null),
  from_address: z.string().nullable().default(null),
  from_name: z.string().default(''),
  to: strings,
  cc: strings,
  subject: z.string(),
  in_reply_to: z.string().nullable().default(null),
  references: strings,
  date: z.number().nullable().default(null),
  received_at: z.number(),
  text: z.string(),
  new_text: z.string(),
  rendered_json: z.string().nullable().default(null),
  clean: z.number().nullable().default(null),
});

const NONE: readonly string[] = [];
const NO_PIECES: readonly Piece[] = [];
const pieces = z.array(
  z.object({
    kind: z.enum(['written', 'asked', 'quoted', 'forwarded', 'signature', 'unknown']),
    text: z.string(),
  }),
);
const listOf = (json: string): readonly string[] => (json === '[]' ? NONE : parseJson(strings, json));

export const messageOf = <More extends object>({
  to_json,
  cc_json,
  references_json,
  pieces_json,
  limitations_json,
  ...row
}: Row<'messages'> & More) => ({
  ...row,
  to: listOf(to_json),
  cc: listOf(cc_json),
  references: listOf(references_json),
  pieces: pieces_json === null ? null : pieces_json === '[]' ? NO_PIECES : parseJson(pieces, pieces_json),
  limitations: listOf(limitations_json),
});

export const rowOfMessage = ({ to, cc, references, pieces, limitations, ...message }: NewMessage) => ({
  ...message,
  to_json: JSON.stringify(to),
  cc_json: JSON.stringify(cc),
  references_json: JSON.stringify(references),
  pieces_json: pieces ? JSON.stringify(pieces) : null,
  limitations_json: JSON.stringify(limitations ?? NONE),
});

export const referencesOf = (row: Pick<Row<'messages'>, 'references_json'>): StoredMessage['references'] =>
  listOf(row.references_json);

export const approvalOf = ({ attached_json, origins_json, ...row }: Row<'approvals'>): Approval => ({
  ...row,
  attached: attached_json === null ? [] : parseJson(attached, attached_json),
  origins: origins_json === null ? [] : parseJson(origins, origins_json),
});

export const rowOfApproval = ({ attached, origins, ...approval }: Approval): Row<'approvals'> => ({
  ...approval,
  attached_json: attached.length === 0 ? null : JSON.stringify(attached),
  origins_json: origins.length === 0 ? null : JSON.stringify(origins),
});

export const answerOf = ({ rules_json, items_json, asked_back, ...row }: Row<'approval_answers'>): ApprovalAnswer => ({
  ...row,
  rules: parseJson(strings, rules_json),
  items: parseJson(items, items_json),
  asked_back: asked_back === 1,
});

export const rowOfAnswer = ({ rules, items, asked_back, ...answer }: ApprovalAnswer): Row<'approval_answers'> => ({
  ...answer,
  rules_json: JSON.stringify(rules),
  items_json: JSON.stringify(items),
  asked_back: asked_back ? 1 : 0,
});

export const undoOf = ({ arguments_json, result_json, ...row }: Row<'undo_items'>): UndoItem => ({
  ...row,
  arguments: parseJson(jsonObject, arguments_json),
  result: parseJson(anyJson, result_json),
});

export const rowOfUndo = ({ arguments: args, result, ...item }: UndoItem): Row<'undo_items'> => ({
  ...item,
  arguments_json: JSON.stringify(args),
  result_json: JSON.stringify(result),
});

export const ruleOf = ({ seq: _, tools_json, whom_json, ...row }: Row<'rules'>): Rule => ({
  ...row,
  tools: parseJson(strings, tools_json),
  whom: parseJson(strings, whom_json),
});

export const auditOf = ({ detail_json, ...row }: Row<'audit_log'>): AuditRecord => ({
  ...row,
  detail: parseJson(jsonObject, detail_json),
});

export const rowOfAudit = ({ detail, ...record }: AuditRecord): Row<'audit_log'> => ({
  ...record,
  detail_json: JSON.stringify(detail),
});

export const snapshotOf = (json: string | null): TaskSnapshot | null =>
  json === null ? null : (parseJson(snapshot, json) as TaskSnapshot);

export const timeOf = <More extends object>({ snapshot_json, ...row }: Row<'task_times'> & More) => ({
  ...row,
  snapshot: snapshotOf(snapshot_json),
});

export const draftOf = <More extends object>({ message_json, edited, ...row }: Row<'drafts'> & More) => ({
  ...row,
  message: parseJson(unsent, message_json),
  edited: edited === 1,
});

export const rowOfDraft = (outboxId: string, message: NewMessage) => ({
  outbox_id: outboxId,
  message_json: JSON.stringify(unsent.parse(message)),
  edited: 0,
});

export const patchOfDraft = ({ edited, ...patch }: DraftPatch) => ({
  ...patch,
  ...(edited === undefined ? {} : { edited: edited ? 1 : 0 }),
});

export const sectionsOf = (json: string): Sections => parseJson(sections, json);
