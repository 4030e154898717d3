import type { GenerateRequest, ModelMessage } from '#contract';
import { bookedPrice, priceAt } from '../../models/cost.ts';
import type { Target } from '../../record/settings.ts';
import type { Reserved } from '../../storage/types/budget.ts';

import type { LoopRun } from './loop-run.ts';

/** With less room for its answer than this a call is not worth its input: thinking alone may take as much. */
export const LEAST_OUTPUT_TOKENS = 4096;
/** Vendors bill an image between about 250 and 1,600 tokens. */
const IMAGE_TOKENS = 1600;

/**
 * Sets the most that this call can cost aside: its input, and as many tokens of output as are granted. Null where
 * no budget limits the persona. What is granted has to be what the vendor is asked for.
 */
export async function reserve(run: LoopRun, target: Target, request: GenerateRequest): Promise<Reserved | null> {
  const { budget, models, prices } = run;
  if (budget.usd_per_run === null && budget.usd_per_day === null && budget.tokens_per_run === null) return null;
  const info = models.info(target);
  const inputTokens = inputTokensAtMost(request);
  const price = priceAt(bookedPrice(target, info, prices) ?? { input: 0, output: 0 }, inputTokens);
  const outputTokens = request.maxOutputTokens ?? info.max_output_tokens;
  const dearest = Math.max(price.input, price.cache_write ?? 0);
  return run.store.reserveBudget(
    {
      runId: run.recorder.runId,
      day: run.day,
      inputTokens,
      inputUsd: (inputTokens * dearest) / 1_000_000,
      usdPerOutputToken: price.output / 1_000_000,
      outputTokens,
      leastOutputTokens: Math.min(LEAST_OUTPUT_TOKENS, outputTokens),
      ...(run.treeBudget === null ? {} : { tree: run.treeBudget }),
    },
    budget,
  );
}

/** Hardly any text has more than a token in two bytes; what was too much comes back with the answer. */
function inputTokensAtMost({ system, tools, messages }: GenerateRequest): number {
  const text = JSON.stringify([system, tools, messages.map(withoutImages)]);
  const images = messages.reduce((sum, message) => sum + imagesIn(message), 0);
  return Math.ceil(Buffer.byteLength(text) / 2) + images * IMAGE_TOKENS;
}

const imagesIn = (message: ModelMessage): number =>
  message.role === 'user' ? message.content.filter(({ type }) => type === 'image').length : 0;

const withoutImages = (message: ModelMessage): unknown =>
  message.role === 'user' ? message.content.filter(({ type }) => type !== 'image') : message;
