import type { Json, PreviewFile } from '#contract';
import { type Ids, sha256 } from '../../lib/ids.ts';
import { anyJson, canonicalJson, parseJson } from '../../lib/json.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { type Approval, type AttachedFile, type ForeignValue, likenessKey } from '../../storage/types/approvals.ts';
import { kindOfTool } from '../../suspensions/kinds.ts';
import type { Executable } from '../call.ts';
import { factsOf } from '../surface.ts';
import { fingerprintOf } from './fingerprint.ts';
import { isForRiskAlone, isPlain, likenessOf } from './taught.ts';

/**
 * What is checked once more when it is done must come out as it went in. A schema that changes what it reads would
 * change it a second time, so there the model's own arguments are frozen.
 */
export function frozenArguments({ tool, args, call }: Executable): string {
  const read = canonicalJson(args);
  const again = tool.validate(parseJson(anyJson, read));
  const isStable = again.ok && canonicalJson(again.value) === read;
  return isStable || call.arguments === undefined ? read : canonicalJson(call.arguments);
}

/** The part of an approval row that identifies the frozen call. */
export type FrozenCall = Pick<
  Approval,
  'arguments_json' | 'arguments_hash' | 'fingerprint' | 'risk' | 'preview' | 'basis' | 'attached' | 'origins'
>;

/** What its preview shows beside itself is kept: by the time the question is written the file may be another. */
export function frozenCall(held: Executable, artifacts: Pick<Blobs, 'put'>): FrozenCall {
  const args = held.joined ? canonicalJson(held.args) : frozenArguments(held);
  return {
    arguments_json: args,
    arguments_hash: sha256(args),
    fingerprint: held.joined
      ? sha256((held.steps ?? []).map(({ tool }) => fingerprintOf(tool)).join(' '))
      : fingerprintOf(held.tool),
    risk: held.risk,
    preview: held.preview?.text ?? null,
    basis: held.preview?.basis ?? null,
    attached: attachedTo(held.preview?.attachments ?? [], artifacts),
    origins: originsOf(held.joined ? (held.steps ?? []) : [held, ...(held.steps ?? [])]),
  };
}

/** Bytes of attachments that can go along with one mail; larger ones are shown by their hash. */
const MAX_KEPT_BYTES = 10 * 1024 * 1024;

function attachedTo(files: readonly PreviewFile[], artifacts: Pick<Blobs, 'put'>): readonly AttachedFile[] {
  let room = MAX_KEPT_BYTES;
  return files.map(({ name, type, content }): AttachedFile => {
    const kept = content.length <= room;
    if (kept) room -= content.length;
    const hash = kept ? artifacts.put(content) : sha256(content);
    return { name, type, bytes: content.length, sha256: hash, kept };
  });
}

/** Origins of the values that no text has that owners gave; for a plan, those of all its steps. */
function originsOf(calls: readonly Executable[]): readonly ForeignValue[] {
  // On the way back through a replay a call may stand without what the governor was asked.
  return calls.flatMap(({ permission }) => permission.asked?.values ?? []).filter(({ given }) => given === undefined);
}

/** Freezes a call: from here on exactly these arguments can be approved, and nothing else. */
export function freezeCall(
  held: Executable,
  context: {
    runId: string;
    threadId: string;
    artifacts: Pick<Blobs, 'put'>;
    ids: Ids;
    now: number;
    ttlMs: number;
    /** What began the run; null: of it nothing is learned. */
    kind: string | null;
  },
): Approval {
  return {
    ...frozenCall(held, context.artifacts),
    ...taughtBy(held, context.kind),
    id: context.ids.next(),
    run_id: context.runId,
    thread_id: context.threadId,
    call_id: held.call.id,
    kind: held.joined ? 'plan' : kindOfTool(held.tool.definition),
    tool: held.call.name,
    state: 'pending',
    number: null,
    notice_id: null,
    expires_at: context.now + context.ttlMs,
    decided_by: null,
    decided_at: null,
    reason: null,
    offered_at: null,
    created_at: context.now,
    updated_at: context.now,
  };
}

/** What a yes to it counts for, where a rule could let such calls go. */
function taughtBy(held: Executable, kind: string | null): Pick<Approval, 'likeness' | 'teaches'> {
  const { tool, args, risk, recipients = null, targets, permission, preview } = held;
  const likeness = held.joined ? null : likenessOf({ tool: factsOf(tool), kind, recipients, targets });
  if (likeness === null) return { likeness: null, teaches: null };
  const hasFiles = (preview?.attachments ?? []).length > 0;
  const teaches = isForRiskAlone(permission.asked) && isPlain({ risk, args: args as Json, hasFiles });
  return { likeness: likenessKey(likeness), teaches: teaches ? 1 : 0 };
}
