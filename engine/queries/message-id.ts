import { EngineError } from '#contract';
/** A Message-ID with its angle brackets, however it was given. Throws `usage`. */
export function messageIdIn(text: string): string {
  const inner = text.trim().replace(/^<?(.*?)>?$/s, '$1');
  if (!/^[^\s<>]+$/.test(inner)) throw new EngineError('usage', `${JSON.stringify(text)} is no Message-ID`);
  return `<${inner}>`;
}
