import { z } from 'zod';
import type { Risk, Scope, ToolSpec } from '#contract';
import type { AnswerConfig, InferenceConfig } from '../config/types.ts';
import type { Language } from '../languages/language.ts';
import { list, type PinnedFrame, risk, target } from './codec/fields.ts';
import type { Intent } from './codec/intent.ts';
import { type PinnedPlaybook, pinnedPlaybook } from './codec/playbook.ts';

/** What is known of a run before any model is asked: rows and settings, never what the mail's words may mean. */
export interface RunFrame {
  readonly trigger: 'mail' | 'task' | 'delegation';
  /** Profile of `context.json`. */
  readonly profile: 'thread' | 'task';
  /** The subject line, shortened. */
  readonly subject: string;
  /** Scopes of the tools on the surface that can change something. */
  readonly can_change: readonly Scope[];
  /** The riskiest that a tool of the surface is. */
  readonly highest_risk: Risk;
  /** Language of the conversation, for the gateway's own sentences. */
  readonly language: Language;
  /** What the answer has to bring. */
  readonly contract: Contract;
  /** Nobody needs words of a model where all of that is there. */
  readonly ends_met?: true;
  /** What a model took the sender to want, where one was asked. It grants nothing. */
  readonly intent?: Intent;
}

/** What an answer has to bring beside its words; from the task file, else the persona, else nothing. */
export type Contract = Omit<AnswerConfig, 'points'>;

/** A provider and the vendor's id of one of its models. */
export interface Target {
  readonly provider: string;
  readonly model: string;
}

/** What was fixed when the run began and holds for all of it, restarts included. Stored as an artifact. */
export interface PinnedSettings {
  /** What was known before any model was asked; absent in runs that began before there were frames. */
  readonly frame?: PinnedFrame;
  readonly system: readonly string[];
  readonly tools: readonly ToolSpec[];
  /** What the tools declared, by name; absent in runs of older versions. */
  readonly risks?: Readonly<Record<string, Risk>>;
  /** The same for what they do; without those that only ask. */
  readonly scopes?: Readonly<Record<string, Scope>>;
  /** The kind of mail for which the profile has nothing but reading; absent: for this one it has all. */
  readonly reads?: string;
  /** What the run works by, whatever was learned since; absent where nothing of a playbook is at work in it. */
  readonly playbook?: PinnedPlaybook;
  /** The tools that the run began with, where it goes on with fewer; null: not loaded, for it ends without a call. */
  readonly pinned?: readonly ToolSpec[] | null;
  /** An owner's own words counted when the run began; absent: they did not, as in runs of older versions. */
  readonly ownWords?: 'count';
  /**
   * Calls of these tools that owners are asked about do not hold the answer; `of`: who is asked, as the model is told. Absent: the
   * run waits for each of them, as runs of older versions do. `asked` and `you`: as the receipt names them, `you` where the
   * only reader of the answer is one of them; absent in runs of older versions, whose receipts have `of`. `follows`: nor do they
   * hold what follows words that were mailed beside a question; absent in runs of older versions, which waited there.
   */
  readonly later?: {
    readonly of: string | null;
    readonly tools: readonly string[];
    readonly asked?: readonly string[];
    readonly you?: boolean;
    readonly follows?: true;
  };
  /** Questions to owners that it was told to be open, by id. */
  readonly waits?: readonly string[];
  /** Why an owner says no is shown to the model in runs of owners alone; absent in runs of older versions, which showed it in all. */
  readonly reasons?: 'owners';
  readonly targets: readonly Target[];
  readonly temperature: number | null;
  readonly maxOutputTokens: number | null;
  readonly limits: Pick<
    InferenceConfig,
    | 'max_tool_turns'
    | 'max_tool_calls'
    | 'max_calls_per_turn'
    | 'max_consecutive_failures'
    | 'run_timeout_s'
    | 'model_timeout_s'
    | 'tool_timeout_s'
  > & {
    /** The step cap for what is on the surface; absent where none is set. */
    readonly max_tool_steps?: number | null;
    /** The model hears of a limit that is near; absent in runs of older versions. */
    readonly tells_near?: true;
    /** A text that broke off is gone on with; absent in runs of older versions, which sent it as it was. */
    readonly goes_on?: true;
    /** Failures are counted by turns; absent in runs of older versions, which counted calls. */
    readonly by_turns?: true;
    /** Behind a call that failed only what builds on it is skipped; absent in runs of older versions, which skipped whatever changes something. */
    readonly by_needs?: true;
    /** A text that ends within an open fence or row has broken off; absent in runs of older versions, which sent it as it was. */
    readonly open_ends?: true;
    /** What was asked for, or is said to be done, and is not on record is told; absent in runs of older versions. */
    readonly tells_undone?: true;
    /** How old and how whole the data are that an answer rests on is told; absent in runs of older versions. */
    readonly tells_data?: true;
    /** What others have changed since it was looked up is looked up again; absent in runs of older versions. */
    readonly looks_again?: true;
    /** Results and mails that they list are shown with names to cite them by; absent in runs of older versions. */
    readonly cites?: true;
    /** An answer rests on files that its model was shown whole; absent in runs of older versions, which sent such an answer back. */
    readonly cites_shown?: true;
    /**
     * Words beside a question to owners are mailed at once; absent where answers wait for owners, and in runs of older versions,
     * whose models were not told of it.
     */
    readonly mails_beside?: true;
    /** An owner's words about something else can be handed on; absent in runs of older versions, whose models were not told of it. */
    readonly passes_on?: true;
    /** By whose words sources are named: owners and members know tools and files. Absent in runs of older versions. */
    readonly sources_for?: 'insiders' | 'outsiders';
  };
}

/** As the artifact holds them: without what differs from mail to mail, so that all mails of a persona share one file. */
export type StoredSettings = Omit<PinnedSettings, 'frame' | 'pinned'>;

const toolSpec = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
});

const stored = z.object({
  system: list(z.string()),
  tools: list(toolSpec),
  risks: z.record(z.string(), risk).exactOptional(),
  scopes: z
    .record(
      z.string(),
      z.custom<Scope>((given) => typeof given === 'string'),
    )
    .exactOptional(),
  reads: z.string().exactOptional(),
  playbook: pinnedPlaybook.exactOptional(),
  ownWords: z.literal('count').exactOptional(),
  later: z
    .object({
      of: z.string().nullable(),
      tools: list(z.string()),
      asked: list(z.string()).exactOptional(),
      you: z.boolean().exactOptional(),
      follows: z.literal(true).exactOptional(),
    })
    .exactOptional(),
  waits: list(z.string()).exactOptional(),
  reasons: z.literal('owners').exactOptional(),
  targets: list(target),
  temperature: z.number().nullable(),
  maxOutputTokens: z.number().nullable(),
  limits: z.object({
    max_tool_turns: z.number(),
    max_tool_calls: z.number(),
    max_calls_per_turn: z.number(),
    max_consecutive_failures: z.number(),
    run_timeout_s: z.number(),
    model_timeout_s: z.number(),
    tool_timeout_s: z.number(),
    max_tool_steps: z.number().nullable().exactOptional(),
    tells_near: z.literal(true).exactOptional(),
    goes_on: z.literal(true).exactOptional(),
    by_turns: z.literal(true).exactOptional(),
    by_needs: z.literal(true).exactOptional(),
    open_ends: z.literal(true).exactOptional(),
    tells_undone: z.literal(true).exactOptional(),
    tells_data: z.literal(true).exactOptional(),
    looks_again: z.literal(true).exactOptional(),
    cites: z.literal(true).exactOptional(),
    cites_shown: z.literal(true).exactOptional(),
    mails_beside: z.literal(true).exactOptional(),
    passes_on: z.literal(true).exactOptional(),
    sources_for: z.enum(['insiders', 'outsiders']).exactOptional(),
  }),
});

const isStored = (found: unknown): found is StoredSettings => stored.safeParse(found).success;

/** The settings that a run was pinned to, as they were written: a model is sent the same bytes again. */
export function readSettings(bytes: Uint8Array): StoredSettings {
  const found: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  if (isStored(found)) return found;
  throw new Error(`pinned settings cannot be read: ${stored.safeParse(found).error?.message}`);
}
