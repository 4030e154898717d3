import type { Language } from './language.ts';
import { isKey, say } from './say.ts';

/** What using a tool of ours comes to, in words; null for a tool that somebody added. */
export function ownToolInWords(tool: string, language: Language): string | null {
  const key = `tools.${tool}` as const;
  return isKey(key) ? say(language, key) : null;
}

/** The same; a tool that somebody added has the name that they gave it, without its joints. */
export const toolInWords = (tool: string, language: Language): string =>
  ownToolInWords(tool, language) ?? tool.replaceAll(/_+/g, ' ').trim();
