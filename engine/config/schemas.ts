import { EXPECTED_ZONE } from '../lib/schedule/zone.ts';
// What configs/*.json may hold. Every key is optional unless nothing stands for it here.

import { z } from 'zod';
import { LANGUAGES } from '../languages/language.ts';
import { readCron } from '../lib/schedule/cron-walls.ts';
import { hasClock } from '../lib/schedule/zone.ts';
import { changedList, type ListChange } from '../lib/text/changed-list.ts';
import { learningSchema } from './learning/schema.ts';
import { environmentName, hostname, isSafeForTokens, mailboxSchema } from './mailbox-schema.ts';

const port = z.int().min(0).max(65_535);
export const language = z.enum(LANGUAGES);
export const mailAddress = z.string().regex(/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/, 'an address such as ada@example.com');
/** An address, or one with the language in which its owner is written to. */
export const owner = z.union([mailAddress, z.strictObject({ address: mailAddress, language })]);
/** The whole address, with `*` for any run of characters. */
export const addressPattern = z
  .string()
  .regex(/^(\*|[^\s<>,;:"]*@[^\s@<>,;:"]+)$/, 'an address pattern such as *@example.com');
export const timezone = z.string().refine(hasClock, EXPECTED_ZONE);
const cronExpression = z.string().refine((text) => readCron(text).ok, 'five cron fields such as 0 3 * * *');
export const usd = z.number().nonnegative();
const tokenPrice = { input: usd, output: usd, cache_read: usd.optional(), cache_write: usd.optional() };
/** USD per million tokens; above so many tokens of a prompt another price. */
export const price = z.strictObject({
  ...tokenPrice,
  above_input_tokens: z.array(z.strictObject({ tokens: z.int().positive(), ...tokenPrice })).optional(),
});
export const count = z.int().nonnegative();

export const gatewaySchema = z.strictObject({
  domain: hostname.default('agents.localhost'),
  mailboxes: z.array(mailboxSchema).default([]),
  smtp_listener: z
    .strictObject({
      enabled: z.boolean().default(true),
      host: z.string().min(1).default('127.0.0.1'),
      port: port.default(2525),
      trusted_relays: z.array(z.strictObject({ ip: z.string().min(2), authserv_id: z.string().min(1) })).default([]),
      tls: z.strictObject({ cert_file: z.string(), key_file: z.string() }).optional(),
    })
    .prefault({}),
  delivery: z
    .strictObject({
      first_retry_s: z.number().positive().default(30),
      max_retry_s: z.number().positive().default(3600),
      give_up_hours: z.number().positive().default(48),
      /** How long it is looked whether a draft was sent or deleted. */
      watch_drafts_days: z.number().positive().max(365).default(30),
    })
    .prefault({}),
  limits: z
    .strictObject({
      max_message_bytes: z.int().positive().default(26_214_400),
      max_attachments: count.default(20),
      max_attachment_bytes: z.int().positive().default(10_485_760),
      max_mime_depth: z.int().positive().default(32),
      max_mime_parts: z.int().positive().default(200),
      max_files_bytes: z.int().positive().default(1_073_741_824),
    })
    .prefault({}),
});

const modelId = z.string().regex(/^[^/\s]+\/.+$/, 'provider/model');

/** A tool's name or a scope that has to have brought something, or what has to be declared: `claims`, `figures`. */
const evidenceKind = z
  .string()
  .regex(
    /^(?:[a-z0-9_]{1,64}|(?:mail|files|web|memory|schedule|shell):(?:read|create|write|delete))$/,
    'claims, figures, a tool or a scope',
  );
const effect = z
  .string()
  .regex(/^(?:mail|files|web|memory|schedule|shell):(?:create|write|delete)$/, 'a scope such as mail:create');

/** Something that an answer has to say, by a name that its readers understand. */
const point = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} _-]{0,59}$/u, 'a few words such as next steps');

/** What an answer has to bring beside its words. */
export const answerContract = {
  claims: z.enum(['optional', 'required', 'off']),
  effects: z.array(effect).max(20),
  contract: z.array(evidenceKind).max(20),
  points: z.array(point).max(20),
};

/** How long mail waits for a model that does not answer, and when its sender hears of that. */
export const retry = {
  first_retry_s: z.number().positive(),
  max_retry_s: z.number().positive(),
  late_note_min: z.number().nonnegative(),
  give_up_hours: z.number().positive(),
};

/** What a persona may choose for itself. No defaults here: what it leaves out is the workspace's choice. */
export const inferenceChoice = {
  provider: z.string().min(1).nullable(),
  model: z.string().min(1).nullable(),
  temperature: z.number().min(0).max(2).nullable(),
  max_output_tokens: z.int().positive().nullable(),
  fallback: z.array(modelId),
};

/** A model of its own for one stage of the work; what it leaves out is as for answers. */
const stage = z.strictObject({
  provider: z.string().min(1),
  model: z.string().min(1),
  timeout_s: z.number().positive(),
  max_output_tokens: z.int().positive(),
  temperature: z.number().min(0).max(2),
  fallback: z.array(modelId),
});
/** Stages besides the answering: one that is not named asks no model. */
export const stages = {
  remember: stage.partial().optional(),
  summarise: stage.partial().optional(),
  refine: stage.partial().optional(),
  /** Named with a model of its own, or it asks none. `max_iterations`: how often it may be asked about one mail. */
  frame: stage
    .extend({ max_iterations: z.int().min(1).max(8) })
    .partial()
    .required({ model: true })
    .optional(),
};

export const inferenceSchema = z.strictObject({
  provider: inferenceChoice.provider.default(null),
  model: inferenceChoice.model.default(null),
  temperature: inferenceChoice.temperature.default(null),
  max_output_tokens: inferenceChoice.max_output_tokens.default(null),
  max_tool_turns: z.int().positive().default(8),
  max_tool_calls: z.int().positive().default(24),
  max_calls_per_turn: z.int().positive().default(8),
  max_consecutive_failures: z.int().positive().default(3),
  run_timeout_s: z.number().positive().default(600),
  model_timeout_s: z.number().positive().default(120),
  tool_timeout_s: z.number().positive().default(60),
  fallback: inferenceChoice.fallback.default([]),
  retry: z
    .strictObject({
      first_retry_s: retry.first_retry_s.default(30),
      max_retry_s: retry.max_retry_s.default(3600),
      late_note_min: retry.late_note_min.default(15),
      give_up_hours: retry.give_up_hours.default(48),
    })
    .prefault({}),
  stages: z.strictObject(stages).prefault({}),
  recursion_depth: count.default(3),
  /** Null: where no budget in USD is set. */
  allow_unpriced: z.boolean().nullable().default(null),
  prices: z.record(modelId, price).default({}),
  step_caps: z
    .strictObject({
      read: z.int().positive().nullable().default(6),
      mutate: z.int().positive().nullable().default(8),
    })
    .prefault({}),
});

const profile = [
  'load-file(configs/prompts/system.md)',
  'load-file(personas/{persona_id}/PERSONA.md)',
  'standing-rules',
  'knowledge',
  'load-file(data/personas/{persona_id}/active.md)',
  'thread-memory-state',
  'thread-history',
  'invocation-metadata',
  'current-input',
] as const;
const resolverCall = z.string().regex(/^[a-z0-9_-]+(\([^()]*\))?$/, 'a resolver such as knowledge or load-file(path)');

/** What comes from the mail itself stays last, whatever is added. */
const FROM_THE_MAIL: readonly string[] = ['invocation-metadata', 'current-input'];
const changed = (change: ListChange): string[] => [...changedList(profile, change, FROM_THE_MAIL)];

const WITH_MAIL = 'a list with current-input, or {"add": [...], "remove": [...]}';
const profileSchema = z
  .union([
    z.array(resolverCall),
    z
      .strictObject({
        add: z.array(resolverCall).default([]),
        remove: z.array(z.enum(profile, 'one of the default profile')).default([]),
      })
      .transform(changed),
  ])
  // Without it the model never sees the mail: one scaffolded resolver in a list of its own made a persona answer nothing.
  .refine((calls) => calls.includes('current-input'), WITH_MAIL);
/** A kind of mail changes what `thread` has, which may have added something that is needed for every kind. */
const ofKind = z.union([
  z.array(resolverCall).refine((calls) => calls.includes('current-input'), WITH_MAIL),
  z.strictObject({
    add: z.array(resolverCall).default([]),
    remove: z
      .array(z.enum(profile, 'one of the default profile'))
      .default([])
      .refine((calls) => !calls.includes('current-input'), WITH_MAIL),
    /** Reading alone, where its sender wants nothing done. */
    tools: z.enum(['all', 'read']).default('all'),
    /** In place of what the persona says, key by key. */
    answer: z.strictObject(answerContract).partial().nullable().default(null),
  }),
]);
const orDefault = profileSchema.default([...profile]);

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** The mail that tells owners of a persona's week; a persona works by its own zone. */
export const weeklyMail = {
  enabled: z.boolean(),
  day: z.enum(WEEKDAYS),
  at: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 08:00'),
};

export const contextSchema = z.strictObject({
  profiles: z
    .strictObject({
      thread: orDefault,
      task: orDefault,
      /** In place of `thread`, or over it, for mails that the stage `frame` takes for one of a kind. */
      by_kind: z
        .partialRecord(z.enum(['question', 'request', 'information', 'scheduling', 'other']), ofKind)
        .default({}),
    })
    .prefault({}),
});

const decision = z.enum(['allow', 'approve', 'deny']);

export const securitySchema = z.strictObject({
  owners: z.array(owner).default([]),
  gateway_auth: z
    .strictObject({
      mode: z.enum(['enforce', 'monitor']).default('enforce'),
      dns_servers: z.array(z.string()).default([]),
      /** Host names of border servers that are ours although another wrote the Received line. */
      trusted_received: z.array(z.string()).default([]),
    })
    .prefault({}),
  /** How long a DKIM signature proves its mail; by then every server has given up on delivering it. */
  signature_max_age_days: z.int().min(1).max(365).default(7),
  /** How long a refused mail is kept so that it can be taken in after all; 0: none is kept. */
  quarantine_days: z.int().min(0).max(365).default(14),
  gateway_access: z
    .strictObject({
      default_decision: z.enum(['deny', 'allow']).default('deny'),
      allow: z.array(addressPattern).default([]),
      deny: z.array(addressPattern).default([]),
    })
    .prefault({}),
  approvals: z
    .strictObject({
      ttl_hours: z.number().positive().default(168),
      reminder_hours: z.number().nonnegative().default(24),
      batch_window_s: z.number().nonnegative().default(120),
      /** Whether an owner's mail is the yes to what it asks for; workspaces of before are asked as they were. */
      own_words: z.enum(['ask', 'count']).default('ask'),
      /** Whether an answer waits for what owners are asked about; in workspaces of before it does, as it did. */
      answer: z.enum(['after', 'now']).default('after'),
      /** Whether a question offers a rule once owners have said yes to its like often; nothing is wider before they answer. */
      offer_rule: z.boolean().default(true),
    })
    .prefault({}),
  loop_guard: z
    .strictObject({
      max_replies_per_thread_per_hour: count.default(30),
      max_replies_per_sender_per_hour: count.default(120),
      fast_reply_s: z.number().nonnegative().default(30),
      max_fast_replies: count.default(3),
    })
    .prefault({}),
  tool_policy: z
    .strictObject({
      risk: z
        .strictObject({
          read: decision.default('allow'),
          create: decision.default('allow'),
          write: decision.default('approve'),
          destructive: decision.default('approve'),
        })
        .prefault({}),
      // What is set by name is added to this: a workspace that denies one more tool has not asked for a shell.
      tools: z
        .record(z.string(), decision)
        .prefault({})
        .transform((named): Record<string, z.infer<typeof decision>> => ({ shell: 'deny', ...named })),
      rules: z
        .array(
          z.strictObject({ tool: z.string().min(1), when: z.record(z.string(), z.string()).default({}), decision }),
        )
        .default([]),
      quotas: z
        .record(
          z.string().min(1),
          z.strictObject({
            max_per_run: z.int().positive().nullable().default(null),
            max_per_day: z.int().positive().nullable().default(null),
          }),
        )
        .default({}),
    })
    .prefault({}),
  calls_per_sender_per_hour: z.int().positive().nullable().default(null),
});

export const systemSchema = z.strictObject({
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
      format: z.enum(['pretty', 'json']).default('pretty'),
      /** Beside stderr also into data/log/, two files of 5 MB at most. */
      file: z.boolean().default(true),
    })
    .prefault({}),
  data_dir: z.string().min(1).default('data'),
  /** A door for machines: how the gateway is, and results of work that was begun elsewhere; and for people with a browser. */
  console: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** Pages for people who log in; without it the door is for machines alone. */
      screens: z.boolean().default(false),
      /** Owners may have a link mailed to them; whoever reads their mail comes in then. */
      log_in_by_mail: z.boolean().default(false),
      /** Owners may log in by a provider of OpenID Connect; whoever has their account there comes in then. */
      oidc: z
        .strictObject({
          issuer: z.string().max(500).refine(isSafeForTokens, { error: 'an https URL' }),
          client_id: z.string().min(1).max(500),
          client_secret_env: environmentName.nullable().default(null),
        })
        .nullable()
        .default(null),
      host: z.string().min(1).default('127.0.0.1'),
      port: port.default(8025),
      /** As others reach it, where something stands before it. */
      public_url: z
        .url({ protocol: /^https?$/ })
        .nullable()
        .default(null),
    })
    .prefault({}),
  dispatch: z
    .strictObject({
      max_runs: z.int().positive().default(32),
      max_runs_per_persona: z.int().positive().default(16),
      max_open_databases: z.int().positive().default(200),
      /** Mails of one sender in one thread that come before the first is answered get one answer. */
      answer_together: z.boolean().default(true),
    })
    .prefault({}),
  admin_contact: mailAddress.nullable().default(null),
  /** Copies of the workspace that the gateway makes by itself. */
  backup: z
    .strictObject({
      /** By the clock of this machine; null: none. */
      schedule: cronExpression.nullable().default(null),
      /** Relative to the workspace. */
      to: z.string().min(1).default('backups'),
      keep: z.int().min(1).max(1000).default(14),
      secrets: z.boolean().default(true),
    })
    .prefault({}),
  learning: learningSchema.prefault({}),
  weekly_mail: z
    .strictObject({
      enabled: weeklyMail.enabled.default(false),
      day: weeklyMail.day.default('mon'),
      at: weeklyMail.at.default('08:00'),
    })
    .prefault({}),
  memory: z
    .strictObject({
      /** Share of a persona's daily budget that memory may use. */
      budget_share: z.number().min(0).max(1).default(0.2),
      /** A thread is summarised once more of its mails than this are not shown any more. */
      summarise_after: z.int().min(0).max(1000).default(8),
      /** A thread without mail for so long is closed; the next mail opens it again. */
      close_after_days: z.number().positive().max(36_500).default(14),
      /** Earlier mail of other threads stands behind the mail that is answered. */
      recall: z.boolean().default(false),
      /** What people ask a persona to remember is kept. */
      facts: z.boolean().default(false),
    })
    .prefault({}),
});
