import { EngineError } from '#contract';

/**
 * `a@x.example, B <b@x.example>`, also given several times, as plain addresses; `meant` knows those of words that are none.
 * Throws `usage` for what is no address in the end.
 */
export function addressesIn(
  given: string | readonly string[],
  meant: (word: string) => string | null = () => null,
): string[] {
  const all = [given]
    .flat()
    .flatMap((text) => text.split(','))
    .map((text) => meant(text.trim()) ?? addressIn(text));
  if (all.length === 0) throw new EngineError('usage', 'an address is missing');
  return [...new Set(all)];
}

export function addressIn(text: string): string {
  const address = (/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim();
  // A line break in a display name would be a header of its own.
  if (!/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(address) || /\p{Cc}/u.test(text)) {
    throw new EngineError(
      'usage',
      `${JSON.stringify(text.trim())} is no mail address; expected one such as ada@agents.localhost`,
    );
  }
  return address;
}
