import { z } from 'zod';
import { anyJson } from '../lib/json.ts';
import { decidedQuestion, type RunEventType } from '../storage/types/runs.ts';
import { packet } from '../storage/types/suspensions.ts';
import {
  asked,
  askedItem,
  awayTool,
  estimates,
  failed,
  frame,
  hookChecks,
  leftOut,
  list,
  partialCode,
  plainness,
  receiptLine,
  replyCommitted,
  requestMark,
  response,
  resultFacts,
  risk,
  sensed,
  target,
  tier,
  voice,
} from './codec/fields.ts';
import { framed } from './codec/intent.ts';
import { playbookAnswer, playbookLeft, playbookSelected, playbookStep } from './codec/playbook.ts';
import { playbookRefined, remembered } from './codec/remembered.ts';

/** A piece of earlier mail that stood in a prompt. */
const recalledSource = z.object({
  /** The event to read it from again, and which piece of it; older runs kept its words. */
  seq: z.number().optional(),
  extent: z.object({ from: z.number(), to: z.number() }).optional(),
  message_id: z.string(),
  thread_id: z.string(),
  from: z.string().nullable(),
  direction: z.enum(['in', 'out']),
  tier: z.string().nullable(),
  written_at: z.number(),
  beside: z.boolean(),
  foreign: z.boolean(),
  at: z.number(),
  chars: z.number(),
});

/** What a part of the gathering brought from elsewhere, piece by piece, with where it came from. */
const gatherPart = z.object({
  part: z.string(),
  chars: z.number(),
  timezone: z.string().optional(),
  sources: list(recalledSource),
});

/** What a resolver gave to the prompt. */
const resolvedPart = z.object({
  resolver: z.string(),
  slot: z.string(),
  chars: z.number(),
  error: z.string().exactOptional(),
});

/** What stood beside the mail in that run alone: its text is kept apart, since it can be forgotten. */
const shownOnce = z.object({
  resolver: z.string(),
  sha256: z.string(),
  foreign: z.boolean(),
  /** Of a thread that is over; without it, of the run's own or of none. */
  thread_id: z.string().exactOptional(),
});

/** Start and length of one part of the gathering. */
const span = z.object({
  part: z.string(),
  from_ms: z.number(),
  ms: z.number(),
  chars: z.number(),
  error: z.string().nullable(),
});

/** A call was made, and what comes of it comes later and from elsewhere. */
const suspended = z.object({
  suspension_id: z.string(),
  call_id: z.string(),
  tool: z.string(),
  kind: z.string(),
  /** What its kind needs to go on. */
  payload: anyJson,
  /** When it is looked after first, and when it is over whatever came. */
  wake_at: z.number(),
  due_at: z.number(),
  ms: z.number(),
  sensed: sensed.optional(),
});

const resumed = z.object({
  suspension_id: z.string(),
  call_id: z.string(),
  tool: z.string(),
  kind: z.string(),
  state: z.enum(['resolved', 'timed_out']),
  by: z.string(),
});

const childStarted = packet.extend({ child_run_id: z.string() });

const childEnded = z.object({
  child_run_id: z.string(),
  outcome: z.string(),
  tainted: z.boolean(),
  cost_usd: z.number(),
  /** The tools that it asked for and was refused. */
  denied: list(z.string()),
});

// Everything that can be on record of a run. Rows are read and written by `codec/run-events.ts` alone.

/** Version of every payload that is written. Rows of other versions will stand beside these. */
export const VERSION = 1;

const event = <Type extends RunEventType, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), v: z.literal(VERSION), data: z.object(shape) });

/** By type and version. A field that is optional is absent in runs of older versions, or where it does not apply. */
export const recorded = z.discriminatedUnion('type', [
  event('run_queued', {
    /** What a child run was handed, and by which run. */
    packet: packet.optional(),
    parent_run_id: z.string().optional(),
    tier: tier.optional(),
    /** The task of the run, and the files that it was read from. */
    task: z.string().optional(),
    due_at: z.number().optional(),
    file_sha256: z.string().nullish(),
    prompt_sha256: z.string().nullish(),
    /** The run that this one repeats, and who asked for that. */
    retry_of: z.string().optional(),
    /** The question whose decision it carries out, and the run that had answered before it was decided. */
    decided: decidedQuestion.optional(),
    by: z.string().optional(),
  }),
  event('run_started', {
    instance: z.string().optional(),
    /** Its number among the runs of its day. */
    run_of_day: z.number().optional(),
    day: z.string().optional(),
    /** It was under way, and the process that worked it ended. */
    taken_over: z.boolean().optional(),
  }),
  event('context_built', {
    frame: frame.optional(),
    settings_sha256: z.string(),
    prefix_sha256: z.string(),
    cache_miss: z.string(),
    parts: list(resolvedPart),
    /** What ran side by side: when it began, from the beginning of the gathering, and how long it took. */
    spans: list(span).optional(),
    limitations: list(z.string()),
    history_messages: z.number(),
    history_omitted: z.number(),
    history_from: z.number().optional(),
    history_until: z.number().optional(),
    pictures: z.number().optional(),
    picture_ids: list(z.string()).optional(),
    fact_ids: list(z.string()).optional(),
    rule_ids: list(z.string()).optional(),
    also_read: list(z.string()).optional(),
    once: list(shownOnce).exactOptional(),
    /** What this run was shown of a mail that an earlier one had rendered otherwise. */
    rendered: z.string().optional(),
    tools: list(z.string()),
    /** Tools that hooks have left out. */
    narrowed: list(z.object({ tool: z.string(), by: z.string(), reason: z.string() })).optional(),
    /** Tools of MCP servers that no owner has seen as they are, or that are gone. */
    away: list(awayTool).optional(),
    targets: list(target),
    tier: tier.optional(),
  }),
  event('gather_part', gatherPart.shape),
  event('framed', framed.shape),
  event('playbook_selected', playbookSelected.shape),
  event('playbook_step', playbookStep.shape),
  event('playbook_left', playbookLeft.shape),
  event('playbook_answer', playbookAnswer.shape),
  /** Later mails of the same sender came before the answer was committed, and this run answers them as well. */
  event('mail_taken_in', {
    mails: list(z.object({ run_id: z.string().nullable(), message_id: z.string() })),
    /** What the model is told, with their words: the next turn. */
    text: z.string(),
    /** What their sender wrote in them, and nothing else. */
    words: z.string(),
  }),
  event('model_call_started', {
    call: z.number(),
    provider: z.string(),
    model: z.string(),
    /** Fingerprint of the tools that the model was shown. */
    surface: z.string().optional(),
    tool_choice: z.enum(['auto', 'none']).optional(),
    messages: z.number().optional(),
    max_output_tokens: z.number().nullish(),
    model_info: z.object({ context_tokens: z.number(), max_output_tokens: z.number(), tools: z.boolean() }).optional(),
    request: requestMark.optional(),
    reserved_usd: z.number().optional(),
    /** The budget that granted fewer output tokens than the model could write. */
    capped: z.enum(['usd_per_run', 'usd_per_day', 'tokens_per_run', 'runs_per_day']).nullish(),
    /** Results that were shown shorter than they were observed. */
    fitted: z.number().optional(),
    /** Tools and pictures that this model's vendor does not take, with why. */
    left_out: list(leftOut).optional(),
    /** Names of the tools, where these are fewer than the run began with. */
    tools: list(z.string()).optional(),
    /** The models that may be asked, where they are not those that the run began with. */
    targets: list(target).optional(),
  }),
  event('model_call_ended', {
    ok: z.boolean(),
    provider: z.string(),
    model: z.string(),
    response: response.optional(),
    /** Null: nobody knows the price. */
    cost_usd: z.number().nullish(),
    ...estimates,
    ms: z.number(),
    /** Its place among the targets; one that rests may have been passed over. */
    at: z.number().optional(),
    ...failed,
    /** How long the vendor wants to be left alone; null where a repeat is in vain. */
    retry_after_ms: z.number().nullish(),
    /** Targets further down that were not asked: the run has tools, and they cannot call any. */
    without_tools: list(z.string()).optional(),
    /** Its provider is left alone for a while, by everybody; that was stored before this. */
    rested: z.literal(true).optional(),
    /** What the failure leads to: the same target again, the next one, or the end. */
    next: z.enum(['retry', 'next_target', 'compact', 'plainer', 'exhausted']).optional(),
    plain: plainness.optional(),
  }),
  event('decision', {
    decision: z.enum(['CONTINUE_MODEL_LOOP', 'EXECUTE_TOOL', 'WAIT_FOR_APPROVAL', 'FINAL', 'FINAL_PARTIAL', 'FAIL']),
    reason: z.string(),
    outcome: z.string().optional(),
    lastCall: partialCode.optional(),
    /** The model said nothing, which is no answer that could not be read. */
    empty: z.boolean().optional(),
    /** What the model is told about its answer, and of which kind that is. */
    gap: z.string().optional(),
    about: list(z.enum(['contract', 'claims', 'hooks'])).optional(),
    step: z.number(),
    active_ms: z.number().optional(),
    /** What the final gate found of the answer, when, and which sources said something else by then. */
    contract: z.unknown().optional(),
    claims: list(z.unknown()).optional(),
    limitations: list(z.unknown()).optional(),
    unknown_ids: list(z.unknown()).optional(),
    /** Sections of the knowledge that it opened or cites: `quote`, `paraphrase`, `drifted`, `uncited` or `none`. */
    citations: list(z.unknown()).optional(),
    judged_at: z.number().optional(),
    drifted: list(z.string()).optional(),
    /** What hooks found of it, and which of them could not look. */
    hooks: hookChecks.optional(),
    /** Who cancelled the run. */
    by: z.string().nullish(),
    /** What it waited for in vain. */
    waited_for: z.string().optional(),
  }),
  event('permission', {
    call_id: z.string(),
    tool: z.string(),
    /** The plan that it is a step of. */
    step_of: z.string().optional(),
    verdict: z.enum(['allow', 'approve', 'deny']),
    code: z
      .enum([
        'policy_denied',
        'policy_requires_approval',
        'policy_rate_limited',
        'policy_scope_missing',
        'policy_quota_exceeded',
      ])
      .nullish(),
    risk,
    by: z.string(),
    asked: asked.optional(),
    targets: list(z.string()).optional(),
    /** Arguments that the playbook of the run has put in. */
    filled: list(z.string()).optional(),
    /** What stood in its way besides the governor. */
    refused: z.enum(['invalid', 'unknown', 'denied', 'skipped', 'act_directly', 'needless']).optional(),
  }),
  event('tool_call_intended', {
    call_id: z.string(),
    tool: z.string(),
    step_of: z.string().optional(),
    risk,
    /** Arguments of a plan's step, which no turn of the model holds. */
    arguments: anyJson.optional(),
    targets: list(z.string()).optional(),
  }),
  event('tool_call_ended', {
    call_id: z.string(),
    tool: z.string(),
    step_of: z.string().optional(),
    ok: z.boolean(),
    code: z.string().nullable(),
    ms: z.number(),
    sensed: sensed.optional(),
  }),
  event('observation', {
    call_id: z.string(),
    tool: z.string(),
    ok: z.boolean(),
    code: z.string().nullable(),
    /** JSON text exactly as the model gets it. */
    content: z.string(),
    artifact: z.string().nullable(),
    /** By which the whole can be asked for: the artifact, or a hash of the content. */
    ref: z.string().nullish(),
    /** The call of the same turn that was executed in its place, because it said the same. */
    same_as: z.string().exactOptional(),
    /** The plan that it is a step of: not a call of the model's turn. */
    step_of: z.string().exactOptional(),
    /** Facts that the tool declared; absent where it declared none and where the call failed. */
    facts: resultFacts.exactOptional(),
  }),
  event('approval_requested', { items: list(askedItem) }),
  event('approval_decided', {
    approval_id: z.string(),
    call_id: z.string().optional(),
    state: z.enum([
      'pending',
      'approved',
      'executing',
      'executed',
      'failed',
      'side_effect_unknown',
      'rejected',
      'expired',
      'stale',
    ]),
    by: z.string().nullish(),
    reason: z.string().nullish(),
  }),
  /** An owner is asked about a call once the run has answered; the model goes on without its result. */
  event('call_waits', {
    call_id: z.string(),
    tool: z.string(),
    targets: list(z.string()),
    /** Why owners cannot be asked about it any more. */
    refused: z.string().exactOptional(),
  }),
  /** Calls of a turn that is over are to be made, or to be asked about, once more. */
  event('calls_taken_up', {
    calls: list(z.object({ id: z.string(), name: z.string(), arguments: anyJson })),
    /** The question that was decided; absent where its run goes on waiting for the calls itself. */
    approval_id: z.string().optional(),
  }),
  /** A call was made, and what comes of it comes later and from elsewhere. */
  event('suspended', suspended.shape),
  event('resumed', resumed.shape),
  /** What the model could say already was mailed while a call of it waits; the rest follows. */
  event('answered_so_far', { outbox_id: z.string(), message_id: z.string() }),
  event('child_started', childStarted.shape),
  event('child_ended', childEnded.shape),
  event('receipt', {
    language: voice.shape.language,
    mode: z.enum(['effects', 'always', 'never']),
    lines: list(receiptLine),
    /** All who get the mail may see all. */
    for_owners: z.boolean(),
    /** Somebody gets it who may know only what concerns them. */
    for_outsiders: z.boolean().exactOptional(),
    made_for_others: z.number().nullable(),
    away: list(awayTool).exactOptional(),
    /** Files of its mail that were too large to be read. */
    too_large: list(z.object({ name: z.string(), bytes: z.number(), limit: z.number() })).exactOptional(),
    /** Something was to be changed, and nothing was. */
    in_vain: z.boolean().exactOptional(),
    /** Who is asked about calls that the answer does not wait for. */
    asked: list(z.string()).exactOptional(),
  }),
  event('reply_committed', replyCommitted),
  event('deferred', {
    code: z.string(),
    /** Null: until somebody ends it. */
    until: z.number().nullable(),
    /** It does not count among the runs of its day until it begins anew. */
    uncounted: z.boolean().optional(),
  }),
  event('memory_written', remembered),
  event('playbook_refined', playbookRefined),
  event('hook_ended', { hook: z.string(), event: z.string(), ms: z.number() }),
  event('run_ended', {
    status: z.enum(['done', 'failed', 'cancelled']),
    outcome: z.string(),
    code: z.string().nullable(),
    by: z.string().optional(),
  }),
]);

export type Recorded = z.infer<typeof recorded>;
export type EventType = Recorded['type'];

/** Written by what goes before and after the loop, under the same claim: a replay of the loop does not make them. */
export const BESIDE_LOOP: ReadonlySet<EventType> = new Set<EventType>([
  ...(['context_built', 'gather_part', 'framed', 'playbook_selected', 'deferred'] as const),
  ...(['answered_so_far', 'child_started'] as const),
]);
type Payloads = { readonly [Type in EventType]: Extract<Recorded, { type: Type }>['data'] };
export type PayloadOf<Type extends EventType> = Payloads[Type];
/** A result as the model got it. */
export type Observation = PayloadOf<'observation'>;

/** One thing on record of a run, its payload read. */
export type RunEvent = Recorded & {
  readonly seq: number;
  readonly at: number;
  /** The claim of the run that wrote it; null for what others wrote about it. */
  readonly fence: number | null;
};
export interface EventOf<Type extends EventType> extends Pick<RunEvent, 'v' | 'seq' | 'at' | 'fence'> {
  readonly type: Type;
  readonly data: PayloadOf<Type>;
}
