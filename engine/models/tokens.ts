import type { ModelMessage } from '#contract';

/** A safe estimate before the vendor counts: most text has more than 3.5 characters per token. */
export const estimateTokens = (text: string): number => tokensOfCharacters(text.length);
export const tokensOfCharacters = (characters: number): number => Math.ceil(characters / 3.5);

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
