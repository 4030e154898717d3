import type { ResolverCapabilities, ResolverInput } from '#contract';
import { hideDisguised } from '../../lib/secrets/secrets.ts';

/**
 * The mail and the files as resolvers get them: without what looks like a key. Here and not in each resolver, so that
 * none can forget it; and before they fence anything, because a key may reach from one text into the next.
 */
export function withoutSecrets<Input extends Pick<ResolverInput, 'message'>>(input: Input): Input {
  const { message } = input;
  let hidden = false;
  const hide = (text: string): string => {
    const open = hideDisguised(text);
    hidden ||= open !== text;
    return open;
  };
  const without = {
    ...message,
    subject: hide(message.subject),
    from: hide(message.from),
    fromName: hide(message.fromName),
    answers: message.answers === null ? null : hide(message.answers),
    pieces: message.pieces.map(({ kind, text }) => ({ kind, text: hide(text) })),
    newText: hide(message.newText),
    quotedText: hide(message.quotedText),
    forwardedText: hide(message.forwardedText),
    attachments: message.attachments.map(hide),
    limitations: message.limitations.map(hide),
  };
  return {
    ...input,
    // Told nothing, a model answers that the sender wrote "[REDACTED]".
    message: hidden ? { ...without, limitations: [...without.limitations, HIDDEN] } : without,
  };
}

const HIDDEN = 'what looked like a key or password was hidden from you by the gateway: [REDACTED] stands there';

export const readingWithoutSecrets = (capabilities: ResolverCapabilities): ResolverCapabilities => ({
  ...capabilities,
  readFile: async (path) => {
    const text = await capabilities.readFile(path);
    return text === null ? null : hideDisguised(text);
  },
  knowledge: {
    ...capabilities.knowledge,
    whole: async () => {
      const whole = await capabilities.knowledge.whole();
      return { ...whole, texts: whole.texts?.map((file) => ({ ...file, text: hideDisguised(file.text) })) ?? null };
    },
    find: async (wanted) =>
      (await capabilities.knowledge.find(wanted)).map((hit) => ({ ...hit, snippet: hideDisguised(hit.snippet) })),
    read: async (ids) => {
      const { sections, gone } = await capabilities.knowledge.read(ids);
      return { gone, sections: sections.map((one) => ({ ...one, text: hideDisguised(one.text) })) };
    },
  },
  search: async (asked) => {
    const found = await capabilities.search(asked);
    return found.map((mail) => ({
      ...mail,
      from: hideDisguised(mail.from),
      subject: hideDisguised(mail.subject),
      snippet: hideDisguised(mail.snippet),
    }));
  },
});
