import type { InferenceConfig, Persona } from '../../config/types.ts';

/** Fewer turns than a question with one look and one change behind it takes. */
const FEW_TURNS = 3;

/** What is so narrow from the beginning that a model would run into it; what gets near later is said then. */
export function nearLimits(options: {
  budget: Persona['budget'];
  inference: Pick<InferenceConfig, 'max_tool_turns' | 'step_caps'>;
  onlyReads: boolean;
}): readonly string[] {
  const { budget, inference, onlyReads } = options;
  const { max_tool_turns, step_caps } = inference;
  const turns = Math.min(max_tool_turns, (onlyReads ? step_caps.read : step_caps.mutate) ?? max_tool_turns);
  return [
    ...(turns > FEW_TURNS ? [] : [`Limit: you can call tools in ${turns === 1 ? '1 turn' : `${turns} turns`} only.`]),
    ...(budget.tokens_per_run === null
      ? []
      : [`Limit: ${budget.tokens_per_run} tokens for all of this, prompts and results included.`]),
  ];
}
