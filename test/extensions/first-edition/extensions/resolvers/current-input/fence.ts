import { createHash } from 'node:crypto';

/**
 * Makes fences for the texts of one message. The mark is a hash over the Message-ID and the texts themselves: a
 * sender who knows the rule, and even chooses the Message-ID, cannot write a text that contains its own hash.
 */
export function fencer(messageId: string, texts: readonly string[]): (label: string, text: string) => string {
  const mark = markOf(messageId, texts);
  return (label, text) => `<${label}_${mark}>\n${text}\n</${label}_${mark}>`;
}

function markOf(messageId: string, texts: readonly string[]): string {
  for (let round = 0; ; round += 1) {
    const seed = JSON.stringify([round, messageId, ...texts]);
    const mark = createHash('sha256').update(seed).digest('hex').slice(0, 16);
    if (!texts.some((text) => text.includes(mark))) return mark;
  }
}
