import type { HarnessProviderAdapter, Log, ModelInfo, ModelMessage, Risk, Scope, ToolCall, ToolSpec } from '#contract';
import type { InferenceConfig } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import type { ApprovalRow } from '../../storage/approval-tables.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { BudgetLimits, Store } from '../../storage/store.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { TaskFrame } from '../evidence/frame.ts';
import type { QuotaSpent } from '../policy/refusal.ts';
import type { Shown } from '../policy/shown.ts';
import type { Cooldowns } from '../providers/cooldown.ts';
import type { Target } from '../providers/targets.ts';
import type { Recorder } from '../storage.ts';
import type { Executed } from '../tools/execute.ts';
import type { Executable, Prepared, Previewing } from '../tools/prepare.ts';
import type { LoopState } from './state.ts';

/** What was fixed when the run began and holds for all of it, restarts included. Stored as an artifact. */
export interface PinnedSettings {
  /** What was known before any model was asked; absent in runs that began before there were frames. */
  readonly frame?: TaskFrame;
  readonly system: readonly string[];
  readonly tools: readonly ToolSpec[];
  /** What the tools declared, by name; absent in runs of older versions. */
  readonly risks?: Readonly<Record<string, Risk>>;
  /** The same for what they do; without those that only ask. */
  readonly scopes?: Readonly<Record<string, Scope>>;
  /** The tools that the run began with, where it goes on with fewer; null: not loaded, for it ends without a call. */
  readonly pinned?: readonly ToolSpec[] | null;
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
  };
}

/** The prompt of this run besides its own turns. */
export interface Prompt {
  readonly history: readonly ModelMessage[];
  readonly userBlock: ModelMessage;
  readonly inputText: string;
  /** The same piece by piece, with where each came from. */
  readonly shown: readonly Shown[];
}

/** The models as the loop reaches them. */
export interface Models {
  adapter(provider: string): Promise<HarnessProviderAdapter>;
  info(target: Target): ModelInfo;
  readonly cooldowns: Cooldowns;
}

/** Everything the loop works with, for one run. */
export interface LoopRun {
  readonly state: LoopState;
  readonly settings: PinnedSettings;
  readonly prompt: Prompt;
  readonly recorder: Recorder;
  readonly store: Pick<Store, 'reserveBudget'>;
  readonly models: Models;
  /** A model has answered: whoever waits for one may go on. */
  answered(): void;
  /** Finds, validates, asks the governor; nothing is done yet. */
  prepareCall(call: ToolCall, previewing?: Previewing): Promise<Prepared>;
  /** Runs a call that may run, under its deadline and under the eyes of the sensor. */
  executeCall(next: Executable): Promise<Executed>;
  /** Counts a call against the limits, or only asks about it; null: there is room. */
  useTool(call: ToolCall, reserves: boolean): Promise<QuotaSpent | null>;
  /** A tool's declared risk; null for one that has left the registry. */
  riskOf(tool: string): Risk | null;
  /** What a tool is for; null for one that has left the registry, and for one that only asks. */
  scopeOf(tool: string): Scope | null;
  /** Call ids of results whose source says something else by now. */
  driftedSources(evidence: readonly Evidence[]): Promise<ReadonlySet<string>>;
  readonly artifacts: Blobs;
  readonly prices: InferenceConfig['prices'];
  readonly allowUnpriced: boolean;
  readonly budget: BudgetLimits;
  /** The day that costs are booked on, in the persona's zone. */
  readonly day: string;
  readonly crashes: number;
  /** What owners were asked about in this run. */
  readonly approvals: readonly ApprovalRow[];
  /** Calls of this turn that are to be put before an owner, by call id. */
  readonly held: Map<string, Executable>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly pass: PassCrashPoint;
  readonly log: Log;
  /** Nobody waits for an answer, so an empty one is one. */
  readonly maySayNothing: boolean;
}
