import type { ModelInfo } from '#contract';

/** Share of the model's context that history may fill; the rest is for the prefix, the mail and the tools' results. */
const HISTORY_SHARE = 0.4;
const MAX_HISTORY_TOKENS = 100_000;
const CHARACTERS_PER_TOKEN = 4;
/** Of that budget. What is longer is searched: most of it has nothing to do with the mail, and each mail would pay for it. */
const WHOLE_KNOWLEDGE_SHARE = 0.1;

type ContextSize = Pick<ModelInfo, 'context_tokens' | 'max_output_tokens'>;

export const tokensOfHistory = ({ context_tokens, max_output_tokens }: ContextSize): number =>
  Math.min(MAX_HISTORY_TOKENS, Math.floor((context_tokens - max_output_tokens) * HISTORY_SHARE));

export const charactersOfWholeKnowledge = (info: ContextSize): number =>
  Math.floor(tokensOfHistory(info) * WHOLE_KNOWLEDGE_SHARE * CHARACTERS_PER_TOKEN);
