import type { ResolverCapabilities, ResolverInput } from '#contract';
import { hideDisguised } from '../../lib/secrets.ts';

/**
 * The mail and the files as resolvers get them: without what looks like a key. Here and not in each resolver, so that
 * none can forget it; and before they fence anything, because a key may reach from one text into the next.
 */
export function withoutSecrets<Input extends Pick<ResolverInput, 'message'>>(input: Input): Input {
  const { message } = input;
  return {
    ...input,
    message: {
      ...message,
      subject: hideDisguised(message.subject),
      from: hideDisguised(message.from),
      newText: hideDisguised(message.newText),
      quotedText: hideDisguised(message.quotedText),
      forwardedText: hideDisguised(message.forwardedText),
      attachments: message.attachments.map(hideDisguised),
      limitations: message.limitations.map(hideDisguised),
    },
  };
}

export const readingWithoutSecrets = (capabilities: ResolverCapabilities): ResolverCapabilities => ({
  ...capabilities,
  readFile: async (path) => {
    const text = await capabilities.readFile(path);
    return text === null ? null : hideDisguised(text);
  },
});
