import type { ModelInfo } from '#contract';
import type { InferenceConfig, Persona } from '../../config/types.ts';
import { addressKey } from '../../mail/mime/address.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import { replyModeOf } from '../respond/respond.ts';

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

/** Where the final text goes, where that is not simply to whoever wrote; to how many others is told with what they may not see. */
export function goesElsewhere(
  loaded: Pick<LoadedRun, 'run' | 'message' | 'trigger'>,
  persona: Pick<Persona, 'reply' | 'address' | 'aliases'>,
): readonly string[] {
  const { trigger, message, run } = loaded;
  if (trigger.kind === 'delegation')
    return ['Your final text goes to the run that handed you this part of the work, and to nobody by mail.'];
  if (trigger.kind !== 'mail') return [];
  const own = new Set([persona.address, ...persona.aliases, message.from_address ?? ''].map(addressKey));
  const others = [...message.to, ...message.cc].filter((address) => !own.has(addressKey(address)));
  const isAlone = others.length > 0 && (persona.reply.recipients === 'sender' || run.tier === 'unauthenticated');
  return [
    ...(replyModeOf(persona, loaded) === 'draft'
      ? ['Your final text is put into Drafts: a person reads it, may change it, and sends it.']
      : []),
    ...(isAlone ? ['Your final text goes to the sender alone; the others in To and Cc do not get it.'] : []),
  ];
}

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
