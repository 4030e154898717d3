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

/** What others are told as well is nobody's to guess for the model: the sender alone chose who they are. */
export const limitationsOfReaders = ({ readers = [] }: LoadedRun['run']): readonly string[] =>
  readers.length === 0
    ? []
    : [
        `Your answer goes to ${readers.length === 1 ? 'one other address' : `${readers.length} other addresses`} in To and Cc of this mail, too. So of earlier mail you are shown, and find, only what all of them were sent, and nothing is shown to you of what you remember of the sender. For more the sender can write to you alone.`,
      ];

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
/** Of that budget, for what owners put into `knowledge/`. What is longer is searched: each mail would pay for all of it. */
const GIVEN_WHOLE_SHARE = 0.1;

type ContextSize = Pick<ModelInfo, 'context_tokens' | 'max_output_tokens'>;

export const tokensOfHistory = ({ context_tokens, max_output_tokens }: ContextSize): number =>
  Math.min(MAX_HISTORY_TOKENS, Math.floor((context_tokens - max_output_tokens) * HISTORY_SHARE));

export const charactersGivenWhole = (info: ContextSize): number =>
  Math.floor(tokensOfHistory(info) * GIVEN_WHOLE_SHARE * CHARACTERS_PER_TOKEN);
