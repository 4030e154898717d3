import type { ModelMessage } from '#contract';
import type { ManifestOf } from '../../config/types.ts';

/** What a vendor takes, as the manifest of its provider says; a manifest that says nothing means what all vendors take. */
export type FitRules = ManifestOf<'provider'>['fits'];

/**
 * How far a request is cut down to what nobody refuses. 0: to the vendor's rules. 1: tools of others are described by the
 * names and kinds of their arguments alone, there are no pictures, ids are ours. 2: tools of others are left out, too.
 */
export type Plainness = 0 | 1 | 2;

/** What a model was not given, and why, in words for it and for its owner. */
export interface LeftOut {
  readonly kind: 'tool' | 'picture';
  readonly name: string;
  readonly why: string;
}

/** The rule that a vendor did not write down. */
export const REFUSED_WITH_IT = 'the model service refused the request with it';

/** A safe estimate before the vendor counts: most text has more than 3.5 characters per token. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 3.5);

export function estimateMessage(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      // Vendors bill an image between about 250 and 1,600 tokens.
      return message.content.reduce((sum, part) => sum + (part.type === 'text' ? estimateTokens(part.text) : 1600), 4);
    case 'assistant':
      return message.toolCalls.reduce(
        (sum, call) => sum + estimateTokens(call.name + (call.rawArguments ?? JSON.stringify(call.arguments ?? {}))),
        4 +
          estimateTokens(message.text) +
          (message.providerParts ? estimateTokens(JSON.stringify(message.providerParts.data)) : 0),
      );
    case 'tool':
      return message.results.reduce((sum, result) => sum + 4 + estimateTokens(result.content), 4);
  }
}
