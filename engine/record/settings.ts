import type { Risk, Scope, ToolSpec } from '#contract';
import type { InferenceConfig } from '../config/types.ts';
import type { TaskFrame } from './frame.ts';
import type { Target } from './target.ts';
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
