import { z } from 'zod';
import { CALL_REASONS, type ToolCall } from '#contract';
import { LANGUAGES } from '../../languages/language.ts';
import { anyJson } from '../../lib/json.ts';
import { RISKS } from '../../lib/risks.ts';
import { foreignValue } from '../../storage/types/approvals.ts';

// The parts that payloads of several events are made of. An optional field is absent in runs of older versions, or
// where it does not apply.

export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** A tool of an MCP server that was away, and why; `known`: an owner has seen its name. */
export const awayTool = z.object({
  tool: z.string(),
  server: z.string(),
  why: z.enum(['new', 'changed', 'removed', 'lock']),
  known: z.boolean(),
});

export const risk = z.enum(RISKS);
export const tier = z.enum(['owner', 'member', 'known', 'stranger', 'unauthenticated']);
const language = z.enum(LANGUAGES);
export const target = z.object({ provider: z.string(), model: z.string() });

export const partialCode = z.enum([
  'max_tool_turns',
  'max_tool_calls',
  'budget',
  'timeout',
  'duplicate_calls',
  'consecutive_failures',
  'repeated_crash',
  'provider',
  'unparsable',
  'contract',
  'cut_off',
]);

export const providerCode = z.enum([
  'auth',
  'rate_limited',
  'overloaded',
  'timeout',
  'unavailable',
  'context_overflow',
  'bad_request',
  'unparsable',
  'content_refused',
  'model_gone',
  'no_credit',
  'no_price',
]);
/** Of a failed model call; absent in records of older versions. */
export const failed = {
  code: providerCode.optional(),
  message: z.string().optional(),
  whose: z.enum(['request', 'setup', 'vendor', 'unclear']).optional(),
  /** The vendor did not say whose it was; other mails, which were answered, did. */
  was_unclear: z.literal(true).optional(),
};

const named = z.object({ id: z.string(), name: z.string() });
/** Its arguments are whatever the model said, and absent where that was no JSON. */
const toolCall = z.custom<ToolCall>((given) => named.safeParse(given).success);

const usage = z.object({ input: z.number(), output: z.number(), cached: z.number(), cacheWrite: z.number() });

/** What a vendor answered, as far as the run goes on from it. */
export const response = z.object({
  text: z.string(),
  toolCalls: list(toolCall),
  finish: z.enum(['stop', 'tool_calls', 'length', 'refusal', 'other']),
  /** Absent in records of older versions, which took all for whole that was not a text at its limit. */
  whole: z.boolean().optional(),
  /** What its text came to where it held the model's own markup. */
  markup: z.enum(['read', 'reasoning', 'call', 'unclear']).exactOptional(),
  providerParts: z.object({ provider: z.string(), model: z.string(), data: anyJson }).optional(),
  usage,
  /** Counts that the vendor did not give, or that cannot be: what stands there is an estimate. */
  usageBasis: z.enum(['known', 'estimated']).exactOptional(),
  /** What it said, where that is far from what was sent and came back. */
  usageSaid: usage.exactOptional(),
});

/** What is booked of a call that nobody has said all of. */
export const estimates = {
  /** Nobody has said what the model costs: it is booked at what it may cost at most. */
  price: z.literal('estimated').optional(),
  /** Of a call that was given up: what it has used at most. */
  booked: z.object({ input: z.number(), output: z.number() }).optional(),
};

/** Hashes of a request and of its parts. */
export const requestMark = z.object({
  sha256: z.string(),
  prefix: z.string(),
  history: z.string(),
  mail: z.string(),
  turns: z.string(),
});

/** What was known of a run before any model was asked. */
/** What a model takes the sender of a mail to want, as far as code could check it. It grants nothing. */
export const intent = z.object({
  kind: z.enum(['question', 'request', 'information', 'scheduling', 'other']),
  /** Scopes of tools on the surface, for what the mail asks to be done. */
  wanted_effects: list(z.string()),
  /** Days that it is about, the last one included: `2026-11-21`. */
  time_range: z.object({ from: z.string(), to: z.string() }).nullable(),
  /** Addresses that stand in the mail. */
  people: list(z.string()),
});

export const frame = z.object({
  trigger: z.enum(['mail', 'task', 'delegation']).exactOptional(),
  profile: z.enum(['thread', 'task']).exactOptional(),
  subject: z.string().exactOptional(),
  can_change: list(z.string()).exactOptional(),
  highest_risk: risk.exactOptional(),
  language: language.exactOptional(),
  contract: z
    .object({
      claims: z.enum(['optional', 'required', 'off']),
      effects: z.array(z.string()),
      contract: z.array(z.string()),
    })
    .exactOptional(),
  ends_met: z.literal(true).exactOptional(),
  intent: intent.exactOptional(),
});

/** A frame as it is on record; one of an older version holds less. */
export type PinnedFrame = z.infer<typeof frame>;

/** All that the governor was told of a call. */
export const asked = z.object({
  surface: z
    .object({
      code: z.enum(['policy_denied', 'policy_scope_missing']),
      by: z.string(),
      reason: z.string().exactOptional(),
    })
    .nullable(),
  risk,
  tier,
  layers: list(
    z.object({
      decision: z.enum(['allow', 'approve', 'deny']),
      by: z.string(),
      when: z.record(z.string(), z.string()).readonly().exactOptional(),
    }),
  ),
  mail: z.enum(['none', 'owners', 'asker', 'known', 'new']),
  tellsBack: z.literal(true).exactOptional(),
  forgetsOwn: z.literal(true).exactOptional(),
  tainted: z.boolean(),
  values: list(foreignValue).exactOptional(),
  source: z.string().exactOptional(),
  secrets: z.literal(true).exactOptional(),
  canAsk: z.boolean(),
  quota: z
    .object({
      code: z.enum(['policy_quota_exceeded', 'policy_rate_limited']),
      limit: z.enum(['max_per_run', 'max_per_day', 'calls_per_sender_per_hour']),
      most: z.number(),
      retry_at: z.number().nullable(),
      retry_after_ms: z.number().nullable(),
    })
    .exactOptional(),
  ownWords: z
    .discriminatedUnion('verdict', [
      z.object({ verdict: z.literal('counts'), kind: z.enum(['stays', 'undoable', 'mail']), words: list(z.string()) }),
      z.object({
        verdict: z.literal('asks'),
        why: z.enum([
          'begun',
          'denied',
          'proof',
          'unknown',
          'policy',
          'kind',
          'recipient',
          'name',
          'money',
          'secret',
          'value',
          'exposed',
          'often',
        ]),
      }),
    ])
    .exactOptional(),
  standing: z
    .object({
      deny: z.object({ id: z.string(), text: z.string() }).exactOptional(),
      allow: z.string().exactOptional(),
    })
    .exactOptional(),
  widens: z.literal(true).exactOptional(),
  restrictions: list(
    z.object({ by: z.string(), verdict: z.enum(['ask', 'deny']), reason: z.string() }),
  ).exactOptional(),
});

/** How a call ran: what set it going, and what it did inside. */
export const sensed = z.object({
  source: z.enum(['model', 'owner', 'playbook']),
  decision: z.enum(['allowed', 'approved']),
  by: z.string(),
  latency_ms: z.number(),
  inside: z.record(z.string(), z.object({ calls: z.number(), ms: z.number() })).readonly(),
});

/** One line of a receipt. */
export const receiptLine = z.object({
  key: z.string(),
  call_id: z.string(),
  tool: z.string(),
  risk: z.string().nullable(),
  act: z.enum([
    'mail',
    'attached',
    'saved',
    'changed',
    'deleted',
    'scheduled',
    'paused',
    'resumed',
    'remembered',
    'forgotten',
    'ruled',
    'unruled',
    'revised',
    'withdrawn',
    'accepted',
    'declined',
    'tentative',
    'question',
    'part',
    'other',
  ]),
  targets: list(z.string()),
  title: z.string().nullable(),
  when: z.string().nullable(),
  once: z.boolean(),
  state: z.enum(['done', 'not_done', 'waiting', 'unclear']),
  why: z
    .enum([
      'denied',
      'expired',
      'stale',
      'rule',
      'no_owner',
      'limit',
      'not_reached',
      'too_many',
      ...CALL_REASONS,
      'stopped',
      'timeout',
      'invalid',
      'failed',
      'unavailable',
    ])
    .nullable(),
  said: z.string().nullable(),
  times: z.number(),
  taken_back: z.boolean(),
  own_words: z.literal(true).exactOptional(),
  hidden: z.boolean(),
  /** In place of what it was done to, for a reader who was not shown that; null: an owner. */
  shown_as: list(z.string().nullable()).exactOptional(),
  /** It could only say that something was done to somebody. */
  left_out: z.literal(true).exactOptional(),
});

/** By which settings of a persona its mails are worded. */
export const voice = z.object({ language, signature: z.string().nullable(), timezone: z.string() });

/** What a tool declared of a result. */
export const resultFacts = z.object({
  source: z.record(z.string(), z.string()).readonly().nullable(),
  hash: z.object({ sha256: z.string(), path: z.string().nullable() }).nullable(),
  as_of: z.string().nullable(),
  fresh_for_s: z.number().nullable(),
  part: z
    .object({
      more: z.boolean(),
      at: z.string(),
      share: z.object({ shown: z.number(), total: z.number(), unit: z.string() }).nullable(),
    })
    .nullable(),
  cached: z.boolean().exactOptional(),
  window: z.object({ from: z.string().nullable(), to: z.string().nullable() }).exactOptional(),
  sampled: z.string().exactOptional(),
});

/** A result as the model got it. */
export const observation = z.object({
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
});
export type Observation = z.infer<typeof observation>;

/** What hooks found of an answer, and which of them could not look. */
export const hookChecks = z.object({
  found: list(z.object({ by: z.string(), code: z.string(), text: z.string() })),
  unchecked: list(z.object({ by: z.string(), reason: z.string() })),
});

/** The one final mail of a run. */
export const replyCommitted = {
  outbox_id: z.string().optional(),
  message_id: z.string(),
  kind: z.string(),
  outcome: z.string(),
  voice: voice.optional(),
  /** It was put into Drafts. */
  mode: z.literal('draft').optional(),
  /** Whom rules of owners name for Cc; `held`: what stood in the way of it. */
  copies: list(z.object({ address: z.string(), rule: z.string(), held: z.string().optional() })).optional(),
};

/** A call that owners are asked about. */
export const askedItem = z.object({
  approval_id: z.string(),
  call_id: z.string(),
  tool: z.string(),
  risk: z.string(),
  arguments_hash: z.string().optional(),
  expires_at: z.number().optional(),
  /** All calls of the turn, where they are asked about as one plan. */
  calls: list(z.string()).optional(),
});

/** Something of a request that its model's vendor does not take, with why. */
export const leftOut = z.object({ kind: z.enum(['tool', 'picture']), name: z.string(), why: z.string() });

/** How much plainer the next request is than what the vendor's rules say. */
export const plainness = z.union([z.literal(1), z.literal(2)]);
